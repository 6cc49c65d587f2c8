//! The external bridge of a real switch with more networks than may hear everything.

use std::net::IpAddr;

use udn_host::HostPlan;
use udn_host::{Datapath, HostFacts, NetworkFacts, NodeFacts, PortNumber};
use udn_lab::node::{EXTERNAL_BRIDGE, Fabric, Node};
use udn_lab::ovn_root::OvnRoot;
use udn_lab::run::run;
use udn_model::derived::network_masquerade;
use udn_model::{Gateway, GatewayMode, MacAddress, Mtu, NetworkId, NetworkName, PerFamily, Subnet};
use udn_node::Program;
use udn_node::openflow::Openflow;

const NEXT_HOP: &str = "172.18.0.1";
/// The next hop's MAC.
const NEIGHBOUR: &str = "02:00:00:00:00:01";
/// The first network that does not hear everything.
const LATE: u16 = 31;

fn port(network: u16) -> PortNumber {
    PortNumber::new(100 + network).expect("the test's ports are within bounds")
}

fn network(number: u16) -> NetworkFacts {
    let id = NetworkId::new(number).expect("the test's ids are within bounds");
    let masquerade = Subnet::parse("169.254.0.0/17").expect("the subnet is sound");
    NetworkFacts {
        name: NetworkName::new(&format!("network{number}")),
        id,
        management_port: format!("k8s-{number}"),
        management_mac: MacAddress::from_text("management"),
        addresses: Vec::new(),
        ranges: Vec::new(),
        masquerade: PerFamily { v4: network_masquerade(masquerade, id), v6: None },
        mtu: Mtu::new(1400).expect("1400 is within bounds"),
        patch: Some(port(number)),
    }
}

fn plan(node: &Node, networks: impl IntoIterator<Item = u16>) -> HostPlan {
    let next_hop: IpAddr = NEXT_HOP.parse().expect("the address is sound");
    let addresses = node.settings().addresses.with_lengths();
    let gateway = Gateway {
        bridge: EXTERNAL_BRIDGE.to_owned(),
        mac: node.settings().mac().parse().expect("the rig's MAC is sound"),
        addresses: addresses.iter().map(|text| text.parse().expect("sound")).collect(),
        next_hops: vec![next_hop],
        vlan: None,
        serves_node_ports: false,
    };
    let node = NodeFacts {
        integration_bridge: "br-int".to_owned(),
        gateway,
        gateway_mode: GatewayMode::Shared,
        uplink: PortNumber::new(1).expect("the first port has number one"),
        service_subnets: Vec::new(),
        masquerade: PerFamily::default(),
        datapath: Datapath::Userspace,
    };
    let networks = networks.into_iter().map(network).collect();
    HostPlan::of(&HostFacts { node, networks, pods: Vec::new() })
}

/// How many neighbours the bridge remembers.
fn remembered(node: &Node) -> usize {
    let mut command = node.ofctl();
    command.args(["--no-stats", "dump-flows", EXTERNAL_BRIDGE, "table=20"]);
    let flows = run(&mut command).expect("the switch answers");
    flows.lines().filter(|line| line.contains("arp_tpa")).count()
}

/// Lets a packet into the bridge and returns what became of it.
fn send(node: &Node, packet: &str) -> String {
    let mut trace = node.vswitchd().appctl();
    trace.args(["ofproto/trace", EXTERNAL_BRIDGE, packet, "-generate"]);
    run(&mut trace).expect("the switch answers")
}

/// A network's ARP request for the next hop.
fn ask(node: &Node, network: u16) -> String {
    let (mac, ours, from) = (node.settings().mac(), node.address(), port(network));
    send(
        node,
        &format!(
            "in_port={from},arp,dl_src={mac},dl_dst=ff:ff:ff:ff:ff:ff,arp_op=1,arp_sha={mac},\
             arp_spa={ours},arp_tpa={NEXT_HOP}"
        ),
    )
}

/// The next hop's ARP reply, which does not tell for whom it is.
fn answer(node: &Node) -> String {
    let (mac, ours) = (node.settings().mac(), node.address());
    send(
        node,
        &format!(
            "in_port=1,arp,dl_src={NEIGHBOUR},dl_dst={mac},arp_op=2,arp_sha={NEIGHBOUR},\
             arp_tha={mac},arp_spa={NEXT_HOP},arp_tpa={ours}"
        ),
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn a_late_network_learns_the_next_hop_from_the_bridges_memory() {
    let root = OvnRoot::find().expect("the OVN root is set up");
    let fabric = Fabric::create().expect("a fabric can be made");
    let node = Node::start(&root, &fabric, "n1", [172, 18, 0, 11].into()).expect("it starts");
    let mut command = node.vsctl();
    command.args(["add-port", EXTERNAL_BRIDGE, "late", "--", "set", "Interface", "late"]);
    run(command.args(["type=internal", &format!("ofport_request={}", port(LATE))]))
        .expect("the port is made");
    let openflow = Openflow::new(Program::from(&node.ofctl()));
    let apply = async |networks| {
        openflow.apply(&plan(&node, networks).bridge).await.expect("the flows are taken")
    };
    assert!(apply(1..=40).await > 300);
    assert_eq!(apply(1..=40).await, 0, "a second time changes nothing");

    assert!(!ask(&node, LATE).contains(NEIGHBOUR), "nobody knows the next hop yet");
    assert!(answer(&node).contains("LOCAL"), "the host hears everything");
    assert_eq!(remembered(&node), 1);
    let known = ask(&node, LATE);
    let mac = node.settings().mac();
    for want in [
        format!("arp_sha={NEIGHBOUR}"),
        format!("arp_spa={NEXT_HOP}"),
        format!("arp_tha={mac}"),
        format!("arp_tpa={}", node.address()),
        format!("dl_dst={mac}"),
        "arp_op=2".to_owned(),
    ] {
        let last = known.lines().find(|line| line.starts_with("Final flow:")).expect("a trace");
        assert!(last.contains(&want), "no {want} in {last}");
    }

    assert_eq!(apply(1..=40).await, 0, "what is remembered is no difference");
    assert!(apply(1..=41).await > 0);
    assert_eq!(remembered(&node), 1, "a new network makes nobody forget");
}

#[tokio::test(flavor = "multi_thread")]
async fn flows_of_others_on_the_bridge_stay() {
    let root = OvnRoot::find().expect("the OVN root is set up");
    let fabric = Fabric::create().expect("a fabric can be made");
    let node = Node::start(&root, &fabric, "n1", [172, 18, 0, 11].into()).expect("it starts");
    let mut foreign = node.ofctl();
    foreign.args(["add-flow", EXTERNAL_BRIDGE, "cookie=0x77,priority=7,udp,actions=drop"]);
    run(&mut foreign).expect("the switch takes a flow");
    let openflow = Openflow::new(Program::from(&node.ofctl()));
    for networks in [1..3, 0..0] {
        let plan = plan(&node, networks);
        openflow.apply(&plan.bridge).await.expect("flows apply");
        assert_eq!(openflow.apply(&plan.bridge).await.expect("flows apply"), 0);
        let flows = run(node.ofctl().args(["dump-flows", EXTERNAL_BRIDGE, "cookie=0x77/-1"]));
        assert!(flows.expect("the switch answers").contains("priority=7"));
    }
}
