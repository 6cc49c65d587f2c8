//! Zones of one node; anything else is refused.

use ovn::{Sheet, SimulatedDatabase};
use udn_blueprint::owners;

use super::*;
use crate::{Progress, WorkItem, not_programmed};

/// A node that says that it is in a zone with others.
fn sharing(number: u8) -> Draft {
    node(number).annotated(keys::NODE_ZONE, "global")
}

/// What the zone would write of everything that there is, into an empty database.
fn drawn(zone: &mut Zone) -> Vec<String> {
    let database = SimulatedDatabase::new(owners::northbound(&NodeName::new("n1")));
    let everything = zone.everything(database.rows());
    let items = everything.0.keys().filter(|item| **item != WorkItem::Southbound);
    let sheets = items.flat_map(|item| zone.draw(item, &Extent::Whole, database.rows()).sheets);
    let sheets: Vec<_> = sheets.collect();
    let rows = sheets.iter().flat_map(Sheet::rows).map(|(key, _)| key.to_string());
    rows.collect()
}

// proves: T-33
#[test]
fn a_zone_that_its_node_shares_is_refused_and_not_touched() {
    let mut zone = check(
        [put(sharing(1))],
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
    let want = "node n1: NotSupported: metadata.annotations[k8s.ovn.org/zone-name]: says that it is \
                in zone global, but every node must be a zone of its own, with databases of its \
                own; remove the annotation or set it to n1";
    assert_eq!(zone.refusal().map(ToString::to_string).as_deref(), Some(want));
    assert_eq!(drawn(&mut zone), [""; 0]);
    let southbound = SimulatedDatabase::new(owners::southbound());
    let drawing = zone.draw(&WorkItem::Southbound, &Extent::Whole, southbound.rows());
    assert!(drawing.sheets.is_empty());
    let report = not_programmed(&zone, &Progress::default());
    assert_eq!(report.not_programmed_count, Some(4));
    // Another node that shares a zone is left out, and told of.
    let mut zone = check(
        [put(sharing(2))],
        &[
            "chassis of other nodes, whole",
            "node n2 of blue",
            "node n2 of red",
            "pod a/p2 on a/red of red",
            "pod c/q2 on c/wire of wire",
        ],
    );
    assert_eq!(zone.refusal(), None);
    assert!(told(&zone).contains(&want.replace("n1", "n2")), "{:?}", told(&zone));
    let rows = drawn(&mut zone);
    assert!(rows.iter().any(|row| row.contains("n1")), "{rows:?}");
    assert!(!rows.iter().any(|row| row.contains("n2") || row.contains("p2")), "{rows:?}");
    // A zone of one node may say so.
    for named in [node(1).annotated(keys::NODE_ZONE, "n1"), node(1)] {
        let mut zone = check([put(named)], &[]);
        assert_eq!((zone.refusal(), told(&zone).len()), (None, 0));
        assert!(drawn(&mut zone).iter().any(|row| row.contains("n2")));
    }
}

#[test]
fn a_zone_is_served_again_once_its_node_stands_alone() {
    let mut zone = check([put(sharing(1)), put(node(1).at_version(102))], &[]);
    assert_eq!(zone.refusal(), None);
    assert!(!drawn(&mut zone).is_empty());
}

#[test]
fn a_zone_whose_node_is_not_there_yet_is_not_refused() {
    let objects: Vec<Draft> = cluster().into_iter().filter(|it| it.name() != "n1").collect();
    assert_eq!(zone_of(&objects).refusal(), None);
}
