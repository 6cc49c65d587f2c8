//! What a change touches of a layer-3 network, whose switch is its own node's.

use super::*;

/// The own node and another, with subnets of `net`; and pods on it.
fn cluster() -> Vec<Draft> {
    let subnets = |number: u8| json!({"net": [format!("10.77.{number}.0/24")]});
    vec![
        namespace("a", true),
        node(1).with_subnets(&subnets(1)),
        node(2).with_subnets(&subnets(2)),
        nad("a/net", Some(1), layer3("net", "primary", "10.77.0.0/16/24")),
        pod("a/p1", "n1", "").carrying("a/net", "primary", &["10.77.1.3/24"]),
    ]
}

#[track_caller]
fn check(objects: &[Draft], changes: impl IntoIterator<Item = Change>, want: &[&str]) -> Zone {
    let mut zone = zone_of(objects);
    changes.into_iter().for_each(|change| zone.hear(change));
    assert_eq!(lines(&renew(&mut zone)), want);
    zone
}

#[test]
fn the_own_node_touches_all_of_it_because_pods_hang_on_its_switch() {
    let mut objects = cluster();
    let whole = objects[1].clone();
    objects[1] = whole.clone().without(keys::NODE_GATEWAY);
    let want = ["chassis of other nodes, whole", "network net, whole"];
    check(&objects, [put(whole.clone())], &want);
    objects[1] = whole.clone().without(keys::NODE_ID);
    check(&objects, [put(whole)], &["network net, whole"]);
}

#[test]
fn another_node_touches_its_own_part() {
    let objects = cluster();
    let changed = objects[2].clone().without(keys::NODE_GATEWAY);
    check(&objects, [put(changed)], &["chassis of other nodes, whole", "node n2 of net"]);
}

#[test]
fn services_touch_the_own_nodes_part() {
    let dns = service("kube-system/kube-dns", &["172.30.0.10"]);
    check(&cluster(), [put(dns)], &["node n1 of net"]);
}
