//! Networks of which each node has a part, and the one where the host itself is at home.

use super::*;

const SERVICES: &str = "172.30.0.0/16";

/// A layer-3 network in which this node has the second parts.
fn layer3(number: u16) -> NetworkFacts {
    NetworkFacts {
        management_mac: MacAddress::from_ip(ip("10.77.1.2")),
        addresses: PlatformAddresses::on_node(&PerFamily {
            v4: Some(subnet("10.77.1.0/24")),
            v6: Some(subnet("fd77:0:0:1::/64")),
        }),
        ranges: ["10.77.0.0/16", "10.78.0.0/16", "fd77::/48"].map(subnet).into(),
        ..network(number)
    }
}

/// The default network.
fn default_network() -> NetworkFacts {
    NetworkFacts {
        name: NetworkName::new("default"),
        id: NetworkId::DEFAULT,
        management_port: "k8s-node".to_owned(),
        management_mac: MacAddress::from_ip(ip("10.128.2.2")),
        addresses: PlatformAddresses::on_node(&PerFamily {
            v4: Some(subnet("10.128.2.0/23")),
            v6: Some(subnet("fd01:0:0:1::/64")),
        }),
        ranges: ["10.128.0.0/14", "fd01::/48"].map(subnet).into(),
        masquerade: PerFamily::default(),
        mtu: Mtu::new(1400).unwrap(),
        patch: PortNumber::new(100),
    }
}

fn plan_of(gateway_mode: GatewayMode, networks: Vec<NetworkFacts>) -> HostPlan {
    let node = NodeFacts { gateway_mode, ..node() };
    HostPlan::of(&HostFacts { node, networks, pods: Vec::new() })
}

/// Checks that a plan has these lines and no lines of those kinds besides.
fn check(plan: &HostPlan, kinds: &[&str], want: &[&str]) {
    let shown = plan.to_string();
    let is_of = |line: &&str| kinds.iter().any(|kind| line.starts_with(kind));
    let found: Vec<&str> = shown.lines().filter(is_of).collect();
    let (found, want): (BTreeSet<_>, BTreeSet<_>) =
        (found.into_iter().collect(), want.iter().copied().collect());
    assert_eq!(found, want, "{shown}");
}

/// The bridge's flows that hold a text.
fn flows_with(plan: &HostPlan, text: &str) -> Vec<String> {
    let flows = plan.bridge.flows.iter().map(ToString::to_string);
    flows.filter(|flow| flow.contains(text)).collect()
}

#[test]
fn other_nodes_parts_are_behind_the_gateway_of_this_one() {
    let plan = plan_of(GatewayMode::Shared, vec![layer3(1)]);
    check(
        &plan,
        &["link", "rule", "route", "neighbour", "parameter"],
        &[
            "link ovn-k8s-mp1 into cluster_udn_n1 10.77.1.2/24 fd77:0:0:1::2/64",
            "rule 2000 IPv4 mark 0x1001 table 4097",
            "rule 2000 IPv6 mark 0x1001 table 4097",
            "rule 2000 IPv4 to 169.254.0.12 table 4097",
            "rule 2000 IPv6 to fd69::c table 4097",
            "rule 2000 IPv4 from ovn-k8s-mp1 table 4097",
            "rule 2000 IPv6 from ovn-k8s-mp1 table 4097",
            "route 169.254.0.12/32 on ovn-k8s-mp1 table 4097",
            "route fd69::c/128 on ovn-k8s-mp1 table 4097",
            "route 10.77.1.0/24 on ovn-k8s-mp1 table 4097",
            "route fd77:0:0:1::/64 on ovn-k8s-mp1 table 4097",
            "route 10.77.0.0/16 via 10.77.1.1 on ovn-k8s-mp1 table 4097",
            "route 10.78.0.0/16 via 10.77.1.1 on ovn-k8s-mp1 table 4097",
            "route fd77::/48 via fd77:0:0:1::1 on ovn-k8s-mp1 table 4097",
            "route 0.0.0.0/0 via 172.18.0.1 on br-ex table 4097",
            "route ::/0 via fd18::1 on br-ex table 4097",
            "route 0.0.0.0/0 unreachable table 4097",
            "route ::/0 unreachable table 4097",
        ],
    );
    assert!(!plan.routing.owns_main_table, "another plugin's routes look like ours");
}

