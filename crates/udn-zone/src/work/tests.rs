//! What is touched twice.

use udn_blueprint::names::Prefix;
use udn_model::{NetworkName, NodeName, Part};

use super::{Extent, Touched, WorkItem};

fn red() -> NetworkName {
    NetworkName::new("red")
}

fn node(name: &str) -> Part {
    Part::Node(red(), NodeName::new(name))
}

fn parts(parts: &[Part]) -> Touched {
    let mut touched = Touched::default();
    parts.iter().cloned().for_each(|part| touched.part(part));
    touched
}

fn whole() -> Touched {
    let mut touched = Touched::default();
    touched.whole(WorkItem::Network(Prefix::of(&red())));
    touched
}

#[track_caller]
fn check(all: [Touched; 2], want: &Touched) {
    let [mut one, mut other] = all;
    let (first, second) = (one.clone(), other.clone());
    one.append(second);
    other.append(first);
    assert_eq!((&one, &other), (want, want));
}

#[test]
fn whatever_is_touched_whole_stays_whole() {
    check([whole(), parts(&[node("n1")])], &whole());
    check([whole(), whole()], &whole());
    check([whole(), Touched::default()], &whole());
    let mut both = whole();
    both.part(node("n1"));
    assert_eq!(both, whole());
}

#[test]
fn parts_of_a_network_add_up() {
    let backbone = Part::Backbone(red());
    let want = parts(&[backbone.clone(), node("n1"), node("n2")]);
    check([parts(&[backbone, node("n1")]), parts(&[node("n1"), node("n2")])], &want);
    assert_eq!(want.0.len(), 1);
    assert!(want.0.values().all(|it| matches!(it, Extent::Parts(parts) if parts.len() == 3)));
}

#[test]
fn what_all_share_has_no_parts() {
    let touched = parts(&[Part::Zone]);
    assert_eq!(touched.0.into_iter().collect::<Vec<_>>(), [(WorkItem::Shared, Extent::Whole)]);
}

#[test]
fn what_all_share_comes_first() {
    let mut touched = whole();
    touched.whole(WorkItem::Southbound);
    touched.whole(WorkItem::Shared);
    let items: Vec<String> = touched.0.keys().map(ToString::to_string).collect();
    assert_eq!(items, ["what networks share", "chassis of other nodes", "network red"]);
}
