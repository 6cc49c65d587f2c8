//! The fabric as somebody outside of the nodes sees it.

use std::net::IpAddr;

use udn_lab::fabric::{Addresses, Fabric};
use udn_lab::host::Host;
use udn_lab::node::{Node, NodeSettings};
use udn_lab::ovn_root::OvnRoot;
use udn_lab::run::run;
use udn_lab::witness::Witness;

/// A node, and a host outside of it.
fn build() -> (Node, Host, Fabric) {
    let root = OvnRoot::find().expect("the OVN root is set up");
    let fabric = Fabric::create().expect("a fabric can be made");
    let outside = Addresses::dual([172, 18, 0, 1], [0xfd18, 0, 0, 0, 0, 0, 0, 1]);
    let mut settings = NodeSettings::new(
        "node1",
        Addresses::dual([172, 18, 0, 11], [0xfd18, 0, 0, 0, 0, 0, 0, 11]),
    );
    settings.next_hops = outside.iter().collect();
    let node = Node::start_with(&root, &fabric, settings).expect("the node starts");
    let outside = fabric.host(&root, outside).expect("a host can be made");
    (node, outside, fabric)
}

#[test]
fn a_node_answers_for_its_addresses_with_one_mac() {
    let (node, outside, _fabric) = build();
    for address in node.settings().addresses.iter() {
        // Two answers would race, so one try proves nothing.
        for _ in 0..20 {
            outside.namespace().ip(&["neighbour", "flush", "all"]).expect("ip answers");
            run(&mut outside.ping(address)).expect("the node answers");
            let known = ["neighbour", "show", &address.to_string()];
            let known = outside.namespace().ip(&known).expect("ip answers");
            assert!(known.contains(&node.settings().mac()), "{known}");
        }
    }
}

#[test]
fn the_outside_and_a_node_see_each_other_as_they_are() {
    let (node, outside, _fabric) = build();
    let ours: Vec<IpAddr> = node.settings().addresses.iter().collect();
    let theirs = &node.settings().next_hops;
    let witness = Witness::listen(outside.namespace()).expect("the outside listens");
    for (theirs, ours) in theirs.iter().zip(&ours) {
        assert_eq!(witness.ask(node.namespace(), *theirs).expect("TCP passes"), *ours);
    }
    let witness = Witness::listen(node.namespace()).expect("the node listens");
    for (theirs, ours) in theirs.iter().zip(&ours) {
        assert_eq!(witness.ask(outside.namespace(), *ours).expect("TCP passes"), *theirs);
    }
}