#[test]
fn the_host_is_at_home_in_the_default_network() {
    let plan = plan_of(GatewayMode::Shared, vec![default_network()]);
    check(
        &plan,
        &["link", "rule", "route", "neighbour", "parameter"],
        &[
            "link ovn-k8s-mp0 into default 10.128.2.2/23 fd01:0:0:1::2/64",
            "route 10.128.2.0/23 on ovn-k8s-mp0",
            "route 10.128.0.0/14 via 10.128.2.1 on ovn-k8s-mp0",
            "route fd01:0:0:1::/64 on ovn-k8s-mp0",
            "route fd01::/48 via fd01:0:0:1::1 on ovn-k8s-mp0",
            "route 169.254.0.4/32 on br-ex",
            "route 172.30.0.0/16 via 169.254.0.4 on br-ex",
            "neighbour 169.254.0.4 0a:58:a9:fe:00:04 on br-ex",
        ],
    );
    assert!(plan.routing.owns_main_table);
    let local = plan_of(GatewayMode::Local, vec![default_network()]);
    check(
        &local,
        &["route 1", "neighbour", "parameter"],
        &[
            "route 10.128.2.0/23 on ovn-k8s-mp0",
            "route 10.128.0.0/14 via 10.128.2.1 on ovn-k8s-mp0",
            "parameter ipv4/conf/br-ex/forwarding 1",
            "parameter ipv6/conf/all/forwarding 1",
        ],
    );
}

#[test]
fn a_node_with_the_whole_range_needs_no_way_to_others() {
    let whole = NetworkFacts { ranges: vec![subnet("10.77.1.0/24")], ..layer3(1) };
    let plan = plan_of(GatewayMode::Shared, vec![whole]);
    let is_to_others = |line: &&str| line.contains("via 10.77.1.1");
    assert_eq!(plan.to_string().lines().find(is_to_others), None);
}

#[test]
fn the_default_networks_port_tells_no_network() {
    let plan = plan_of(GatewayMode::Shared, vec![default_network(), network(1)]);
    let [own, other] = plan.ports.as_slice() else { panic!("two parts are drawn") };
    let (own, other) = (own.to_string(), other.to_string());
    assert!(own.contains("ovn-k8s-mp0") && own.contains("k8s-node"), "{own}");
    assert!(!own.contains("k8s.ovn.org/network"), "{own}");
    assert!(other.contains("k8s.ovn.org/network"), "{other}");
}

#[test]
fn pods_of_the_default_network_leave_as_their_gateway_router_says() {
    let plan = plan_of(GatewayMode::Shared, vec![default_network()]);
    let mac = "02:42:ac:12:00:03";
    for want in [
        format!(
            "table=0,priority=100,in_port=100,dl_src={mac},ip,nw_src=172.18.0.3/32,actions=\
             ct(commit,zone=64000,nat(src=172.18.0.3),exec(set_field:0x1->ct_mark)),output:1"
        ),
        "table=1,priority=100,ip,ct_state=+trk+est,ct_mark=0x1,actions=output:100".to_owned(),
        "table=0,priority=103,in_port=100,ip,nw_src=10.128.0.0/14,actions=drop".to_owned(),
        "table=0,priority=103,in_port=100,ipv6,ipv6_src=fd01::/48,actions=drop".to_owned(),
    ] {
        assert_eq!(flows_with(&plan, &want).len(), 1, "{want}\n{}", plan.bridge.flows);
    }
}

#[test]
fn no_part_of_a_range_leaves_the_node() {
    let plan = plan_of(GatewayMode::Shared, vec![layer3(1)]);
    for range in ["nw_src=10.77.0.0/16", "nw_src=10.78.0.0/16", "ipv6_src=fd77::/48"] {
        let dropped = flows_with(&plan, range);
        assert!(dropped.len() == 1 && dropped[0].ends_with("actions=drop"), "{dropped:?}");
    }
}

