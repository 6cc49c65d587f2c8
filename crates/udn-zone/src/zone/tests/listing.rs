//! Lists, and states that are told late.

use super::*;

/// A state of pod `a/p1` with another address.
fn p1(version: u64, number: u8) -> Draft {
    pod("a/p1", "n1", "").addressed("a/red", "primary", number).at_version(version)
}

#[track_caller]
fn check_late(changes: Vec<Change>) {
    let mut zone = zone_of(&cluster());
    zone.hear(Change::Put(Box::new(p1(200, 50).read())));
    renew(&mut zone);
    let grants = zone.grants().clone();
    changes.into_iter().for_each(|change| zone.hear(change));
    assert_eq!(zone.next_dirty(), None);
    assert_eq!(*zone.grants(), grants);
}

#[test]
fn nothing_is_old_before_all_kinds_are_listed() {
    let mut zone = new_zone();
    let mut changes = listed(&cluster());
    let last = changes.pop().expect("there are five kinds");
    for change in changes {
        zone.hear(change);
        assert!(!zone.is_synced());
        assert_eq!(zone.next_dirty(), None);
    }
    zone.hear(last);
    assert!(zone.is_synced());
    assert_eq!(zone.next_dirty(), Some(Piece::Node(NodeName::new("n1"))));
}

#[test]
fn pieces_come_so_that_none_is_read_twice() {
    let mut zone = new_zone();
    listed(&cluster()).into_iter().rev().for_each(|change| zone.hear(change));
    let mut read = Vec::new();
    while let Some(piece) = zone.next_dirty() {
        zone.renew(&piece);
        read.push(piece);
    }
    let kinds = read.iter().map(|piece| match piece {
        Piece::Node(_) => 'n',
        Piece::Services => 's',
        Piece::Networks(_) => 'N',
        Piece::Pod(_) => 'p',
        Piece::Addresses(_) => 'a',
    });
    assert_eq!(kinds.collect::<String>(), "nnsNNNNpppp");
}

#[test]
fn an_older_state_that_is_told_late_changes_nothing() {
    check_late(vec![Change::Put(Box::new(p1(150, 5).read()))]);
    // One without addresses that is elsewhere would not even be kept.
    let elsewhere = pod("a/p1", "n2", "").at_version(150);
    check_late(vec![Change::Put(Box::new(elsewhere.read()))]);
    check_late(vec![Change::Removed { target: target(Kind::Pod, "a/p1"), version: 150 }]);
}

#[test]
fn an_older_list_changes_nothing() {
    let objects = vec![p1(90, 5).read()];
    let list = Change::Listed { kind: Kind::Pod, objects, version: 90 };
    // What the newer list did not have is still gone.
    let ghost = pod("a/ghost", "n1", "").addressed("a/red", "primary", 66).at_version(99);
    check_late(vec![list, Change::Put(Box::new(ghost.read()))]);
}

#[test]
fn a_newer_state_outlives_the_list_before_it() {
    let mut zone = zone_of(&cluster());
    zone.hear(Change::Put(Box::new(p1(200, 50).read())));
    let pods = cluster().into_iter().filter(|it| it.kind == Kind::Pod);
    let objects = pods.map(|it| it.at_version(100).read()).collect();
    zone.hear(Change::Listed { kind: Kind::Pod, objects, version: 150 });
    assert_eq!(lines(&renew(&mut zone)), ["pod a/p1 on a/red of red"]);
    zone.hear(Change::Listed { kind: Kind::Pod, objects: Vec::new(), version: 160 });
    let gone =
        ["pod c/q1 on c/flat of flat", "pod a/p2 on a/red of red", "pod c/q2 on c/wire of wire"];
    assert_eq!(lines(&renew(&mut zone)), gone);
}

#[test]
fn what_was_deleted_does_not_come_back_with_an_old_state() {
    let mut zone = zone_of(&cluster());
    zone.hear(Change::Removed { target: target(Kind::Pod, "a/p1"), version: 120 });
    renew(&mut zone);
    zone.hear(Change::Put(Box::new(p1(110, 5).read())));
    assert_eq!(zone.next_dirty(), None);
    zone.hear(Change::Put(Box::new(p1(121, 5).read())));
    assert_eq!(lines(&renew(&mut zone)), ["pod a/p1 on a/red of red"]);
    // Neither does what left the objects that a zone keeps.
    zone.hear(Change::Put(Box::new(pod("a/p1", "n2", "").at_version(130).read())));
    renew(&mut zone);
    zone.hear(Change::Put(Box::new(p1(125, 5).read())));
    assert_eq!(zone.next_dirty(), None);
}

#[test]
fn what_a_list_does_not_have_is_gone() {
    let mut zone = zone_of(&cluster());
    let mut rest = cluster();
    rest.retain(|it| it.name() != "p1" && it.name() != "wire");
    let again = listed(&rest).into_iter().map(|change| match change {
        Change::Listed { kind, objects, version: _ } => {
            Change::Listed { kind, objects, version: 200 }
        }
        other => other,
    });
    again.for_each(|change| zone.hear(change));
    let want = ["what networks share, whole", "pod a/p1 on a/red of red", "network wire, whole"];
    assert_eq!(lines(&renew(&mut zone)), want);
}

#[test]
fn the_newest_state_of_each_kind_is_known() {
    let mut zone = zone_of(&cluster());
    zone.hear(removed(Kind::Pod, "a/p1"));
    zone.hear(Change::Put(Box::new(pod("x/p", "n2", "").at_version(107).read())));
    assert_eq!(zone.seen()[&Kind::Pod], 107);
    assert_eq!(zone.seen()[&Kind::Node], 100);
}

#[test]
fn a_list_in_any_order_gives_the_findings_of_all_objects_at_once() {
    let mut objects = cluster();
    objects.extend([
        nad("b/red", Some(1), primary("red", "10.99.0.0/16")),
        nad("c/none", None, secondary("none", TWO_FAMILIES)),
        pod("c/q3", "n1", "none,a/nothing,nowhere/nothing"),
        node(4).annotated(keys::NODE_ID, "2"),
        namespace("d", true),
        pod("d/alone", "n1", ""),
    ]);
    let mut zone = new_zone();
    listed(&[]).into_iter().for_each(|change| zone.hear(change));
    objects.iter().rev().for_each(|object| {
        zone.hear(put(object.clone()));
        renew(&mut zone);
    });
    let fresh = zone_of(&objects);
    assert_eq!(zone.findings(), fresh.findings());
    let want = [
        "NetworkAttachmentDefinition b/red",
        "network none",
        "node n4",
        "pod c/q3",
        "pod c/q3",
        "namespace d",
    ];
    let subjects: Vec<String> = fresh.findings().iter().map(|it| it.subject.to_string()).collect();
    assert_eq!(subjects, want);
}
