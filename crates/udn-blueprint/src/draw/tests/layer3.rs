//! Layer-3 networks: the worked example row by row, and what changes it, one thing at a time.

use udn_model::{
    Family, GatewayMode, MacAddress, Mtu, NodeName, ObjectName, Part, PerFamily, Role, Subnet, Vlan,
};

use super::{all_drawn, drawn, drawn_of};
use crate::example::{Example, cut, primary, subnet};
use crate::{draw, parts};

/// The description's §1.7, with the numbers of the nodes here.
const NET: &str = include_str!("layer3.txt");
const ROUTER: &str = "in cluster_udn_net_ovn_cluster_router";
const SWITCH: &str = "cluster_udn_net_n1";
const GATEWAY: &str = "GR_cluster_udn_net_n1";

fn net() -> Example {
    Example::layer3(Role::Primary(primary()))
}

fn check(example: &Example, words: &str, want: &[&str]) {
    assert_eq!(drawn_of(example, words), want);
}

fn has(example: &Example, words: &str, end: &str) -> bool {
    drawn_of(example, words).iter().any(|line| line.contains(end))
}

#[test]
fn the_worked_example_is_drawn_as_described() {
    let want: Vec<&str> = NET.lines().collect();
    assert_eq!(drawn(&net()), want);
}

#[test]
fn a_secondary_network_has_no_way_out_and_no_host() {
    let example = Example::layer3(Role::Secondary);
    let tables: Vec<String> = drawn(&example)
        .iter()
        .map(|line| line.split(' ').take(2).collect::<Vec<_>>().join(" "))
        .collect();
    let want = [
        "Gateway_Chassis rtos-cluster_udn_net_n1-c1",
        "LR cluster_udn_net_ovn_cluster_router",
        "LRP cluster_udn_net_rtots-n1",
        "LRP rtos-cluster_udn_net_n1",
        "LS cluster_udn_net_n1",
        "LS cluster_udn_net_transit_switch",
        "LSP a.net_a_p1",
        "LSP cluster_udn_net_tstor-n1",
        "LSP cluster_udn_net_tstor-n2",
        "LSP stor-cluster_udn_net_n1",
        "Load_Balancer_Group cluster_udn_net_clusterLBGroup",
        "Load_Balancer_Group cluster_udn_net_clusterRouterLBGroup",
        "Load_Balancer_Group cluster_udn_net_clusterSwitchLBGroup",
        "route in",
    ];
    assert_eq!(tables, want);
    check(
        &example,
        "route",
        &[&format!(
            "route {ROUTER} external_ids:ic-node=n2 ip_prefix=10.77.2.0/24 nexthop=100.88.0.3"
        )],
    );
    assert!(has(&example, "LS cluster_udn_net_n1", "other_config:exclude_ips=10.77.1.2"));
    let nodes = parts(&example.input()).into_iter().filter(|it| matches!(it, Part::Node(..)));
    assert_eq!(nodes.count(), 2, "the switch and the ports of both nodes");
}

#[test]
fn local_gateways_send_everything_to_the_host() {
    let mut example = net();
    example.settings.gateway_mode = GatewayMode::Local;
    let own = format!("route {ROUTER} ip_prefix=10.77.1.0/24");
    check(&example, &own, &[&format!("{own} nexthop=10.77.1.2 policy=src-ip")]);
    let router = "LR cluster_udn_net_ovn_cluster_router";
    assert!(has(&example, router, "options:ct-commit-all=true"));
    assert!(!has(&net(), router, "ct-commit-all"));
}