#[test]
fn in_local_mode_the_host_forwards_under_its_own_address() {
    let networks = || vec![default_network(), layer3(1), network(2)];
    let commit = "ct(commit,zone=64000,nat(src=172.18.0.3),exec(set_field:0x2->ct_mark)),output:1";
    let from_host = "priority=101,in_port=LOCAL,ip,nw_src=";
    let local = plan_of(GatewayMode::Local, networks());
    for sender in ["10.128.2.0/23", "169.254.0.12/32", "169.254.0.14/32"] {
        let want = format!("{from_host}{sender},actions={commit}");
        assert_eq!(flows_with(&local, &want).len(), 1, "{want}\n{}", local.bridge.flows);
    }
    assert_eq!(flows_with(&local, from_host).len(), 3);
    let shared = plan_of(GatewayMode::Shared, networks());
    assert_eq!(flows_with(&shared, "priority=101").len(), 0, "{}", shared.bridge.flows);
    assert_eq!(shared.parameters, []);
}

#[test]
fn services_of_the_host_are_the_default_networks() {
    let flows = |mode, networks| flows_with(&plan_of(mode, networks), "64001").join("\n");
    let services = flows(GatewayMode::Shared, vec![default_network()]);
    let (mac, dst) = ("02:42:ac:12:00:03", format!("nw_dst={SERVICES}"));
    for want in [
        format!(
            "in_port=LOCAL,ip,{dst},actions=ct(commit,zone=64001,nat(src=169.254.0.2),table=2)"
        ),
        format!(
            "in_port=100,ip,nw_src={SERVICES},nw_dst=169.254.0.2/32,actions=ct(zone=64001,nat,table=3)"
        ),
    ] {
        assert!(services.contains(&want), "no {want} in\n{services}");
    }
    let plan = plan_of(GatewayMode::Shared, vec![default_network()]);
    let to = format!("table=2,priority=100,actions=set_field:{mac}->eth_dst,output:100");
    let from = format!("table=3,priority=100,actions=set_field:{mac}->eth_dst,LOCAL");
    assert_eq!([flows_with(&plan, &to).len(), flows_with(&plan, &from).len()], [1, 1]);
    assert_eq!(flows(GatewayMode::Shared, vec![network(1)]), "", "nobody would answer");
    assert_eq!(flows(GatewayMode::Local, vec![default_network()]), "", "the host routes itself");
}

#[test]
fn a_default_network_without_its_port_has_no_flows_yet() {
    let waiting = NetworkFacts { patch: None, ..default_network() };
    let plan = plan_of(GatewayMode::Shared, vec![waiting]);
    assert_eq!(plan.bridge, plan_of(GatewayMode::Shared, Vec::new()).bridge);
}

proptest! {
    // soak: draws from PROPTEST_RNG_SEED
    #[test]
    fn tenants_change_nothing_of_the_default_network(numbers in networks(), is_local: bool) {
        let mode = if is_local { GatewayMode::Local } else { GatewayMode::Shared };
        let tenants = numbers.iter().map(|number| match number % 2 {
            0 => layer3(*number),
            _ => network(*number),
        });
        let alone = plan_of(mode, vec![default_network()]);
        let among = plan_of(mode, tenants.chain([default_network()]).collect());
        let is_main = |table| table == crate::routing::MAIN_TABLE;
        let routes: BTreeSet<_> =
            among.routing.routes.iter().filter(|it| is_main(it.table)).cloned().collect();
        prop_assert_eq!(routes, alone.routing.routes);
        prop_assert!(among.routing.rules.iter().all(|rule| !is_main(rule.table)));
        let hears = |flow: &&Flow| !is_hearing(flow);
        for flow in alone.bridge.flows.iter().filter(hears) {
            prop_assert!(among.bridge.flows.iter().any(|it| it == flow), "{}", flow);
        }
        prop_assert_eq!(&among.links[0], &alone.links[0]);
    }
}
