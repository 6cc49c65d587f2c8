//! Which subnets of nodes a zone takes.

use udn_model::network::{Layer3, Origin};
use udn_model::{
    ClusterSubnet, Intent, Network, NetworkName, Node, NodeName, PerFamily, Role, Subnet, Subnets,
    Topology,
};

use super::accept_node_subnets;

fn subnet(text: &str) -> Subnet {
    Subnet::parse(text).unwrap()
}

/// A network with two ranges of IPv4 and one of IPv6, and nodes `a`, `b`, … with these subnets.
fn intent(carried: &[&[&str]]) -> Intent {
    let name = NetworkName::new("blue");
    let range = |text, host_prefix_len| ClusterSubnet { subnet: subnet(text), host_prefix_len };
    let subnets =
        vec![range("10.77.0.0/16", 24), range("10.79.0.0/16", 24), range("fd10::/48", 64)];
    let network = Network {
        name: name.clone(),
        origin: Origin::Nads,
        topology: Topology::Layer3(Layer3 { subnets, role: Role::Secondary }),
        subnets: Subnets::default(),
        excluded: Vec::new(),
        mtu: None,
        has_persistent_addresses: false,
        nads: Vec::new(),
    };
    let mut intent = Intent::default();
    intent.networks.insert(name.clone(), network.into());
    for (letter, texts) in ('a'..).zip(carried) {
        let node = NodeName::new(&letter.to_string());
        let bare = Node {
            name: node.clone(),
            chassis: None,
            gateway: None,
            addresses: Vec::new(),
            tunnel_addresses: Vec::new(),
            uses_transit_router: true,
        };
        intent.nodes.insert(node.clone(), bare);
        let mut subnets = PerFamily::default();
        for text in *texts {
            subnets.put(subnet(text).family(), subnet(text));
        }
        intent.published.node_subnets.entry(name.clone()).or_default().insert(node, subnets);
    }
    intent
}

#[track_caller]
fn check(carried: &[&[&str]], want: &[&str], found: &[&str]) {
    let told = accept_node_subnets(&intent(carried), &NetworkName::new("blue"));
    let line = |(node, subnets): (&NodeName, &PerFamily<Subnet>)| {
        let texts: Vec<String> = subnets.iter().map(ToString::to_string).collect();
        format!("{node} {}", texts.join(" "))
    };
    assert_eq!(told.value.iter().map(line).collect::<Vec<_>>(), want);
    assert_eq!(told.findings.iter().map(ToString::to_string).collect::<Vec<_>>(), found);
}

#[test]
fn what_lies_in_the_ranges_is_taken() {
    check(
        &[&["10.77.1.0/24", "fd10:0:0:1::/64"], &["10.79.1.0/24"], &[]],
        &["a 10.77.1.0/24 fd10:0:0:1::/64", "b 10.79.1.0/24"],
        &[],
    );
}

#[test]
fn of_two_nodes_with_one_subnet_the_second_has_none() {
    check(
        &[&["10.77.1.0/24"], &["10.77.1.0/24", "fd10:0:0:2::/64"]],
        &["a 10.77.1.0/24", "b fd10:0:0:2::/64"],
        &["node b: AlreadyTaken: 10.77.1.0/24 of network blue is held by node a too; remove the \
           entry of blue from the node's annotation so that a free one is granted"],
    );
}

#[test]
fn a_subnet_around_or_within_another_is_taken_too() {
    let found = |subnet: &str, node: &str, held: &str| {
        format!(
            "node {node}: AlreadyTaken: {subnet} of network blue is held by node a as {held} too; \
             remove the entry of blue from the node's annotation so that a free one is granted"
        )
    };
    check(
        &[&["10.77.4.0/24"], &["10.77.0.0/20"], &["10.77.4.128/25"], &["10.77.5.0/24"]],
        &["a 10.77.4.0/24", "d 10.77.5.0/24"],
        &[
            &found("10.77.0.0/20", "b", "10.77.4.0/24"),
            &found("10.77.4.128/25", "c", "10.77.4.0/24"),
        ],
    );
}

#[test]
fn a_subnet_outside_the_ranges_is_not_taken() {
    let found = "node a: InvalidAnnotation: 10.78.1.0/24 is in none of the subnets of network \
                 blue; remove the entry of blue from the node's annotation so that a free one is \
                 granted";
    check(&[&["10.78.1.0/24"]], &[], &[found]);
}

#[test]
fn nodes_that_are_not_there_and_networks_of_another_kind_have_none() {
    let mut intent = intent(&[&["10.77.1.0/24"]]);
    intent.nodes.clear();
    let told = accept_node_subnets(&intent, &NetworkName::new("blue"));
    assert_eq!((told.value.len(), told.findings.len()), (0, 0));
    let told = accept_node_subnets(&intent, &NetworkName::new("red"));
    assert_eq!((told.value.len(), told.findings.len()), (0, 0));
}
