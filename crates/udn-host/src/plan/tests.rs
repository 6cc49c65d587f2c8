//! The host plan by example, and what must hold for every set of networks.

use std::collections::BTreeSet;
use std::net::IpAddr;

use ovn::open_vswitch::{Bridge, OpenVSwitch};
use ovn::{Owner, Sheet, SimulatedDatabase};
use proptest::prelude::*;
use udn_model::derived::{fixed_masquerade, network_masquerade};
use udn_model::{
    AttachmentKey, Family, Gateway, GatewayMode, MacAddress, Mtu, NetworkId, NetworkName,
    ObjectName, PerFamily, PlatformAddresses, Route, Subnet,
};

use crate::facts::{
    Bandwidth, Datapath, Guest, HostFacts, NetworkFacts, NodeFacts, PodFacts, PortNumber,
};
use crate::flow::{Action, BridgePort, Flow, Match, Table};
use crate::links::Checksums;
use crate::neighbours::EVERYTHING;
use crate::routing::Selector;
use crate::{HostPart, HostPlan, ports};

mod layer3;
mod pods;

const UPLINK: u16 = 1;

pub(super) fn subnet(text: &str) -> Subnet {
    Subnet::parse(text).unwrap()
}

fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

fn node() -> NodeFacts {
    let gateway = Gateway {
        bridge: "br-ex".to_owned(),
        mac: "02:42:ac:12:00:03".parse().unwrap(),
        addresses: ["172.18.0.3/16", "fd18::3/64"].map(|text| text.parse().unwrap()).into(),
        next_hops: ["172.18.0.1", "fd18::1"].map(ip).into(),
        vlan: None,
        serves_node_ports: false,
    };
    NodeFacts {
        integration_bridge: "br-int".to_owned(),
        gateway,
        gateway_mode: GatewayMode::Shared,
        uplink: PortNumber::new(UPLINK).unwrap(),
        service_subnets: vec![subnet("172.30.0.0/16")],
        masquerade: PerFamily {
            v4: fixed_masquerade(subnet("169.254.0.0/17")),
            v6: fixed_masquerade(subnet("fd69::/112")),
        },
        datapath: Datapath::Userspace,
    }
}

/// A network of which all facts follow from its number; all have the same subnets.
fn network(number: u16) -> NetworkFacts {
    let id = NetworkId::new(number).unwrap();
    let own = |text: &str, gateway: &str, management: &str| PlatformAddresses {
        subnet: subnet(text),
        gateway: ip(gateway),
        management: ip(management),
    };
    let masquerade = |text| network_masquerade(subnet(text), id);
    NetworkFacts {
        name: NetworkName::new(&format!("cluster_udn_n{number}")),
        id,
        management_port: format!("k8s-cluster_udn_n{number}_node"),
        management_mac: MacAddress::from_ip(ip("10.10.0.2")),
        addresses: vec![
            own("10.10.0.0/16", "10.10.0.1", "10.10.0.2"),
            own("fd10:10::/64", "fd10:10::1", "fd10:10::2"),
        ],
        ranges: vec![subnet("10.10.0.0/16"), subnet("fd10:10::/64")],
        masquerade: PerFamily { v4: masquerade("169.254.0.0/17"), v6: masquerade("fd69::/112") },
        mtu: Mtu::new(1400).unwrap(),
        patch: PortNumber::new(UPLINK + number),
    }
}

fn pod(name: &str) -> PodFacts {
    PodFacts {
        key: AttachmentKey {
            pod: ObjectName::new("a", name),
            nad: ObjectName::new("a", "red"),
            index: 0,
        },
        network: NetworkName::new("cluster_udn_n1"),
        pod_uid: format!("uid-{name}"),
        sandbox: format!("sandbox-{name}"),
        logical_port: format!("a.red_a_{name}"),
        link: format!("{name}_1"),
        interface: "ovn-udn1".to_owned(),
        namespace: "/run/netns/pod".into(),
        mac: "0a:58:0a:0a:00:03".parse().unwrap(),
        addresses: vec!["10.10.0.3/16".parse().unwrap()],
        gateways: vec![ip("10.10.0.1")],
        routes: vec![Route {
            destination: "172.30.0.0/16".parse().unwrap(),
            next_hop: ip("10.10.0.1"),
        }],
        mtu: Mtu::new(1400).unwrap(),
        is_one_of_several: false,
        is_guarded: true,
        router: None,
        guest: Guest::None,
        bandwidth: Bandwidth::default(),
        lock: None,
    }
}

pub(super) fn plan(networks: &[u16]) -> HostPlan {
    let networks = networks.iter().map(|number| network(*number)).collect();
    HostPlan::of(&HostFacts { node: node(), networks, pods: Vec::new() })
}

