//! A host whose networks are brought in order while its pods are somebody else's business.

use udn_host::HostPlan;
use udn_lab::run::run;

use crate::overlay::{Member, NetworkSketch, Overlay, PodSketch, link};

fn ports(member: &Member) -> Vec<String> {
    let ports = run(member.node.vsctl().args(["list-ports", "br-int"])).expect("it answers");
    ports.lines().map(str::to_owned).filter(|port| !port.starts_with("patch-")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn networks_come_and_go_and_pods_stay_as_they_are() {
    let pods = || vec![PodSketch { number: 11, node: "n1" }];
    let networks =
        [NetworkSketch::new("red", 1, pods()), NetworkSketch::new("blue", 2, Vec::new())];
    let overlay = Overlay::build(&["n1"], &networks).await;
    let member = &overlay.members[0];
    let mut facts = member.facts(&networks).await;
    let whole = HostPlan::of(&facts);
    assert!(member.host.apply_networks(&whole).await.expect("it applies") > 0);
    assert_eq!(ports(member), ["ovn-k8s-mp1", "ovn-k8s-mp2"], "pods are not plugged in");
    assert_eq!(member.host.apply_networks(&whole).await.expect("it applies"), 0);
    member.host.apply(&whole).await.expect("it applies");
    let (pod, mine) = (link("red", 11), member.pod("red", 11));
    assert_eq!(ports(member), ["ovn-k8s-mp1", "ovn-k8s-mp2", pod.as_str()]);
    facts.pods.clear();
    facts.networks.retain(|network| network.id == networks[1].id);
    assert!(member.host.apply_networks(&HostPlan::of(&facts)).await.expect("it applies") > 0);
    assert_eq!(ports(member), ["ovn-k8s-mp2", pod.as_str()], "the pod's port stays");
    assert!(mine.ip(&["-brief", "link"]).expect("ip answers").contains("ovn-udn1"));
    assert_eq!(member.host.apply_networks(&HostPlan::of(&facts)).await.expect("it applies"), 0);
}
