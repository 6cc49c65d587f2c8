//! More networks on one node than may hear everything on the external bridge.

use std::net::IpAddr;

use udn_host::HostPlan;
use udn_lab::witness::Witness;

use crate::overlay::{NetworkSketch, OUTSIDE, Overlay, PodSketch};

/// Names live as long as the test; they are few.
fn networks(count: u16) -> Vec<NetworkSketch> {
    let network = |number: u16| {
        let is_used = number == 1 || number >= count - 1;
        let pods = is_used.then_some(PodSketch { number: 11, node: "n1" });
        let name = Box::leak(format!("n{number}").into_boxed_str());
        NetworkSketch::new(name, number, pods.into_iter().collect())
    };
    (1..=count).map(network).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_and_the_last_of_many_networks_reach_the_outside() {
    let networks = networks(40);
    let overlay = Overlay::build(&["n1"], &networks).await;
    let member = &overlay.members[0];
    let plan = HostPlan::of(&member.facts(&networks).await);
    member.host.apply(&plan).await.expect("the plan can be applied");
    assert_eq!(member.host.apply(&plan).await.expect("and stands"), 0);
    for pod in &plan.pods {
        member.host.switch().wait_installed(&pod.link).await.expect("OVN wires the pod");
    }
    let outside: [IpAddr; 2] = [OUTSIDE.0.into(), OUTSIDE.1.parse().expect("it is sound")];
    let witness = Witness::listen(overlay.outside.namespace()).expect("the outside listens");
    // The last goes first, when nobody on the node has asked for the next hop yet.
    for network in networks.iter().rev().filter(|network| !network.pods.is_empty()) {
        for (address, node) in outside.into_iter().zip(member.node.settings().addresses.iter()) {
            let seen = witness.ask(member.pod(network.name, 11), address);
            assert_eq!(seen.expect("the outside is reached"), node, "{}", network.name);
        }
    }
}
