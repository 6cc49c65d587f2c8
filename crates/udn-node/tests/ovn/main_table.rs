//! The table of routes into which everybody on a host looks: the default network's routes are there
//! if the network is ours; otherwise nothing of ours is, and what looks like ours stays.

use udn_host::{HostPlan, NetworkFacts};
use udn_model::{
    GatewayMode, MacAddress, NetworkId, NetworkName, PerFamily, PlatformAddresses, Subnet,
};

use crate::overlay::{Member, NetworkSketch, Overlay};
use crate::topology::subnet;

/// As another plugin's routes look.
const FOREIGN: &str = "203.0.113.0/24";

/// The default network as a node has it before OVN has made its way out.
fn default_network(like: &NetworkFacts, parts: [&str; 2]) -> NetworkFacts {
    let [v4, v6] = parts.map(|text| Some(subnet(text)));
    let addresses = PlatformAddresses::on_node(&PerFamily { v4, v6 });
    NetworkFacts {
        name: NetworkName::new("default"),
        id: NetworkId::DEFAULT,
        management_port: "k8s-n1".to_owned(),
        management_mac: MacAddress::from_ip(addresses[0].management),
        addresses,
        ranges: ["10.128.0.0/14", "fd01::/48"].map(subnet).into(),
        masquerade: PerFamily::default(),
        patch: None,
        ..like.clone()
    }
}

/// The host's routes of ours into a range.
fn routes(member: &Member, family: &str, range: &str) -> Vec<String> {
    let found = member.node.namespace().ip(&[family, "route", "show", "proto", "85", range]);
    found.expect("ip answers").lines().map(|line| line.trim().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn is_the_default_networks_if_that_is_ours() {
    let networks = [NetworkSketch::new("red", 1, Vec::new())];
    let overlay = Overlay::build(&["n1"], &networks).await;
    let member = &overlay.members[0];
    let host = member.node.namespace();
    host.ip(&["route", "add", FOREIGN, "via", "172.18.0.1", "proto", "85"]).expect("ip answers");
    let mut facts = member.facts(&networks).await;
    let plan = HostPlan::of(&facts);
    member.host.apply(&plan).await.expect("the plan can be applied");
    assert_eq!(routes(member, "-4", FOREIGN).len(), 1, "another plugin's route stays");

    for parts in [["10.128.2.0/23", "fd01:0:0:1::/64"], ["10.128.4.0/23", "fd01:0:0:2::/64"]] {
        facts.networks.truncate(1);
        facts.networks.push(default_network(&facts.networks[0], parts));
        let plan = HostPlan::of(&facts);
        assert!(member.host.apply(&plan).await.expect("the plan can be applied") > 0);
        assert_eq!(member.host.apply(&plan).await.expect("and stands"), 0);
        assert_eq!(routes(member, "-4", FOREIGN), [""; 0], "it is none of ours");
        for (family, part, range) in
            [("-4", parts[0], "10.128.0.0/14"), ("-6", parts[1], "fd01::/48")]
        {
            let gateway = Subnet::parse(part).expect("it is sound").address(1);
            let gateway = gateway.expect("it has room");
            let shown = routes(member, family, range);
            assert!(shown.len() == 1 && shown[0].contains(&format!("via {gateway} ")), "{shown:?}");
            assert!(shown[0].contains("dev ovn-k8s-mp0"), "{shown:?}");
            assert_eq!(routes(member, family, part).len(), 1, "{part}");
        }
    }
    assert_eq!(routes(member, "-4", "10.128.2.0/23"), [""; 0], "the former part is gone");
    // Of the other family no next hop was given, so services of it have no way.
    facts.node.masquerade.v4 = udn_model::derived::fixed_masquerade(subnet("169.254.0.0/17"));
    member.host.apply(&HostPlan::of(&facts)).await.expect("the plan can be applied");
    let services = routes(member, "-4", "172.30.0.0/16");
    assert!(services.len() == 1 && services[0].contains("via 169.254.0.4"), "{services:?}");
    let known = host.ip(&["neighbour", "show", "169.254.0.4"]).expect("ip answers");
    assert!(known.contains("0a:58:a9:fe:00:04") && known.contains("PERMANENT"), "{known}");
    assert_eq!(member.host.apply(&HostPlan::of(&facts)).await.expect("and stands"), 0);

    facts.node.gateway_mode = GatewayMode::Local;
    assert!(member.host.apply(&HostPlan::of(&facts)).await.expect("the plan can be applied") > 0);
    assert_eq!(routes(member, "-4", "172.30.0.0/16"), [""; 0]);
    assert_eq!(member.host.apply(&HostPlan::of(&facts)).await.expect("and stands"), 0);
}
