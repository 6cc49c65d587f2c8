use udn_model::ObjectName;

use super::*;

fn prefix(network: &str) -> Prefix {
    Prefix::of(&NetworkName::new(network))
}

#[test]
fn prefixes_have_dots_for_dashes_and_slashes() {
    assert_eq!(prefix("cluster_udn_red").as_str(), "cluster_udn_red_");
    assert_eq!(prefix("my-ns_net-a").as_str(), "my.ns_net.a_");
    assert_eq!(prefix("made/by-hand").as_str(), "made.by.hand_");
}

#[test]
fn pods_and_nodes_keep_their_dashes() {
    let red = prefix("cluster_udn_red");
    let node = NodeName::new("node-1");
    assert_eq!(management_port(&red, &node), "k8s-cluster_udn_red_node-1");
    assert_eq!(gateway_to_external(&red, &node), "rtoe-GR_cluster_udn_red_node-1");
    assert_eq!(bridge_port("br-ex", &red, &node), "br-ex_cluster_udn_red_node-1");
}

#[test]
fn a_later_attachment_to_the_same_nad_has_its_number_in_the_port() {
    let key = |index| AttachmentKey {
        pod: ObjectName::new("a", "pod-1"),
        nad: ObjectName::new("a", "red-net"),
        index,
    };
    assert_eq!(pod_port(&key(0)), "a.red.net_a_pod-1");
    assert_eq!(pod_port(&key(1)), "a.red.net.1_a_pod-1");
}

#[test]
fn port_groups_are_named_by_the_hash_of_their_primary_id() {
    let id = |name| ids::primary_id("isolatednet-network-controller", ids::CLUSTER, &[name]);
    assert_eq!(port_group(&id(ids::CLUSTER_PORTS)), "a14144725215374227681");
    assert_eq!(port_group(&id(ids::ROUTER_PORTS)), "a9260434276805420823");
}

#[test]
fn the_default_network_has_no_prefix() {
    let (none, node) = (prefix("default"), NodeName::new("node-1"));
    assert!(none.is_none() && none == Prefix::none());
    assert_eq!(node_switch(&none, &node), "node-1");
    assert_eq!(cluster_router(&none), "ovn_cluster_router");
    assert_eq!([join_switch(&none), transit_switch(&none)], ["join", "transit_switch"]);
    assert_eq!(gateway_to_external(&none, &node), "rtoe-GR_node-1");
    assert_eq!(bridge_port("br-ex", &none, &node), "br-ex_node-1");
    assert_eq!(controller(&NetworkName::new("default")), "default-network-controller");
    let pod = AttachmentKey::on_default_network(ObjectName::new("my-ns", "pod-1"));
    assert_eq!(pod_port(&pod), "my-ns_pod-1");
}

#[test]
fn ports_at_the_transit_switch_begin_with_the_prefix_and_all_others_do_not() {
    let (net, node) = (prefix("my-ns_net"), NodeName::new("n1"));
    assert_eq!(cluster_to_transit(&net, &node), "my.ns_net_rtots-n1");
    assert_eq!(transit_to_cluster(&net, &node), "my.ns_net_tstor-n1");
    assert_eq!(router_to_switch(&net, &node), "rtos-my.ns_net_n1");
    assert_eq!(switch_to_router(&net, &node), "stor-my.ns_net_n1");
    assert_eq!(cluster_to_join(&net), "rtoj-my.ns_net_ovn_cluster_router");
    assert_eq!(join_to_cluster(&net), "jtor-my.ns_net_ovn_cluster_router");
    assert_eq!(gateway_to_join(&net, &node), "rtoj-GR_my.ns_net_n1");
    assert_eq!(join_to_gateway(&net, &node), "jtor-GR_my.ns_net_n1");
}

#[test]
fn the_group_of_locked_ports_has_the_name_that_the_wire_knows() {
    let id = ids::primary_id("default-network-controller", ids::ISOLATION, &[ids::LOCKED_PORTS]);
    assert_eq!(port_group(&id), "a8747502060113802905");
}
