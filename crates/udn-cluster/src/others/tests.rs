//! Who else hears of a reconcile's findings.

use serde_json::json;
use udn_model::{Finding, NetworkName, ObjectName, Reason, Subject};

use super::events_of_others;
use crate::decision::about_others;
use crate::work_item::WorkItem;
use crate::world::World;

fn name(text: &str) -> ObjectName {
    ObjectName::parse(text).unwrap()
}

fn findings() -> Vec<Finding> {
    let subjects = [
        Subject::Pod(name("a/p")),
        Subject::Pod(name("a/q")),
        Subject::Claim(name("a/p")),
        Subject::Claim(name("a/q")),
        Subject::Network(NetworkName::new("a")),
    ];
    subjects.map(|it| Finding::new(it, Reason::AddressTaken, "it has two holders")).into()
}

#[test]
fn a_work_item_leaves_its_own_findings_to_itself() {
    let check = |item: WorkItem, want: [&str; 3]| {
        let findings = findings();
        let told = about_others(&item, &findings).map(|it| it.subject.to_string());
        assert_eq!(told.collect::<Vec<_>>(), want);
    };
    check(WorkItem::Pod(name("a/p")), ["pod a/q", "IPAMClaim a/p", "IPAMClaim a/q"]);
    check(WorkItem::Claim(name("a/p")), ["pod a/p", "pod a/q", "IPAMClaim a/q"]);
}

#[test]
fn who_is_not_there_is_not_told() {
    let mut world = World::default();
    let metadata = json!({"metadata": {"name": "q", "namespace": "a", "uid": "u"}});
    world.pods.insert(name("a/q"), serde_json::from_value(metadata.clone()).unwrap());
    world.claims.insert(name("a/q"), serde_json::from_value(metadata).unwrap());
    let events = events_of_others(&world, &findings());
    let told = events.iter().map(|it| (&*it.about.name, &*it.uid, &*it.reason, &*it.message));
    assert_eq!(
        told.collect::<Vec<_>>(),
        [
            ("q", "u", "ErrorAllocatingPod", "AddressTaken: it has two holders"),
            ("q", "u", "IPAddressConflict", "it has two holders"),
        ]
    );
}
