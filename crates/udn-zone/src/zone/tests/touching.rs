//! One change each, told to a zone that knows a whole cluster.

use super::*;

/// What all other nodes and the zone itself have because of one node.
const NODE_3: [&str; 3] = ["chassis of other nodes, whole", "node n3 of blue", "node n3 of red"];

#[test]
fn a_cluster_is_in_order_and_has_four_networks() {
    let zone = check([], &[]);
    assert_eq!(told(&zone), [""; 0]);
    assert_eq!(zone.intent().networks.len(), 4);
}

#[test]
fn a_pod_touches_its_port_alone() {
    let p3 = pod("a/p3", "n1", "").addressed("a/red", "primary", 9);
    check([put(p3.clone())], &["pod a/p3 on a/red of red"]);
    let p3 = p3.without(keys::POD_NETWORKS);
    // Its backbone asks for nothing; that it has no addresses is told of the port.
    check([put(p3)], &["pod a/p3 on a/red of red"]);
    check([removed(Kind::Pod, "a/p1")], &["pod a/p1 on a/red of red"]);
    let p1 = pod("a/p1", "n1", "").addressed("a/red", "primary", 200);
    check([put(p1)], &["pod a/p1 on a/red of red"]);
}

#[test]
fn a_pod_with_two_networks_touches_a_port_of_each() {
    let p3 = pod("a/p3", "n1", "c/flat").addressed("a/red", "primary", 9);
    let p3 = p3.addressed("c/flat", "secondary", 10);
    check([put(p3)], &["pod a/p3 on c/flat of flat", "pod a/p3 on a/red of red"]);
}

#[test]
fn a_pod_elsewhere_touches_nothing_before_it_has_addresses() {
    check([put(pod("a/p3", "n2", ""))], &[]);
    let only_default = json!({"default": {"ip_addresses": ["10.128.0.9/24"],
        "mac_address": "0a:58:0a:80:00:09", "role": "infrastructure-locked"}});
    let p3 = pod("a/p3", "n2", "").annotated(keys::POD_NETWORKS, &only_default.to_string());
    check([put(p3.clone())], &[]);
    check([put(p3.addressed("a/red", "primary", 9))], &["pod a/p3 on a/red of red"]);
}

#[test]
fn a_pod_that_ends_touches_its_port() {
    let mut ended = pod("a/p1", "n1", "").addressed("a/red", "primary", 5);
    ended.object["status"]["phase"] = "Succeeded".into();
    check([put(ended)], &["pod a/p1 on a/red of red"]);
}

#[test]
fn a_pod_that_moves_touches_its_port_once() {
    let p1 = pod("a/p1", "n2", "").addressed("a/red", "primary", 5);
    check([put(p1)], &["pod a/p1 on a/red of red"]);
}

#[test]
fn a_node_touches_its_part_of_each_primary_network() {
    check([put(node(3))], &NODE_3);
    let second = ["chassis of other nodes, whole", "node n2 of blue", "node n2 of red"];
    check([put(node(2).annotated(keys::NODE_HOST_CIDRS, "[\"10.1.1.1/24\"]"))], &second);
}

#[test]
fn the_chassis_of_a_node_touches_the_ports_of_its_pods() {
    let moved = node(2).annotated(keys::NODE_CHASSIS, "another");
    check(
        [put(moved)],
        &[
            "chassis of other nodes, whole",
            "node n2 of blue",
            "node n2 of red",
            "pod a/p2 on a/red of red",
            "pod c/q2 on c/wire of wire",
        ],
    );
    check(
        [put(node(1).annotated(keys::NODE_CHASSIS, "another"))],
        &[
            "chassis of other nodes, whole",
            "backbone of blue",
            "node n1 of blue",
            "pod c/q1 on c/flat of flat",
            "backbone of red",
            "node n1 of red",
            "pod a/p1 on a/red of red",
        ],
    );
}

