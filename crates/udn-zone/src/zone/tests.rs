//! Which work items a change touches, and how much of each.

use std::sync::Arc;

use serde_json::json;
use udn_cluster::reconciler::Change;
use udn_model::{ClusterSettings, Finding, NetworkName, NodeName, ObjectName, Reason, Subject};
use udn_wire::{Kind, keys};

use super::{KINDS, Zone};
use crate::{Extent, Piece, Touched};

#[path = "../../tests/kit/objects.rs"]
pub(crate) mod objects;

mod grants;
mod layer3_touching;
mod listing;
mod nads;
mod own;
mod shared_zones;
mod touching;

use objects::*;

const TWO_FAMILIES: &str = "10.10.0.0/16,fd10::/64";

/// Two nodes, of which the zone is `n1`'s; networks `red` and `blue` are primary in `a` and `b`,
/// `flat` and `wire` are chosen by pods of `c`.
pub(crate) fn cluster() -> Vec<Draft> {
    let red = primary("red", TWO_FAMILIES);
    let blue = primary("blue", TWO_FAMILIES);
    vec![
        namespace("a", true),
        namespace("b", true),
        namespace("c", false),
        node(1),
        node(2),
        nad("a/red", Some(1), red),
        nad("b/blue", Some(2), blue),
        nad("c/flat", Some(3), secondary("flat", TWO_FAMILIES)),
        nad("c/wire", Some(4), localnet("wire", 7)),
        pod("a/p1", "n1", "").addressed("a/red", "primary", 5),
        pod("a/p2", "n2", "").addressed("a/red", "primary", 6),
        pod("c/q1", "n1", "flat").addressed("c/flat", "secondary", 7),
        pod("c/q2", "n2", "wire").addressed("c/wire", "secondary", 8),
        service("kube-system/kube-dns", &["172.30.0.10"]),
    ]
}

fn new_zone() -> Zone {
    Zone::new(NodeName::new("n1"), Arc::new(ClusterSettings::default()))
}

/// A zone that has heard of these objects and has drawn nothing.
pub(crate) fn zone_of(objects: &[Draft]) -> Zone {
    let mut zone = new_zone();
    listed(objects).into_iter().for_each(|change| zone.hear(change));
    renew(&mut zone);
    zone
}

fn listed(objects: &[Draft]) -> Vec<Change> {
    let list = |kind: Kind| {
        let of_kind = objects.iter().filter(|it| it.kind == kind).cloned();
        let objects = of_kind.map(|it| it.at_version(100).read()).collect();
        Change::Listed { kind, objects, version: 100 }
    };
    KINDS.into_iter().map(list).collect()
}

fn put(object: Draft) -> Change {
    Change::Put(Box::new(object.at_version(101).read()))
}

fn removed(kind: Kind, at: &str) -> Change {
    Change::Removed { target: target(kind, at), version: 101 }
}

fn renew(zone: &mut Zone) -> Touched {
    let mut touched = Touched::default();
    while let Some(piece) = zone.next_dirty() {
        touched.append(zone.renew(&piece));
    }
    touched
}

/// One line for each work item that is touched whole, and for each part of the others.
fn lines(touched: &Touched) -> Vec<String> {
    let lines = |(item, extent): (&crate::WorkItem, &Extent)| match extent {
        Extent::Whole => vec![format!("{item}, whole")],
        Extent::Parts(parts) => parts.iter().map(ToString::to_string).collect(),
    };
    touched.0.iter().flat_map(lines).collect()
}

/// Tells changes to a zone that knows the cluster, and compares what they touch.
#[track_caller]
fn check(changes: impl IntoIterator<Item = Change>, want: &[&str]) -> Zone {
    let mut zone = zone_of(&cluster());
    changes.into_iter().for_each(|change| zone.hear(change));
    assert_eq!(lines(&renew(&mut zone)), want);
    zone
}

/// What the zone finds wrong or waits for.
fn told(zone: &Zone) -> Vec<String> {
    zone.findings().iter().map(ToString::to_string).collect()
}
