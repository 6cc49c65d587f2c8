//! A primary network whose gateway and management ports are where the user wants them, so that pods
//! have the addresses that would be theirs.

use std::collections::BTreeSet;
use std::net::IpAddr;

use udn_lab::capture::Mac;
use udn_lab::witness::Witness;
use udn_model::Family;

use crate::rig::manifests::{asking_pod, cluster_network, namespace, nodes, pod};
use crate::rig::neighbours::Asker;
use crate::rig::site::Site;
use crate::rig::{PRIMARY, Stand, pings};

/// Where the gateway and the management ports would be by default.
const FORMER: [[&str; 2]; 2] = [["10.50.0.1", "fd50::1"], ["10.50.0.2", "fd50::2"]];
const GATEWAY: [&str; 2] = ["10.50.9.10", "fd50::9:a"];
/// The first addresses of what the network keeps for itself.
const MANAGEMENT: [&str; 2] = ["10.50.9.8", "fd50::9:8"];
/// compat: 0a:58 and the IPv4 address.
const GATEWAY_MAC: Mac = Mac([0x0a, 0x58, 10, 50, 9, 10]);
const MANAGEMENT_MAC: Mac = Mac([0x0a, 0x58, 10, 50, 9, 8]);
const OUTSIDE: [&str; 2] = ["172.18.0.1", "fd00:172:18::1"];
const NETWORKS: [&str; 3] = ["asking", "simple", "lonely"];

/// What all networks here have in common.
const CUSTOM: &str = "subnets: [10.50.0.0/16, fd50::/64], \
                      defaultGatewayIPs: [10.50.9.10, fd50::9:a], \
                      infrastructureSubnets: [10.50.9.8/30, fd50::9:8/126]";
/// The former defaults and some more are for those who ask.
const RESERVED: &str = "reservedSubnets: [10.50.0.0/29, fd50::/125]";

fn network(name: &str, more: &str) -> String {
    let spec = format!("{{topology: Layer2, layer2: {{role: Primary, {CUSTOM}{more}}}}}");
    namespace(name, true) + &cluster_network(name, &spec)
}

/// Three tenants with the same addresses: pods of the first ask for .1 and .2, those of the second get
/// them without asking, and in the third nobody has them.
fn manifests() -> String {
    let reserved = format!(", {RESERVED}");
    let mut text = nodes(3)
        + &network("asking", &reserved)
        + &network("simple", "")
        + &network("lonely", &reserved)
        + &asking_pod("asking/one", "node-1", &FORMER[0])
        + &asking_pod("asking/two", "node-2", &FORMER[1]);
    for (namespace, name, node) in [
        ("asking", "near", "node-1"),
        ("asking", "far", "node-3"),
        ("lonely", "near", "node-1"),
        ("lonely", "far", "node-2"),
    ] {
        text += &pod(&format!("{namespace}/{name}"), node, None);
    }
    for node in 1..=3 {
        text += &pod(&format!("simple/s{node}"), &format!("node-{node}"), None);
    }
    text
}

// proves: A-08
pub(crate) async fn former_defaults_are_for_pods(site: &Site) {
    let stand = Stand::of_text(site, &manifests()).await;
    // Everybody reaches everybody of its own network, its gateway and the outside.
    stand.green_matrix().await;
    for (pod, addresses) in [("asking/one", FORMER[0]), ("asking/two", FORMER[1])] {
        assert_eq!(own_addresses(&stand, pod), addresses.map(ip), "{pod} has what it asked for");
        has_addresses(&stand, pod);
    }
    let simple: BTreeSet<_> =
        (1..=3).map(|it| own_addresses(&stand, &format!("simple/s{it}"))).collect();
    let third = ["10.50.0.3", "fd50::3"];
    assert_eq!(simple, BTreeSet::from([FORMER[0], FORMER[1], third].map(|it| it.map(ip))));
    (1..=3).for_each(|it| has_addresses(&stand, &format!("simple/s{it}")));
    for (from, to) in [("near", 0), ("far", 0), ("near", 1), ("far", 1), ("one", 1), ("two", 0)] {
        for address in FORMER[to].map(ip) {
            assert!(pings(stand.pod(&format!("asking/{from}")), address), "{from} to {address}");
        }
    }
    for pod in ["asking/near", "asking/far"] {
        only_pods_answer_for_former_defaults(&stand, pod);
    }
    for pod in ["lonely/near", "lonely/far"] {
        nobody_answers_for_former_defaults(&stand, pod);
    }
    management_is_where_it_should(&stand);
    packets_take_the_custom_ways(&stand);
}

fn ip(text: &str) -> IpAddr {
    text.parse().expect("an address")
}