#[test]
fn services_of_the_default_network_are_reached_through_the_host() {
    let mut example = Example::layer3_dual();
    let ips = ["172.30.0.10", "fd02::a"].map(|ip| ip.parse().unwrap());
    let dns = ObjectName::new("kube-system", "kube-dns");
    example.intent.allowed_services.insert(dns, ips.to_vec());
    let mark = "external_ids:k8s.ovn.org/udn-enabled-default-service=kube-system/kube-dns";
    let route = format!("route {ROUTER} {mark}");
    let v4 = format!("{route} ip_prefix=172.30.0.10 nexthop=10.77.1.2 policy=dst-ip");
    let v6 = format!("{route} ip_prefix=fd02::a nexthop=fd10:0:0:1::2 policy=dst-ip");
    check(&example, &route, &[&v4, &v6]);
    let backbone = Part::Backbone(example.network());
    let is_drawn_with = |part: &Part| {
        let sheet = draw(part, &example.input()).value;
        sheet.rows().any(|(_, row)| format!("{row:?}").contains("udn-enabled"))
    };
    assert!(!is_drawn_with(&backbone));
    let (zone, network) = (example.zone.clone(), example.intent.networks.values().next().unwrap());
    let part = crate::services_part(network, &zone).unwrap();
    assert!(is_drawn_with(&part), "{part} is what is drawn again when services change");
}

#[test]
fn ipv4_names_the_ports_whatever_was_told_first() {
    let example = Example::layer3_dual();
    check(
        &example,
        "LSP k8s-",
        &["LSP k8s-cluster_udn_net_n1 addresses=0a:58:0a:4d:01:02 10.77.1.2 fd10:0:0:1::2"],
    );
    let gateway = "LRP rtos-cluster_udn_net_n1 mac=0a:58:0a:4d:01:01 \
                   networks=10.77.1.1/24,fd10:0:0:1::1/64 ";
    assert!(has(&example, gateway, ""));
    assert!(has(
        &example,
        "NAT",
        "logical_ip=fd10:0:0:1::/64 logical_port=rtos-cluster_udn_net_n1 match=eth.dst == 0a:58:0a:4d:01:02 "
    ));
}

#[test]
fn a_network_of_ipv6_alone_is_named_after_ipv6() {
    let mut example = net();
    example.settings.families = [Family::V6].into();
    example.intent.attachments.clear();
    example.layer3_mut().subnets = vec![cut("fd10::/48", 64)];
    let name = example.network();
    example.cut(&name, "n1", &["fd10:0:0:1::/64"]);
    example.cut(&name, "n2", &["fd10:0:0:2::/64"]);
    let mac = |ip: &str| MacAddress::from_ip(ip.parse().unwrap());
    let gateway =
        format!("LRP rtos-{SWITCH} mac={} networks=fd10:0:0:1::1/64 ", mac("fd10:0:0:1::1"));
    assert!(has(&example, &gateway, ""));
    let join = format!("LRP rtoj-{GATEWAY} mac={} networks=fd99::2/64 ", mac("fd99::2"));
    assert!(has(&example, &join, ""));
    assert!(!drawn(&example).iter().any(|line| line.contains("10.77.")));
}

#[test]
fn routers_have_the_clusters_families_and_switches_the_networks() {
    let mut example = net();
    example.settings.families.extend(Family::BOTH);
    let links = ["LRP rtoj-cluster_udn_net_ovn_cluster_router", "LRP cluster_udn_net_rtots-n1"];
    assert!(has(&example, links[0], "networks=100.65.0.1/16,fd99::1/64"));
    assert!(has(&example, links[1], "networks=100.88.0.2/16,fd97::2/64"));
    let other = "LSP cluster_udn_net_tstor-n2 addresses=0a:58:64:58:00:03 100.88.0.3/16 fd97::3/64";
    assert!(has(&example, other, ""));
    assert!(has(&example, &format!("route {ROUTER} external_ids:ic-node=n2"), "fd99::3/128"));
    assert!(has(&example, &format!("NAT in {GATEWAY}"), "logical_ip=fd99::2 "));
    assert!(!has(&example, "policy", "ip6"));
    assert!(!has(&example, &format!("LRP rtos-{SWITCH}"), "fd"));
}

