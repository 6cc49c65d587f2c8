//! The default network: row by row, and what changes it, one thing at a time.

use udn_model::{GatewayMode, Lock, OpenPort, Part};

use super::{drawn, drawn_of};
use crate::draw;
use crate::example::Example;

/// The description's §2 and §2.1, with the numbers of the nodes here.
const DEFAULT: &str = include_str!("default.txt");

fn has(example: &Example, words: &str, end: &str) -> bool {
    drawn_of(example, words).iter().any(|line| line.contains(end))
}

#[test]
fn the_default_network_is_drawn_as_described() {
    let want: Vec<&str> = DEFAULT.lines().collect();
    assert_eq!(drawn(&Example::default_network()), want);
}

#[test]
fn local_gateways_leave_the_router_as_it_is_and_watch_the_nodes_own_address_alone() {
    let mut example = Example::default_network();
    example.node_mut("n1").addresses =
        ["172.18.0.3/16", "10.99.0.7/24"].map(|text| text.parse().unwrap()).to_vec();
    let watched = |example: &Example| drawn_of(example, "policy").len();
    assert_eq!(watched(&example), 2);
    example.settings.gateway_mode = GatewayMode::Local;
    assert_eq!(watched(&example), 1);
    assert!(!has(&example, "LR ovn_cluster_router", "ct-commit-all"));
    let own = "route in ovn_cluster_router ip_prefix=10.128.0.0/23";
    assert_eq!(drawn_of(&example, own), [format!("{own} nexthop=10.128.0.2 policy=src-ip")]);
}

#[test]
fn services_have_no_routes_on_their_own_network() {
    let mut example = Example::default_network();
    let dns = udn_model::ObjectName::new("kube-system", "kube-dns");
    example.intent.allowed_services.insert(dns, vec!["172.30.0.10".parse().unwrap()]);
    assert!(!drawn(&example).iter().any(|line| line.contains("172.30.")));
    let network = example.intent.networks.values().next().unwrap();
    assert_eq!(crate::services_part(network, &example.zone), None);
}

#[test]
fn packets_of_each_family_leave_with_the_nodes_address() {
    let example = Example::default_dual();
    let nats: Vec<String> = drawn_of(&example, "NAT in GR_n1 ")
        .iter()
        .map(|line| {
            line.replace("NAT in GR_n1 ", "").replace(" options:stateless=false type=snat", "")
        })
        .collect();
    let want = [
        "external_ip=172.18.0.3 logical_ip=10.128.0.0/14",
        "external_ip=172.18.0.3 logical_ip=100.64.0.2",
        "external_ip=fc00:f853::3 logical_ip=fd01::/48",
        "external_ip=fc00:f853::3 logical_ip=fd98::2",
    ];
    assert_eq!(nats, want);
    let all = drawn_of(&example, "NAT");
    assert_eq!(all.len(), want.len(), "none on the cluster router: {all:#?}");
}

#[test]
fn a_locked_port_is_reached_by_its_node_in_each_family() {
    let example = Example::default_dual();
    let matches = |name: &str| {
        let words = format!("k8s.ovn.org/name={name} ");
        let lines = drawn(&example).into_iter().filter(|line| line.contains(&words));
        lines
            .map(|line| {
                line.split("match=").nth(1).unwrap().split(" meter").next().unwrap().to_owned()
            })
            .collect::<Vec<_>>()
    };
    let group = "@a8747502060113802905";
    assert_eq!(
        matches("DenyPrimaryUDN"),
        [format!("inport == {group}"), format!("outport == {group}")]
    );
    assert_eq!(
        matches("AllowHostPrimaryUDN"),
        [format!("outport == {group} && (ip4.src==10.128.0.2 || ip6.src==fd01:0:0:1::2)")]
    );
    let nd = "( nd && nd.target == fd01:0:0:1::2 )";
    assert_eq!(
        matches("AllowHostARPPrimaryUDN"),
        [
            format!("inport == {group} && (( arp && arp.tpa == 10.128.0.2 ) || {nd})"),
            format!("outport == {group} && (( arp && arp.spa == 10.128.0.2 ) || {nd})"),
        ]
    );
    assert_eq!(
        matches("OpenPort-a/p2"),
        [
            "inport == \"a_p2\" && (arp || nd)".to_owned(),
            "outport == \"a_p2\" && (arp || nd || (tcp.dst == 80 || icmp))".to_owned(),
        ]
    );
}

#[test]
fn only_locked_ports_are_in_the_group_and_only_opened_ones_have_rows_of_their_own() {
    let mut example = Example::default_network();
    let of = |example: &Example, pod: &str| {
        let part = Part::Pod(example.network(), example.pod(pod));
        let sheet = draw(&part, &example.input()).value;
        let port = sheet.rows().find(|(key, _)| key.table() == "Logical_Switch_Port").unwrap().1;
        let groups = port.places.iter().filter(|it| it.parent.table() == "Port_Group").count();
        (groups, sheet.len())
    };
    assert_eq!(of(&example, "p1"), (0, 1));
    assert_eq!(of(&example, "p2"), (1, 3));
    example.pod_mut("p2").lock = Some(Lock::default());
    assert_eq!(of(&example, "p2"), (1, 1));
    let open_ports = vec![OpenPort::Udp(53), OpenPort::Sctp(9)];
    example.pod_mut("p2").lock = Some(Lock { open_ports });
    assert!(has(&example, "ACL in a8747502060113802905", "(udp.dst == 53 || sctp.dst == 9)"));
    example.pod_mut("p2").lock = None;
    assert_eq!(of(&example, "p2"), (0, 1));
}
