//! What those hear who wire the node's host and its pods.

use udn_model::ObjectName;

use super::*;
use crate::platform::tests::database;

/// Which views are others after changes: the host's, and the own pods'.
#[track_caller]
fn check_views(changes: impl IntoIterator<Item = Change>, is_host: bool, pods: &[&str]) -> Zone {
    let mut zone = zone_of(&cluster());
    zone.take_pod_news();
    let (host, view) = (zone.host_revision(), zone.host_view());
    changes.into_iter().for_each(|change| zone.hear(change));
    renew(&mut zone);
    let news: Vec<String> = zone.take_pod_news().iter().map(ToString::to_string).collect();
    assert_eq!((zone.host_revision() != host, news), (is_host, texts(pods)));
    assert!(is_host || zone.host_view() == view, "a view changed and nobody was told");
    zone
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|it| (*it).to_owned()).collect()
}

#[test]
fn pods_come_and_go_without_the_host() {
    let new = pod("a/p9", "n1", "").addressed("a/red", "primary", 9);
    check_views([put(new)], false, &["a/p9"]);
    check_views([removed(Kind::Pod, "a/p1")], false, &["a/p1"]);
    check_views([put(pod("a/p2", "n2", "").addressed("a/red", "primary", 16))], false, &[]);
}

#[test]
fn the_host_hears_of_its_own_node_and_of_primary_networks() {
    check_views([put(node(2).annotated("some/thing", "else"))], false, &[]);
    check_views([put(node(1).annotated("some/thing", "else"))], true, &[]);
    check_views([removed(Kind::Nad, "c/flat")], false, &["c/q1"]);
    check_views([removed(Kind::Nad, "a/red")], true, &["a/p1"]);
}

#[test]
fn a_heartbeat_of_the_own_node_is_no_news() {
    check_views([put(node(1))], false, &[]);
}

#[test]
fn the_hosts_view_has_primary_networks_alone() {
    let view = zone_of(&cluster()).host_view();
    let networks: Vec<&str> = view.intent.networks.keys().map(NetworkName::as_str).collect();
    assert_eq!(networks, ["blue", "red"]);
    assert_eq!(view.grants.networks.len(), 2);
    assert_eq!(view.intent.nodes.len(), 1);
    assert!(view.intent.attachments.is_empty());
    assert!(view.node.is_some_and(|it| !it.annotations.is_empty()));
}

#[test]
fn a_pod_of_the_own_node_is_seen_with_its_networks() {
    let zone = zone_of(&cluster());
    let pod = zone.own_pod(&ObjectName::new("a", "p1")).expect("it is on this node");
    let on: Vec<String> = pod.attachments.iter().map(|(it, _)| it.key.to_string()).collect();
    assert_eq!(on, ["a/p1 on a/red"]);
    assert!(!pod.is_leaving);
    assert_eq!(pod.waits, [""; 0]);
    let elsewhere = ObjectName::new("a", "p2");
    assert_eq!(zone.own_pod(&elsewhere), None);
    assert_eq!(zone.pod_revision(&elsewhere), 0);
}

#[test]
fn a_pod_whose_network_has_no_number_waits_for_it() {
    let bare = nad("a/red", None, primary("red", TWO_FAMILIES));
    let zone = check_views([put(bare)], true, &["a/p1"]);
    let pod = zone.own_pod(&ObjectName::new("a", "p1")).expect("it is on this node");
    assert!(pod.attachments.is_empty());
    assert!(!pod.waits.is_empty());
}

#[test]
fn a_revision_is_another_for_each_view_of_a_pod() {
    let mut zone = zone_of(&cluster());
    let name = ObjectName::new("a", "p1");
    let mut seen = vec![zone.pod_revision(&name)];
    for address in [11, 12] {
        zone.hear(put(pod("a/p1", "n1", "").addressed("a/red", "primary", address)));
        renew(&mut zone);
        seen.push(zone.pod_revision(&name));
    }
    zone.hear(removed(Kind::Pod, "a/p1"));
    renew(&mut zone);
    seen.push(zone.pod_revision(&name));
    assert_eq!(seen.last(), Some(&0), "{seen:?}");
    assert!(seen[0] > 0 && seen[0] != seen[1], "{seen:?}");
}

#[test]
fn a_network_is_in_trouble_where_the_own_node_has_no_way_out() {
    let off = r#"{"default":{"mode":""}}"#;
    let check = |number, want: Option<&str>| {
        let mut zone = zone_of(&cluster());
        zone.hear(put(node(number).annotated(keys::NODE_GATEWAY, off)));
        renew(&mut zone);
        let database = database(None);
        let prefix = udn_blueprint::names::Prefix::of(&NetworkName::new("red"));
        zone.draw(&crate::WorkItem::Network(prefix.clone()), &Extent::Whole, database.rows());
        let trouble = zone.trouble(&prefix, &Vec::new()).map(|it| it.message);
        assert_eq!(trouble.as_deref(), want, "n{number}");
    };
    let want = "node n1 has not told its gateway, so network red has no way out there; see whether \
                the node agent runs and finds the external bridge";
    check(1, Some(want));
    check(2, None);
}

#[test]
fn an_old_ovn_is_left_alone_and_every_network_told() {
    let mut zone = zone_of(&cluster());
    let (old, new) = (database(Some("24.09.1-x")), database(Some("25.03.0-x")));
    assert!(zone.judge_platform(old.rows()));
    assert!(!zone.judge_platform(old.rows()), "it is told once");
    let want = "node n1: NotSupported: n1 has OVN 24.09.1, and networks need 25.03 or later; \
                upgrade OVN there";
    assert_eq!(zone.refusal().map(ToString::to_string).as_deref(), Some(want));
    assert!(zone.findings().iter().any(|it| it.to_string() == want));
    let everything = zone.everything(old.rows());
    for item in everything.0.keys() {
        assert!(zone.draw(item, &Extent::Whole, old.rows()).sheets.is_empty(), "{item}");
    }
    let report = crate::not_programmed(&zone, &crate::Progress::default());
    assert_eq!(report.not_programmed_count, Some(4));
    assert!(zone.judge_platform(new.rows()));
    assert_eq!(zone.refusal(), None);
}