#[test]
fn an_appended_range_reaches_the_gateway_router_at_once() {
    let mut example = net();
    example.layer3_mut().subnets.push(cut("10.80.0.0/16", 24));
    let routes = format!("route in {GATEWAY} ip_prefix=10.80.0.0/16");
    check(&example, &routes, &[&format!("{routes} nexthop=100.65.0.1")]);
    assert!(has(&example, &format!("NAT in {GATEWAY}"), "logical_ip=10.80.0.0/16 "));
    assert!(has(&example, &format!("NAT in {GATEWAY}"), "logical_ip=10.77.0.0/16 "));
}

#[test]
fn sizes_tags_and_ports_follow_the_network_and_the_node() {
    let mut example = net();
    example.network_mut().mtu = Mtu::new(9000);
    let gateway = example.node_mut("n1").gateway.as_mut().unwrap();
    gateway.vlan = Vlan::new(100);
    gateway.serves_node_ports = false;
    example.settings.ephemeral_ports =
        Some(udn_model::settings::PortRange { first: 32768, last: 60999 });
    assert!(has(&example, &format!("LRP rtos-{SWITCH}"), "options:gateway_mtu=9000"));
    assert!(has(&example, &format!("LRP rtoj-{GATEWAY}"), "options:gateway_mtu=9000"));
    assert!(has(&example, "LSP br-ex_", "tag_request=100"));
    assert!(has(&example, "LR GR_", "load_balancer_group=cluster_udn_net_clusterLBGroup options:"));
    let nats = drawn_of(&example, "NAT");
    assert!(nats.iter().all(|line| line.contains("external_port_range=32768-60999")), "{nats:#?}");
}

#[test]
fn every_address_of_the_own_node_is_reached_through_the_host() {
    let mut example = net();
    example.node_mut("n1").addresses =
        ["10.99.0.7/24", "169.254.0.2/17"].map(|text| text.parse().unwrap()).to_vec();
    let ips: Vec<String> = drawn_of(&example, "policy")
        .iter()
        .map(|line| line.split("ip4.dst == ").nth(1).unwrap().split(' ').next().unwrap().to_owned())
        .collect();
    assert_eq!(ips, ["10.99.0.7", "169.254.0.11", "172.18.0.3"]);
}

#[test]
fn nothing_of_another_nodes_pods_is_drawn() {
    assert!(!drawn(&net()).iter().any(|line| line.contains("a_p2") || line.contains("10.77.2.3")));
}

#[test]
fn a_node_with_one_family_has_what_it_has() {
    let mut example = Example::layer3_dual();
    let name = example.network();
    example.cut(&name, "n2", &["10.77.2.0/24"]);
    let route = format!("route {ROUTER} external_ids:ic-node=n2");
    let of_subnets: Vec<String> =
        drawn_of(&example, &route).into_iter().filter(|it| !it.contains("100.65.")).collect();
    assert_eq!(of_subnets.len(), 2, "{of_subnets:#?}");
    let own: PerFamily<Subnet> = PerFamily { v4: None, v6: Some(subnet("fd10:0:0:1::/64")) };
    let subnets = example.grants.node_subnets.get_mut(&name).unwrap();
    subnets.insert(NodeName::new("n1"), own);
    assert!(has(&example, &format!("LRP rtos-{SWITCH}"), "networks=fd10:0:0:1::1/64 "));
}

#[test]
fn the_nodes_own_switch_is_guarded_save_for_router_and_host() {
    let example = net();
    let others = format!("inport == {{\"stor-{SWITCH}\", \"k8s-{SWITCH}\"}} && (");
    let guard: Vec<String> =
        all_drawn(&example).into_iter().filter(|it| it.contains("RouterGuard")).collect();
    assert_eq!(guard.len(), 7, "{guard:#?}");
    assert!(guard.iter().all(|it| it.starts_with(&format!("ACL in {SWITCH} "))), "{guard:#?}");
    let passed: Vec<&String> = guard.iter().filter(|it| it.contains("action=pass")).collect();
    assert!(passed.len() == 1 && passed[0].contains(&others), "{passed:#?}");
}