/// Checks that the plan of these networks has a flow.
fn check(networks: &[u16], want: &str) {
    let text = plan(networks).bridge.flows.to_string();
    let want = format!("cookie=0xdeff105,{want}");
    assert!(text.lines().any(|line| line == want), "no flow {want} in:\n{text}");
}

#[test]
fn pods_leave_under_the_nodes_address() {
    check(
        &[1],
        "table=0,priority=100,in_port=2,dl_src=02:42:ac:12:00:03,ip,nw_src=169.254.0.11/32,\
         actions=ct(commit,zone=64000,nat(src=172.18.0.3),exec(set_field:0x4->ct_mark)),output:1",
    );
    check(
        &[1, 2],
        "table=0,priority=100,in_port=3,dl_src=02:42:ac:12:00:03,ipv6,ipv6_src=fd69::d/128,\
         actions=ct(commit,zone=64000,nat(src=fd18::3),exec(set_field:0x5->ct_mark)),output:1",
    );
}

#[test]
fn answers_return_by_the_mark_of_the_connection() {
    check(&[1], "table=1,priority=100,ip,ct_state=+trk+est,ct_mark=0x4,actions=output:2");
    check(&[], "table=1,priority=100,ipv6,ct_state=+trk+rel,ct_mark=0x2,actions=LOCAL");
    check(
        &[],
        "table=0,priority=50,in_port=1,dl_dst=02:42:ac:12:00:03,ip,\
         actions=ct(zone=64000,nat,table=1)",
    );
}

#[test]
fn pods_and_services_do_not_leak() {
    check(&[1], "table=0,priority=115,in_port=2,ip,nw_dst=172.30.0.0/16,actions=drop");
    check(&[1], "table=0,priority=103,in_port=2,ipv6,ipv6_src=fd10:10::/64,actions=drop");
    check(&[1], "table=0,priority=9,in_port=2,actions=drop");
}

#[test]
fn tunnels_and_the_host_need_no_network() {
    check(&[], "table=0,priority=200,in_port=LOCAL,udp6,udp_dst=6081,actions=output:1");
    check(&[], "table=0,priority=12,in_port=1,arp,arp_op=1,arp_tpa=172.18.0.3,actions=NORMAL");
    check(&[], "table=0,priority=10,in_port=1,dl_dst=02:42:ac:12:00:03,actions=LOCAL");
    check(&[], "table=0,priority=0,actions=NORMAL");
}

#[test]
fn the_host_hears_neighbours_before_networks_do() {
    check(
        &[2, 1],
        "table=0,priority=11,in_port=1,dl_dst=ff:ff:ff:ff:ff:ff,arp,\
         actions=NORMAL,output:2,output:3",
    );
    check(&[1], "table=1,priority=14,icmp6,icmp_type=136,actions=LOCAL,output:2");
}

#[test]
fn late_networks_are_told_from_memory_or_by_their_own_address() {
    let networks: Vec<u16> = (1..=31).collect();
    let asker = "fe80::42:ac00:1f12:3";
    check(
        &networks,
        "table=0,priority=13,in_port=32,dl_src=02:42:ac:12:00:03,arp,arp_op=1,\
         actions=FLOOD,resubmit(,20),resubmit(,21)",
    );
    check(
        &networks,
        &format!(
            "table=0,priority=13,in_port=32,dl_src=02:42:ac:12:00:03,icmp6,icmp_type=135,\
             actions=set_field:{asker}->ipv6_src,FLOOD"
        ),
    );
    check(
        &networks,
        &format!(
            "table=0,priority=51,in_port=1,dl_dst=02:42:ac:12:00:03,icmp6,icmp_type=136,\
             ipv6_dst={asker}/128,actions=output:32"
        ),
    );
    let text = plan(&networks).bridge.flows.to_string();
    assert!(text.contains(",output:31\n") && !text.contains(",output:31,output:32"), "{text}");
}

#[test]
fn a_network_without_its_port_has_no_flows_yet() {
    let mut waiting = network(2);
    waiting.patch = None;
    let facts = HostFacts { node: node(), networks: vec![network(1), waiting], pods: Vec::new() };
    assert_eq!(HostPlan::of(&facts).bridge, plan(&[1]).bridge);
}

