//! Programs of a node that crash and come back, alone and with the whole node.

use udn_lab::node::{Addresses, EXTERNAL_BRIDGE, Fabric, Node, NodeSettings};
use udn_lab::ovn_root::OvnRoot;
use udn_lab::run::run;

const ADDRESS: [u8; 4] = [172, 18, 0, 7];

/// OVN works through a change, and the node can be reached.
fn check(node: &Node, outside: &udn_lab::host::Host, switch: &str) {
    run(node.nbctl().args(["--wait=hv", "ls-add", switch])).expect("OVN follows");
    let known = run(node.sbctl().args(["--bare", "--columns=external_ids", "find", "Datapath"]));
    assert!(known.expect("the database answers").contains(switch));
    let addresses = node.namespace().ip(&["-o", "address", "show", EXTERNAL_BRIDGE]);
    assert!(addresses.expect("the bridge is there").contains("172.18.0.7/24"));
    run(&mut outside.ping(ADDRESS.into())).expect("the node answers");
}

#[test]
fn each_program_and_the_whole_node_come_back() {
    let root = OvnRoot::find().expect("the OVN root is set up");
    let fabric = Fabric::create().expect("a fabric can be made");
    let outside = Addresses::from(std::net::Ipv4Addr::new(172, 18, 0, 1));
    let outside = fabric.host(&root, outside).expect("a host can be made");
    let settings = NodeSettings::new("node1", std::net::Ipv4Addr::from(ADDRESS));
    let mut node = Node::start_with(&root, &fabric, settings).expect("the node starts");
    check(&node, &outside, "first");
    node.restart_northd().expect("northd comes back");
    check(&node, &outside, "second");
    node.restart_controller().expect("ovn-controller comes back");
    check(&node, &outside, "third");
    node.restart_vswitchd().expect("the switch comes back");
    check(&node, &outside, "fourth");

    node.namespace().ip(&["link", "add", "lost", "type", "bridge"]).expect("a link is made");
    node.reboot(&fabric).expect("the node comes back");
    assert!(node.namespace().ip(&["link", "show", "lost"]).is_err(), "the kernel is a new one");
    check(&node, &outside, "fifth");
    let switches = run(node.nbctl().arg("ls-list")).expect("the database answers");
    assert_eq!(switches.lines().count(), 5, "what was written stays: {switches}");
}
