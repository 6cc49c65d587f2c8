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
    let id = |name| ids::primary_id("isolatednet-network-controller", [ids::CLUSTER, name]);
    assert_eq!(port_group(&id(ids::CLUSTER_PORTS)), "a14144725215374227681");
    assert_eq!(port_group(&id(ids::ROUTER_PORTS)), "a9260434276805420823");
}