#[test]
fn routes_and_rules_lie_in_the_networks_own_table() {
    let shown = plan(&[1]).to_string();
    for want in [
        "link ovn-k8s-mp1 into cluster_udn_n1 10.10.0.2/16 fd10:10::2/64",
        "rule 2000 IPv4 mark 0x1001 table 4097",
        "rule 2000 IPv6 to fd69::c table 4097",
        "rule 2000 IPv4 from ovn-k8s-mp1 table 4097",
        "route 169.254.0.12/32 on ovn-k8s-mp1 table 4097",
        "route 10.10.0.0/16 on ovn-k8s-mp1 table 4097",
        "route 0.0.0.0/0 via 172.18.0.1 on br-ex table 4097",
        "route ::/0 unreachable table 4097",
    ] {
        assert!(shown.lines().any(|line| line == want), "no {want:?} in:\n{shown}");
    }
}

#[test]
fn the_userspace_switch_needs_checksums_and_a_silent_kernel() {
    let mut facts = HostFacts { node: node(), networks: Vec::new(), pods: vec![pod("p1")] };
    let mut check = |datapath, checksums, silenced: &[&str]| {
        facts.node.datapath = datapath;
        let pod = HostPlan::of(&facts).pods.remove(0);
        assert_eq!(pod.checksums, checksums);
        let paths: Vec<&str> = pod.host_parameters.iter().map(|it| it.path.as_str()).collect();
        assert_eq!(paths, silenced);
    };
    let silenced = ["ipv4/conf/p1_1/arp_ignore", "ipv6/conf/p1_1/disable_ipv6"];
    check(Datapath::Userspace, Checksums::Immediate, &silenced);
    check(Datapath::Kernel, Checksums::Deferred, &[]);
}

#[test]
fn router_advertisements_of_guarded_pods_are_dropped_and_of_others_not() {
    let free =
        PodFacts { is_guarded: false, mac: "0a:58:0a:0a:00:04".parse().unwrap(), ..pod("free") };
    let facts = HostFacts { node: node(), networks: Vec::new(), pods: vec![pod("p1"), free] };
    let plan = HostPlan::of(&facts);
    let shown = plan.to_string();
    assert!(
        shown.starts_with("br-int drops router advertisements of 0a:58:0a:0a:00:03\n"),
        "{shown}"
    );
    assert!(!shown.contains("advertisements of 0a:58:0a:0a:00:04"), "{shown}");
    let bridges: Vec<_> = plan.pods.iter().map(|it| it.guarding_bridge.as_deref()).collect();
    assert_eq!(bridges, [None, Some("br-int")]);
}

#[test]
fn a_pods_gateway_is_its_default_route() {
    let facts = HostFacts { node: node(), networks: Vec::new(), pods: vec![pod("p1")] };
    let shown = HostPlan::of(&facts).to_string();
    let want = "pod a/p1 on a/red: p1_1 to ovn-udn1 in /run/netns/pod 0a:58:0a:0a:00:03 mtu 1400 \
                10.10.0.3/16, 0.0.0.0/0 via 10.10.0.1, 172.30.0.0/16 via 10.10.0.1, \
                checksums at once";
    assert!(shown.lines().any(|line| line == want), "{shown}");
}

/// A switch with the integration bridge and nothing else.
fn empty_switch() -> SimulatedDatabase {
    let mut database = SimulatedDatabase::new(ports::rules());
    let mut sheet = Sheet::new(Owner::new("test"));
    let root = sheet.draw(&OpenVSwitch::default());
    let bridge = Bridge { name: "br-int".to_owned(), ..Bridge::default() };
    sheet.draw_under(&bridge, &root, OpenVSwitch::BRIDGES);
    let plan = database.plan([&sheet]).unwrap();
    database.apply(&plan).unwrap();
    database
}

fn count(database: &SimulatedDatabase, table: &str) -> usize {
    database.rows().table(table).unwrap().len()
}

#[test]
fn ports_stand_once_and_go_with_their_part() {
    let networks = vec![network(1), network(2)];
    let facts = HostFacts { node: node(), networks, pods: vec![pod("p1"), pod("p2")] };
    let mut database = empty_switch();
    let plan = HostPlan::of(&facts);
    let change = database.plan(&plan.ports).unwrap();
    assert!(change.is_complete(), "{change}");
    database.apply(&change).unwrap();
    assert!(database.plan(&plan.ports).unwrap().is_empty());
    assert_eq!((count(&database, "Port"), count(&database, "Interface")), (4, 4));

    let gone = HostPart::Pod(pod("p1").key).empty();
    let change = database.plan([&gone]).unwrap();
    database.apply(&change).unwrap();
    assert_eq!((count(&database, "Port"), count(&database, "Interface")), (3, 3));
    let [_, _, _, second] = plan.ports.as_slice() else { panic!("four parts are drawn") };
    assert!(database.plan([second]).unwrap().is_empty(), "the other pod is untouched");
}

