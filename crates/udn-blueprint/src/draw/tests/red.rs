//! The worked example, row by row, and each line of the register by the rows that show it.

use super::{drawn, drawn_of};
use crate::example::Example;

/// The description's §5.4: CUDN `red` seen from node `n1`, in shared gateway mode.
const RED: &str = include_str!("red.txt");
const SWITCH: &str = "cluster_udn_red_ovn_layer2_switch";
const TRANSIT: &str = "cluster_udn_red_transit_router";
const GATEWAY: &str = "GR_cluster_udn_red_n1";

fn check(words: &str, want: &[String]) {
    assert_eq!(drawn_of(&Example::red(), words), want);
}

#[test]
fn the_worked_example_is_drawn_as_described() {
    let want: Vec<&str> = RED.lines().collect();
    assert_eq!(drawn(&Example::red()), want);
}

// proves: T-03
#[test]
fn one_transit_router_joins_the_switch_and_the_gateway_routers() {
    check(
        "LR cluster",
        &[format!(
            "LR {TRANSIT} copp=ovnkube-default external_ids:k8s-cluster-router=yes \
             options:requested-tnl-key=16715779"
        )],
    );
    check(
        "LSP stotr-",
        &[format!(
            "LSP stotr-{SWITCH} addresses=router options:router-port=trtos-{SWITCH} type=router"
        )],
    );
    let ends = |end: &str, peer: &str| {
        let lines = drawn_of(&Example::red(), &format!("LRP {end}-{GATEWAY} "));
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert!(lines[0].ends_with(&format!(" peer={peer}-{GATEWAY}")), "{lines:?}");
    };
    ends("trtor", "rtotr");
    ends("rtotr", "trtor");
    let switches = drawn_of(&Example::red(), "LS ");
    assert_eq!(
        switches.len(),
        2,
        "the network's and the external one, no join switch: {switches:?}"
    );
}

// proves: T-05
#[test]
fn the_gateway_router_has_its_join_address_and_the_mac_that_follows_from_it() {
    check(
        "LRP rtotr-",
        &[format!(
            "LRP rtotr-{GATEWAY} mac=0a:58:64:41:00:02 networks=100.65.0.2/16,100.88.0.5/31 \
             options:gateway_mtu=1400 peer=trtor-{GATEWAY}"
        )],
    );
}

// proves: T-06
#[test]
fn the_other_nodes_transit_port_has_a_key_of_its_own_and_its_chassis() {
    check(
        "LRP trtor-GR_cluster_udn_red_n2",
        &["LRP trtor-GR_cluster_udn_red_n2 external_ids:k8s.ovn.org/node=n2 mac=0a:58:64:58:00:06 \
           networks=100.88.0.6/31 options:requested-chassis=c2 options:requested-tnl-key=13"
            .to_owned()],
    );
}

// proves: T-07
#[test]
fn the_router_port_at_the_switch_is_a_port_of_the_own_chassis() {
    check(
        "Gateway_Chassis",
        &[format!("Gateway_Chassis trtos-{SWITCH}-c1 chassis_name=c1 priority=1")],
    );
}

// proves: T-10
#[test]
fn only_the_management_ports_nat_is_on_the_transit_router() {
    let plain = "options:stateless=false type=snat";
    let own = |logical: &str| {
        format!("NAT in {GATEWAY} external_ip=169.254.0.11 logical_ip={logical} {plain}")
    };
    check(
        "NAT",
        &[
            own("10.10.0.0/16"),
            own("100.65.0.2"),
            format!(
                "NAT in {TRANSIT} external_ip=169.254.0.12 logical_ip=10.10.0.0/16 \
                 logical_port=trtos-{SWITCH} match=eth.dst == 0a:58:0a:0a:00:02 {plain}"
            ),
        ],
    );
}

// proves: T-11
#[test]
fn the_transit_router_knows_services_join_addresses_and_the_own_subnet() {
    let mut example = Example::red();
    let dns = udn_model::ObjectName::new("kube-system", "kube-dns");
    example.intent.allowed_services.insert(dns, vec!["172.30.0.10".parse().unwrap()]);
    let route = |rest: &str| format!("route in {TRANSIT} {rest}");
    let want = [
        route("external_ids:k8s.ovn.org/node=n2 ip_prefix=100.65.0.3 nexthop=100.88.0.7"),
        route(
            "external_ids:k8s.ovn.org/udn-enabled-default-service=kube-system/kube-dns \
             ip_prefix=172.30.0.10 nexthop=10.10.0.2 policy=dst-ip",
        ),
        route("ip_prefix=10.10.0.0/16 nexthop=100.88.0.5 policy=src-ip"),
        route("ip_prefix=100.65.0.2 nexthop=100.88.0.5"),
    ];
    assert_eq!(drawn_of(&example, &format!("route in {TRANSIT}")), want);
}

// proves: T-12 half: the EgressIP rules
#[test]
fn pods_packets_for_their_node_go_to_the_host() {
    check(
        "policy",
        &[format!(
            "policy in {TRANSIT} action=reroute match=inport == \"trtos-{SWITCH}\" && ip4.dst == \
             172.18.0.3 /* {SWITCH} */ nexthops=10.10.0.2 priority=1004"
        )],
    );
}

// proves: T-13
#[test]
fn the_gateway_router_knows_the_subnet_the_masquerade_range_and_the_way_out() {
    let route =
        |rest: &str, port: &str| format!("route in {GATEWAY} {rest} output_port={port}-{GATEWAY}");
    check(
        &format!("route in {GATEWAY}"),
        &[
            route("ip_prefix=0.0.0.0/0 nexthop=172.18.0.1", "rtoe"),
            route("ip_prefix=10.10.0.0/16 nexthop=100.88.0.4", "rtotr"),
            route("ip_prefix=169.254.0.0/17 nexthop=169.254.0.4", "rtoe"),
        ],
    );
}
