//! What changes a drawing, one thing at a time.

use udn_model::{
    Family, GatewayMode, MacAddress, Mtu, NetworkName, NodeName, ObjectName, Part, Subnets, Vlan,
};

use super::{draw, drawn, drawn_of, line};
use crate::example::{Example, subnet};
use crate::{parts, parts_of};

const TRANSIT: &str = "in cluster_udn_red_transit_router";
const SWITCH: &str = "cluster_udn_red_ovn_layer2_switch";

fn check(example: &Example, words: &str, want: &[&str]) {
    assert_eq!(drawn_of(example, words), want);
}

fn has(example: &Example, words: &str, end: &str) -> bool {
    drawn_of(example, words).iter().any(|line| line.contains(end))
}

// proves: T-11
#[test]
fn local_gateways_send_everything_to_the_host() {
    let mut example = Example::red();
    let services = &mut example.intent.allowed_services;
    services.insert(ObjectName::new("default", "kubernetes"), vec!["172.30.0.1".parse().unwrap()]);
    example.settings.gateway_mode = GatewayMode::Local;
    check(
        &example,
        &format!("route {TRANSIT}"),
        &[
            &format!(
                "route {TRANSIT} external_ids:k8s.ovn.org/node=n2 ip_prefix=100.65.0.3 nexthop=100.88.0.7"
            ),
            &format!("route {TRANSIT} ip_prefix=10.10.0.0/16 nexthop=10.10.0.2 policy=src-ip"),
            &format!("route {TRANSIT} ip_prefix=100.65.0.2 nexthop=100.88.0.5"),
        ],
    );
    assert!(has(&example, "LR cluster_udn_red_transit_router", "options:ct-commit-all=true"));
}

// proves: T-11
#[test]
fn every_address_of_an_allowed_service_has_a_route_in_the_networks_families() {
    let mut example = Example::red_dual();
    let ips = ["172.30.0.10", "fd02::a"].map(|ip| ip.parse().unwrap());
    let dns = ObjectName::new("kube-system", "kube-dns");
    example.intent.allowed_services.insert(dns, ips.to_vec());
    let mark = "external_ids:k8s.ovn.org/udn-enabled-default-service=kube-system/kube-dns";
    let v4 =
        format!("route {TRANSIT} {mark} ip_prefix=172.30.0.10 nexthop=10.10.0.2 policy=dst-ip");
    let v6 = format!("route {TRANSIT} {mark} ip_prefix=fd02::a nexthop=fd10::2 policy=dst-ip");
    check(&example, &format!("route {TRANSIT} {mark}"), &[&v4, &v6]);

    let services = example.intent.allowed_services;
    let mut single = Example::red();
    single.intent.allowed_services = services;
    check(&single, &format!("route {TRANSIT} {mark}"), &[&v4]);
}

// proves: T-12 half: the EgressIP rules
#[test]
fn every_address_of_the_own_node_is_reached_through_the_host() {
    let mut example = Example::red_dual();
    let more = ["172.18.0.3/16", "10.99.0.7/24", "169.254.0.2/17", "fe80::1/64", "fd99:1::7/64"];
    example.node_mut("n1").addresses = more.map(|text| text.parse().unwrap()).to_vec();
    let policy = |field: &str, ip: &str, to: &str| {
        format!(
            "policy {TRANSIT} action=reroute match=inport == \"trtos-{SWITCH}\" && {field} == {ip} \
             /* {SWITCH} */ nexthops={to} priority=1004"
        )
    };
    let want = [
        policy("ip4.dst", "10.99.0.7", "10.10.0.2"),
        policy("ip4.dst", "172.18.0.3", "10.10.0.2"),
        policy("ip6.dst", "fc00:f853::3", "fd10::2"),
        policy("ip6.dst", "fd99:1::7", "fd10::2"),
    ];
    check(&example, "policy", &want.each_ref().map(String::as_str));
}

#[test]
fn a_networks_own_mtu_is_told_to_routers_and_guests() {
    let mut example = Example::red_dual();
    example.network_mut().mtu = Mtu::new(9000);
    let gateway = format!("LRP trtos-{SWITCH}");
    assert!(has(&example, &gateway, "options:gateway_mtu=9000"));
    assert!(has(&example, &gateway, "ipv6_ra_configs:mtu=9000"));
    assert!(has(&example, "LRP rtotr-GR_cluster_udn_red_n1", "options:gateway_mtu=9000"));
}

#[test]
fn only_networks_with_ipv6_advertise() {
    let gateway = format!("LRP trtos-{SWITCH}");
    assert!(has(&Example::red_dual(), &gateway, "ipv6_ra_configs:address_mode=dhcpv6_stateful"));
    assert!(!has(&Example::red(), &gateway, "ipv6_ra_configs"));
}

#[test]
fn the_gateways_tag_and_node_ports_follow_the_node() {
    let mut example = Example::red();
    let gateway = example.node_mut("n1").gateway.as_mut().unwrap();
    gateway.vlan = Vlan::new(7);
    gateway.serves_node_ports = false;
    assert!(has(&example, "LSP br-ex_", "tag_request=7"));
    let groups = "load_balancer_group=cluster_udn_red_clusterLBGroup options:";
    assert!(has(&example, "LR GR_", groups));
}

#[test]
fn every_next_hop_is_a_default_route() {
    let mut example = Example::red();
    let gateway = example.node_mut("n1").gateway.as_mut().unwrap();
    gateway.next_hops.push("172.18.0.254".parse().unwrap());
    let routes = drawn_of(&example, "route in GR_cluster_udn_red_n1 ip_prefix=0.0.0.0/0");
    assert_eq!(routes.len(), 2);
}

