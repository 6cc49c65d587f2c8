//! What one change costs does not grow with networks that did not change. Counted, not timed.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ovn::{Rules, SimulatedDatabase};
use ovsdb::cache::RowView;
use udn_blueprint::owners;
use udn_cluster::reconciler::Change;
use udn_model::{ClusterSettings, NodeName};
use udn_wire::Kind;
use udn_zone::{Extent, KINDS};

use crate::driver::Driver;
use crate::objects::{Draft, nad, namespace, node, pod, primary, target};

/// What was done because of one change.
#[derive(Debug, PartialEq, Eq)]
struct Cost {
    /// Pieces that were read again.
    read: usize,
    /// Work items that were touched, and parts of them that were drawn.
    items: usize,
    parts: usize,
    /// Rows that changed, and rows of which it was asked whose they are.
    changed: usize,
    asked: usize,
}

/// A zone with so many primary networks of two pods each, all committed, and how often it was asked
/// whose a row is.
struct Zone {
    driver: Driver,
    asked: Arc<AtomicUsize>,
    version: u64,
}

impl Zone {
    fn with_networks(number: u16) -> Self {
        let own = NodeName::new("n1");
        let mut driver = Driver::new(&own, &ClusterSettings::default());
        let asked = Arc::new(AtomicUsize::new(0));
        let (counted, rules) = (Arc::clone(&asked), owners::northbound(&own));
        let counting = Rules::new(rules.database, move |row: RowView<'_>| {
            counted.fetch_add(1, Ordering::Relaxed);
            rules.owner(row)
        });
        driver.northbound = SimulatedDatabase::new(counting);
        let objects: Vec<Draft> =
            [node(1), node(2)].into_iter().chain((0..number).flat_map(tenant)).collect();
        for kind in KINDS {
            let of_kind = objects.iter().filter(|it| it.kind == kind);
            let objects = of_kind.map(|it| it.clone().at_version(1).read()).collect();
            driver.hear([Change::Listed { kind, objects, version: 1 }]);
        }
        driver.commit_all(&driver.everything());
        assert_eq!(driver.left_to_do(), []);
        Self { driver, asked, version: 1 }
    }

    fn cost_of(&mut self, change: impl FnOnce(u64) -> Change) -> Cost {
        self.version += 1;
        self.driver.zone.hear(change(self.version));
        let (mut read, mut touched) = (0, udn_zone::Touched::default());
        while let Some(piece) = self.driver.zone.next_dirty() {
            touched.append(self.driver.zone.renew(&piece));
            read += 1;
        }
        let parts = |extent: &Extent| match extent {
            Extent::Whole => 1,
            Extent::Parts(parts) => parts.len(),
        };
        let before = self.asked.load(Ordering::Relaxed);
        let commits = self.driver.commit_all(&touched);
        Cost {
            read,
            items: touched.0.len(),
            parts: touched.0.values().map(parts).sum(),
            changed: commits.iter().map(|it| it.changes.len()).sum(),
            asked: self.asked.load(Ordering::Relaxed) - before,
        }
    }
}

/// A namespace with a primary network and two pods on it.
fn tenant(number: u16) -> Vec<Draft> {
    let name = format!("t{number}");
    let main = format!("{name}/main");
    let config = primary(&format!("net{number}"), "10.10.0.0/16,fd10::/64");
    vec![
        namespace(&name, true),
        nad(&main, Some(number + 1), config),
        pod(&format!("{name}/own"), "n1", "").addressed(&main, "primary", 5),
        pod(&format!("{name}/other"), "n2", "").addressed(&main, "primary", 6),
    ]
}

/// Compares what changes cost beside five networks and beside fifty.
#[track_caller]
fn check(changes: &[fn(u64) -> Change], want: &[(usize, usize, usize)]) {
    let costs = [5, 50].map(|number| {
        let mut zone = Zone::with_networks(number);
        changes.iter().map(|change| zone.cost_of(change)).collect::<Vec<Cost>>()
    });
    let [few, many] = costs;
    assert_eq!(few, many);
    let drawn: Vec<_> = few.iter().map(|it| (it.read, it.items, it.parts)).collect();
    assert_eq!(drawn, want);
    assert!(few.iter().all(|it| it.changed > 0 && it.asked > 0), "{few:?}");
}

fn put(draft: Draft, version: u64) -> Change {
    Change::Put(Box::new(draft.at_version(version).read()))
}

#[test]
fn a_pod_costs_the_same_beside_fifty_networks() {
    check(
        &[
            |version| put(pod("t3/new", "n1", "").addressed("t3/main", "primary", 9), version),
            |version| put(pod("t3/new", "n1", "").addressed("t3/main", "primary", 10), version),
            |version| put(pod("t3/far", "n2", "").addressed("t3/main", "primary", 11), version),
            |version| Change::Removed { target: target(Kind::Pod, "t3/new"), version },
        ],
        &[(1, 1, 1); 4],
    );
}

#[test]
fn a_network_costs_the_same_beside_fifty_networks() {
    check(
        &[
            |version| {
                let config = primary("net3", "10.20.0.0/16,fd10::/64");
                put(nad("t3/main", Some(4), config), version)
            },
            |version| Change::Removed { target: target(Kind::Nad, "t3/main"), version },
        ],
        // The NAD and the two pods of its namespace; the network and what all share.
        &[(3, 2, 2); 2],
    );
}
