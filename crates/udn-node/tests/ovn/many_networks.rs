//! As many networks on one node and one external bridge as a node may have to carry: none of them
//! hears everything on the bridge, and none stops another one's packets.

use std::fs;
use std::net::IpAddr;

use udn_host::HostPlan;
use udn_lab::namespaces::Namespace;
use udn_lab::run::run;
use udn_lab::witness::Witness;

use crate::load::{Load, Stopwatch};
use crate::overlay::{Member, NetworkSketch, OUTSIDE, Overlay, PodSketch};
use crate::topology::settle;

const MANY: u16 = 500;

/// What ovs-vswitchd says when it gives up a packet that takes more steps than it allows.
// compat: ofproto/ofproto-dpif-xlate.c, xlate_resubmit_resource_check
const WALLS: [&str; 3] = [
    "over 4096 resubmit actions",
    "over max translation depth",
    "resubmits yielded over 64 kB of stack",
];

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

// proves: X-09
#[tokio::test(flavor = "multi_thread")]
async fn the_first_and_the_last_of_many_networks_reach_the_outside() {
    let networks = networks(MANY);
    let mut watch = Stopwatch::start();
    let overlay = Overlay::build(&["n1"], &networks).await;
    watch.lap("draw the rows, until ovn-controller followed");
    let member = &overlay.members[0];
    let plan = HostPlan::of(&member.facts(&networks).await);
    watch.lap("plan the host");
    member.host.apply(&plan).await.expect("the plan can be applied");
    watch.lap("apply the plan");
    assert_eq!(member.host.apply(&plan).await.expect("and stands"), 0);
    watch.lap("apply it again");
    for pod in &plan.pods {
        member.host.switch().wait_installed(&pod.link).await.expect("OVN wires the pod");
    }
    settle(&member.node);
    watch.lap("until ports are up");
    // Until their ports are quiet a flood reaches all networks; from now on it reaches none.
    tell_everything(member);
    let before = walls(member);
    println!("{} lines about packets that went too far before the host stood", before.len());
    reach_the_outside(&overlay, &networks);
    flood(&overlay);
    watch.lap("reach the outside, and flood");
    println!("{}", Load::of(&member.node));
    assert_eq!(walls(member), before, "no packet goes too far");
}

fn reach_the_outside(overlay: &Overlay, networks: &[NetworkSketch]) {
    let member = &overlay.members[0];
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

/// The outside and the node ask everybody for addresses that nobody has, and both know each other
/// still.
fn flood(overlay: &Overlay) {
    let node = &overlay.members[0].node;
    let ping = |from: &Namespace, address: IpAddr, seconds: &str| {
        let mut ping = node.workplace().root.command("ping");
        ping.args(["-n", "-q", "-c", "1", "-W", seconds, &address.to_string()]);
        run(&mut from.enter(&ping)).is_ok()
    };
    let (outside, own) = (overlay.outside.namespace(), node.namespace());
    for nobody in ["172.18.0.200", "fd18::200"] {
        let nobody = nobody.parse().expect("it is sound");
        assert!(!ping(outside, nobody, "1") && !ping(own, nobody, "1"), "{nobody} is somebody");
    }
    for namespace in [outside, own] {
        namespace.ip(&["neighbour", "flush", "all"]).expect("ip answers");
    }
    for address in node.settings().addresses.iter() {
        assert!(ping(outside, address, "5"), "the outside reaches {address}");
    }
}

/// Lets the switch tell of every packet that it gives up, where it would tell of one in a minute.
fn tell_everything(member: &Member) {
    let mut tell = member.node.vswitchd().appctl();
    run(tell.args(["vlog/disable-rate-limit", "ofproto_dpif_xlate"])).expect("the switch obeys");
}

/// What the switch told of packets that went too far.
fn walls(member: &Member) -> Vec<String> {
    let log = member.node.workplace().folder.join("ovs-vswitchd.log");
    let log = fs::read_to_string(log).expect("the switch has a log");
    assert!(log.contains("added interface"), "it is the right log, and tells such things");
    let is_wall = |line: &&str| WALLS.iter().any(|wall| line.contains(wall));
    log.lines().filter(is_wall).map(str::to_owned).collect()
}