fn own_addresses(stand: &Stand, pod: &str) -> [IpAddr; 2] {
    Family::BOTH.map(|family| stand.address(pod, family))
}

/// The kernel of the pod has what was granted, and sends everything else to the gateway.
fn has_addresses(stand: &Stand, pod: &str) {
    let ip = |arguments: &[&str]| stand.pod(pod).ip(arguments).expect("ip answers");
    let seen = ip(&["-o", "address", "show", PRIMARY]);
    for (address, length) in own_addresses(stand, pod).into_iter().zip([16, 64]) {
        assert!(seen.contains(&format!(" {address}/{length} ")), "{pod}: {seen}");
    }
    for (family, gateway) in ["-4", "-6"].into_iter().zip(GATEWAY) {
        let routes = ip(&[family, "route", "show", "default"]);
        let gateways = routes.lines().filter_map(|it| it.split(' ').nth(2));
        // The router advertises itself, too, under its link-local address.
        let itself = GATEWAY_MAC.link_local().to_string();
        let gateways: Vec<_> = gateways.filter(|it| *it != itself).collect();
        assert_eq!(gateways, [gateway], "{pod}: {routes}");
    }
}

fn asker(stand: &Stand, pod: &str) -> Asker {
    Asker {
        capture: stand.capture(pod, PRIMARY),
        wire: stand.wire(pod, PRIMARY),
        mac: stand.mac(pod),
        addresses: own_addresses(stand, pod).to_vec(),
    }
}

fn only_pods_answer_for_former_defaults(stand: &Stand, pod: &str) {
    let asker = asker(stand, pod);
    for (addresses, owner) in FORMER.into_iter().zip(["asking/one", "asking/two"]) {
        let owner = BTreeSet::from([stand.mac(owner)]);
        for address in addresses.map(ip) {
            assert_eq!(asker.who_has(address), owner, "{pod} asks for {address}");
        }
    }
    platform_answers_at_its_own(&asker, pod);
}

fn nobody_answers_for_former_defaults(stand: &Stand, pod: &str) {
    let asker = asker(stand, pod);
    for addresses in FORMER {
        for (address, gateway) in addresses.map(ip).into_iter().zip(GATEWAY.map(ip)) {
            let heard = asker.whoever_has(address, gateway);
            assert_eq!(heard, BTreeSet::new(), "{pod} asks for {address}");
        }
    }
    platform_answers_at_its_own(&asker, pod);
}

fn platform_answers_at_its_own(asker: &Asker, pod: &str) {
    for (addresses, mac) in [(GATEWAY, GATEWAY_MAC), (MANAGEMENT, MANAGEMENT_MAC)] {
        for address in addresses.map(ip) {
            assert_eq!(asker.who_has(address), BTreeSet::from([mac]), "{pod} asks for {address}");
        }
    }
}

/// Each node has a management port in each of the networks, under the custom address alone.
fn management_is_where_it_should(stand: &Stand) {
    for name in stand.nodes() {
        let host = stand.node(&name).namespace();
        let links = host.ip(&["-o", "address", "show"]).expect("ip answers");
        let ports: Vec<&str> = links.lines().filter(|it| it.contains(": ovn-k8s-mp")).collect();
        for (address, length) in MANAGEMENT.into_iter().zip([16, 64]) {
            let own = format!(" {address}/{length} ");
            let count = ports.iter().filter(|it| it.contains(&own)).count();
            assert_eq!(count, NETWORKS.len(), "{name}: {links}");
        }
        let former = FORMER.iter().flatten().find(|it| links.contains(&format!(" {it}/")));
        assert_eq!(former, None, "{name}: {links}");
    }
}

/// Out through the gateway, as the node; to the node through its management port, which its kernel
/// tells by the masquerade address that it sees.
fn packets_take_the_custom_ways(stand: &Stand) {
    let outside = Witness::listen(stand.host("outside")).expect("the outside listens");
    for (pod, node) in
        [("asking/one", "node-1"), ("asking/two", "node-2"), ("asking/far", "node-3")]
    {
        let own = stand.node(node);
        let addresses = own.settings().addresses;
        let host = Witness::listen(own.namespace()).expect("the node listens");
        for (address, node) in OUTSIDE.map(ip).into_iter().zip(addresses.iter()) {
            let seen = outside.ask(stand.pod(pod), address).expect("the outside is reached");
            assert_eq!(seen, node, "{pod} as {address} sees it");
            let seen = host.ask(stand.pod(pod), node).expect("the own node is reached");
            let is_masquerade = match seen {
                IpAddr::V4(ip) => ip.octets()[..2] == [169, 254],
                IpAddr::V6(ip) => ip.segments()[0] == 0xfd69,
            };
            assert!(is_masquerade, "{pod} as {node} sees it: {seen}");
        }
    }
}