// proves: T-05
#[test]
fn gateway_routers_have_the_clusters_families_and_transit_links_the_networks() {
    let mut example = Example::red();
    example.settings.families.extend(Family::BOTH);
    let router = "GR_cluster_udn_red_n1";
    check(
        &example,
        &format!("LRP rtotr-{router}"),
        &[&format!(
            "LRP rtotr-{router} mac=0a:58:64:41:00:02 networks=100.65.0.2/16,100.88.0.5/31,fd99::2/64 \
             options:gateway_mtu=1400 peer=trtor-{router}"
        )],
    );
    assert!(has(&example, "LR GR_", "options:lb_force_snat_ip=100.65.0.2 fd99::2 "));
    assert!(has(&example, "LR GR_", "physical_ips=172.18.0.3,169.254.0.11,fd69::b "));
    assert!(has(&example, "NAT in GR_", "external_ip=fd69::b logical_ip=fd99::2 "));
    assert!(has(&example, "route in GR_", "ip_prefix=fd69::/112 nexthop=fd69::4 "));
    assert!(has(&example, &format!("LRP trtor-{router}"), "networks=100.88.0.4/31 "));
    assert!(!has(&example, &format!("route {TRANSIT}"), "fd99::2"));
}

#[test]
fn ipv6_listed_first_names_the_management_port_but_not_the_gateway() {
    let mut example = Example::red_dual();
    let subnets = ["fd10::/64", "10.10.0.0/16"].map(subnet);
    example.network_mut().subnets = Subnets::new(subnets.to_vec()).unwrap();
    let mac = MacAddress::from_ip("fd10::2".parse().unwrap());
    check(
        &example,
        "LSP k8s-",
        &[&format!("LSP k8s-cluster_udn_red_n1 addresses={mac} fd10::2 10.10.0.2")],
    );
    assert!(has(&example, &format!("LRP trtos-{SWITCH}"), "mac=0a:58:0a:0a:00:01 "));
}

// proves: T-06
#[test]
fn every_other_node_has_a_port_with_its_own_key_on_its_chassis() {
    let mut example = Example::red();
    let mut third = example.node_mut("n2").clone();
    third.name = NodeName::new("n3");
    third.chassis = Some(udn_model::ChassisName::new("c3"));
    example.grants.nodes.insert(third.name.clone(), udn_model::NodeId::new(4999).unwrap());
    example.intent.nodes.insert(third.name.clone(), third);
    check(
        &example,
        "LRP trtor-GR_cluster_udn_red_n3",
        &[
            "LRP trtor-GR_cluster_udn_red_n3 external_ids:k8s.ovn.org/node=n3 mac=0a:58:64:58:27:0e \
           networks=100.88.39.14/31 options:requested-chassis=c3 options:requested-tnl-key=5009",
        ],
    );
    let keys = drawn_of(&example, "LRP trtor-");
    let keys: Vec<&str> = keys.iter().filter_map(|line| line.split("tnl-key=").nth(1)).collect();
    assert_eq!(keys, ["12 peer=rtotr-GR_cluster_udn_red_n1", "13", "5009"]);
}

#[test]
fn a_localnet_has_ports_for_the_own_nodes_pods_alone() {
    let example = Example::localnet();
    let mac = MacAddress::from_text("uid-p1");
    let want = [
        "LS cluster_udn_blue_ovn_localnet_switch external_ids:k8s.ovn.org/role=secondary"
            .to_owned(),
        format!(
            "LSP a.blue_a_p1 addresses={mac} external_ids:k8s.ovn.org/nad=a/blue \
             external_ids:namespace=a external_ids:pod=true options:iface-id-ver=uid-p1 \
             options:requested-chassis=c1 port_security={mac}"
        ),
        "LSP cluster_udn_blue_ovn_localnet_port addresses=unknown options:network_name=tenant \
         type=localnet"
            .to_owned(),
    ];
    assert_eq!(drawn(&example), want);
    assert!(!parts(&example.input()).contains(&Part::Zone));
}

#[test]
fn protection_is_one_band_for_all_meters() {
    let example = Example::red();
    let sheet = draw(&Part::Zone, &example.input()).value;
    let (key, band) = sheet.rows().find(|(key, _)| key.table() == "Meter_Band").unwrap();
    assert_eq!(band.places.len(), 9, "{}", line(key, band));
    assert_eq!(sheet.len(), 11);
}

#[test]
fn what_is_gone_or_has_no_numbers_has_an_empty_sheet() {
    let example = Example::red();
    let parts = parts_of(&example.input(), &example.network());
    let mut ungranted = example.clone();
    ungranted.grants.networks.clear();
    let mut gone = example.clone();
    gone.intent.networks.clear();
    for part in &parts {
        assert!(!draw(part, &example.input()).value.is_empty(), "{part}");
        assert!(draw(part, &ungranted.input()).value.is_empty(), "{part}");
        assert!(draw(part, &gone.input()).value.is_empty(), "{part}");
    }
    assert!(parts_of(&gone.input(), &NetworkName::new("cluster_udn_red")).is_empty());
}

#[test]
fn a_pod_waits_for_its_key_and_its_nodes_chassis() {
    let mut example = Example::red();
    let name = example.network();
    let grants = example.grants.attachments.get_mut(&name).unwrap();
    grants.values_mut().next().unwrap().port_key = None;
    example.node_mut("n2").chassis = None;
    assert_eq!(drawn_of(&example, "LSP a.red"), [""; 0]);
}