/// Some networks, each at most once, in any order.
fn networks() -> impl Strategy<Value = Vec<u16>> {
    proptest::collection::btree_set(1..200_u16, 0..60)
        .prop_map(|numbers| numbers.into_iter().collect::<Vec<_>>())
        .prop_shuffle()
}

/// Whether a flow is a list of those that hear neighbours.
fn is_hearing(flow: &Flow) -> bool {
    let uplink = Match::From(BridgePort::Number(PortNumber::new(UPLINK).unwrap()));
    let is_announcement = flow.matches.contains(&uplink) && flow.priority == 11;
    is_announcement || (flow.table == Table::Tracked && flow.priority == 14)
}

/// Whether a flow is about one network alone.
fn belongs_to(flow: &Flow, network: &NetworkFacts) -> bool {
    let mark = Match::ConnectionMark(network.id.conntrack_mark());
    let from = network.patch.map(|patch| Match::From(BridgePort::Number(patch)));
    flow.matches.contains(&mark) || from.is_some_and(|from| flow.matches.contains(&from))
}

/// How many steps the switch takes to tell everyone in a list.
fn steps(flow: &Flow) -> usize {
    let cost = |action: &Action| match action {
        Action::Output(_) => 115,
        Action::Normal
        | Action::Flood
        | Action::Commit { .. }
        | Action::Track(_)
        | Action::CommitService { .. }
        | Action::TrackService(_)
        | Action::DestinationMac(_)
        | Action::Remember
        | Action::AnswerFromMemory
        | Action::Answer(_)
        | Action::SourceAddress(_) => 1,
    };
    flow.actions.iter().map(cost).sum()
}

proptest! {
    // soak: draws from PROPTEST_RNG_SEED
    #[test]
    fn the_order_of_facts_does_not_matter(numbers in networks()) {
        let mut ascending = numbers.clone();
        ascending.sort_unstable();
        prop_assert_eq!(plan(&numbers), plan(&ascending));
    }

    // soak: draws from PROPTEST_RNG_SEED
    #[test]
    fn a_removed_network_takes_its_own_flows_and_no_others(numbers in networks()) {
        let Some((gone, rest)) = numbers.split_first() else { return Ok(()) };
        let (before, after) = (plan(&numbers), plan(rest));
        let (gone, kept) = (network(*gone), |flow: &&Flow| !is_hearing(flow));
        let before: Vec<&Flow> = before.bridge.flows.iter().filter(kept).collect();
        let after: Vec<&Flow> = after.bridge.flows.iter().filter(kept).collect();
        // A network that was late may now hear everything; how it asks is its own business.
        let is_question = |flow: &Flow| matches!(flow.priority, 13 | 51);
        for flow in before.iter().filter(|flow| !is_question(flow)) {
            prop_assert_eq!(after.contains(flow), !belongs_to(flow, &gone), "{}", flow);
        }
        prop_assert!(after.iter().all(|flow| before.contains(flow) || is_question(flow)));
        prop_assert!(after.iter().all(|flow| !belongs_to(flow, &gone)));
    }

    // soak: draws from PROPTEST_RNG_SEED
    #[test]
    fn networks_share_neither_links_nor_tables_nor_rules_nor_flows(numbers in networks()) {
        let plan = plan(&numbers);
        let links: BTreeSet<&str> = plan.links.iter().map(|link| link.name.as_str()).collect();
        let tables: BTreeSet<u32> = plan.routing.rules.iter().map(|rule| rule.table).collect();
        let selectors: BTreeSet<(Family, Selector)> =
            plan.routing.rules.iter().map(|it| (it.family, it.selector.clone())).collect();
        prop_assert_eq!((links.len(), tables.len()), (numbers.len(), numbers.len()));
        prop_assert_eq!(selectors.len(), plan.routing.rules.len());
        prop_assert_eq!(plan.routing.rules.len(), 6 * numbers.len());
        let conditions: BTreeSet<_> = plan
            .bridge
            .flows
            .iter()
            .map(|flow| (flow.table, flow.priority, flow.matches.clone()))
            .collect();
        prop_assert_eq!(conditions.len(), plan.bridge.flows.iter().len());
    }
}

#[test]
fn no_list_of_hearers_exhausts_the_switch() {
    let plan = plan(&(1..=500).collect::<Vec<_>>());
    let hearing: Vec<&Flow> = plan.bridge.flows.iter().filter(|flow| is_hearing(flow)).collect();
    assert_eq!(hearing.len(), 4);
    for flow in hearing {
        // OVS gives up after 4,096 steps.
        assert!(steps(flow) < 4096, "{} steps with {EVERYTHING} open ears", steps(flow));
    }
}
