//! Addresses by example.

use udn_cluster::World;
use udn_model::network::{Localnet, Origin};
use udn_model::{Network, NetworkName, Subnet, Subnets, Topology};

use super::{assume_nodes, host_addresses};

fn check(subnets: &[&str], excluded: &[&str], want: &[&str]) {
    let parsed = |texts: &[&str]| -> Vec<Subnet> {
        texts.iter().map(|text| Subnet::parse(text).unwrap()).collect()
    };
    let network = Network {
        name: NetworkName::new("vlan"),
        origin: Origin::Nads,
        topology: Topology::Localnet(Localnet { physical_network: "p".into(), vlan: None }),
        subnets: Subnets::new(parsed(subnets)).unwrap(),
        excluded: parsed(excluded),
        mtu: None,
        has_persistent_addresses: false,
        nads: Vec::new(),
    };
    let got: Vec<String> = host_addresses(&network).iter().map(ToString::to_string).collect();
    assert_eq!(got, want);
}

#[test]
fn a_host_takes_an_address_that_pods_never_get() {
    check(&["192.168.42.0/24"], &["192.168.42.0/28"], &["192.168.42.1/24"]);
    check(&["192.168.42.0/24"], &["192.168.42.64/28"], &["192.168.42.64/24"]);
    check(&["192.168.42.0/24", "fd42::/64"], &["fd42::/120"], &["192.168.42.254/24", "fd42::1/64"]);
    check(&[], &[], &[]);
}

#[test]
fn nodes_are_assumed_once() {
    let nodes = b"apiVersion: v1\nkind: Node\nmetadata: {name: node-1}\n";
    let mut world = World::read([("nodes", nodes.as_slice())]).world;
    let assumed = assume_nodes(&mut world);
    assert_eq!(
        assumed,
        ["node-1 has not told its addresses; assumed 172.18.0.11/24 fd00:172:18::b/64"]
    );
    assert_eq!(assume_nodes(&mut world), [] as [&str; 0]);
}