#[test]
fn a_node_that_goes_touches_the_ports_of_the_pods_that_are_left_on_it() {
    let zone = check(
        [removed(Kind::Node, "n2")],
        &[
            "chassis of other nodes, whole",
            "node n2 of blue",
            "node n2 of red",
            "pod a/p2 on a/red of red",
            "pod c/q2 on c/wire of wire",
        ],
    );
    assert_eq!(
        told(&zone),
        [
            "pod a/p2: NotScheduled: spec.nodeName: node n2 does not exist; add it or let the pod go \
             elsewhere",
            "pod c/q2: NotScheduled: spec.nodeName: node n2 does not exist; add it or let the pod go \
             elsewhere"
        ]
    );
}

#[test]
fn the_id_of_a_node_touches_also_the_node_that_wanted_the_same() {
    let rival = node(3).annotated(keys::NODE_ID, "3");
    let mut zone = check([put(rival)], &NODE_3);
    let taken = "node n3: AlreadyTaken: node id 3 is held by n2 too; remove it from the annotations \
                 of n3 so that a free one is granted";
    assert_eq!(told(&zone), [taken]);
    zone.hear(removed(Kind::Node, "n2"));
    let want = [
        "chassis of other nodes, whole",
        "node n2 of blue",
        "node n3 of blue",
        "node n2 of red",
        "node n3 of red",
        "pod a/p2 on a/red of red",
        "pod c/q2 on c/wire of wire",
    ];
    assert_eq!(lines(&renew(&mut zone)), want);
}

#[test]
fn the_label_of_a_namespace_touches_its_primary_network_and_its_pods() {
    let zone =
        check([put(namespace("a", false))], &["what networks share, whole", "network red, whole"]);
    let reason = "NetworkAttachmentDefinition a/red: NamespaceNotLabelled: metadata.namespace: a \
                  primary network needs namespaces with the label \
                  k8s.ovn.org/primary-user-defined-network, which can be given only when a \
                  namespace is made; without it: a";
    assert_eq!(told(&zone), [reason]);
    // Secondary networks ask for no label.
    check([put(namespace("c", true))], &[]);
}

#[test]
fn a_nad_touches_its_network_alone() {
    let other = primary("red", "10.20.0.0/16,fd20::/64");
    let want = ["what networks share, whole", "network red, whole"];
    check([put(nad("a/red", Some(1), other))], &want);
    check([put(nad("a/red", None, primary("red", TWO_FAMILIES)))], &want);
    check([removed(Kind::Nad, "a/red")], &want);
    let green = nad("c/green", Some(9), secondary("green", TWO_FAMILIES));
    check([put(green)], &["what networks share, whole", "network green, whole"]);
}

#[test]
fn a_localnet_shares_nothing() {
    let objects = [node(1), nad("c/wire", Some(4), localnet("wire", 7))];
    let mut zone = zone_of(&objects);
    zone.hear(put(nad("c/wire", Some(4), localnet("wire", 8))));
    assert_eq!(lines(&renew(&mut zone)), ["network wire, whole"]);
}

#[test]
fn a_service_touches_the_backbones_of_primary_networks() {
    let want = ["backbone of blue", "backbone of red"];
    check([put(service("kube-system/kube-dns", &["172.30.0.10", "fd02::a"]))], &want);
    check([removed(Kind::Service, "kube-system/kube-dns")], &want);
    check([put(service("a/mine", &["172.30.0.99"]))], &[]);
}

#[test]
fn a_change_that_alters_no_drawn_value_touches_nothing() {
    let changed = cluster().into_iter().map(|object| put(object.annotated("who", "cares")));
    check(changed, &[]);
}

#[test]
fn an_event_that_is_told_twice_touches_nothing() {
    let p3 = pod("a/p3", "n1", "").addressed("a/red", "primary", 9);
    let mut zone = check([put(p3.clone())], &["pod a/p3 on a/red of red"]);
    zone.hear(put(p3));
    assert_eq!(zone.next_dirty(), None);
    zone.hear(removed(Kind::Pod, "a/p1"));
    assert_eq!(lines(&renew(&mut zone)), ["pod a/p1 on a/red of red"]);
    zone.hear(removed(Kind::Pod, "a/p1"));
    assert_eq!(zone.next_dirty(), None);
}
