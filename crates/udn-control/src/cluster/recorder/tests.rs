//! How an event is written down.

use udn_cluster::EventType;
use udn_wire::{Kind, Target};

use super::*;

fn event(namespace: &str, message: String) -> Event {
    let (namespace, name) = (namespace.to_owned(), "red".to_owned());
    let about = Target { kind: Kind::ClusterUserDefinedNetwork, namespace, name };
    let (uid, reason) = ("1-2".to_owned(), "VlanShared".to_owned());
    Event { about, uid, kind: EventType::Warning, reason, message }
}

fn time(text: &str) -> Timestamp {
    text.parse().expect("a time")
}

#[test]
fn an_event_has_the_fields_that_tools_sort_by() {
    let first = time("2026-01-02T03:04:05.678901Z");
    let record = Record { name: String::new(), first, count: 3 };
    let (event, now) = (event("", "shared".to_owned()), time("2026-01-02T04:00:00.5Z"));
    let author = Author { component: "somebody", node: None };
    let written = event_object(&author, (&event, &record), now);
    assert_eq!(written["firstTimestamp"], "2026-01-02T03:04:05Z");
    assert_eq!(written["lastTimestamp"], "2026-01-02T04:00:00Z");
    assert_eq!(written["eventTime"], "2026-01-02T04:00:00.500000Z");
    assert_eq!(written["count"], 3);
    assert_eq!(written["metadata"]["namespace"], "default");
    assert_eq!(written["source"]["component"], "somebody");
    assert_eq!(written["reportingComponent"], "somebody");
    assert_eq!(written["reportingInstance"], "somebody");
    assert_eq!(written["source"]["host"], Value::Null);
}

#[test]
fn an_event_of_a_node_says_which() {
    let now = time("2026-01-02T03:04:05Z");
    let record = Record { name: String::new(), first: now, count: 1 };
    let author = Author { component: "somebody", node: Some(NodeName::new("n1")) };
    let written = event_object(&author, (&event("red", String::new()), &record), now);
    assert_eq!(written["source"]["host"], "n1");
    assert_eq!(written["reportingInstance"], "n1");
}

#[test]
fn an_event_lives_with_its_object() {
    assert_eq!(collection(&event("red", String::new())), "/api/v1/namespaces/red/events");
    assert_eq!(collection(&event("", String::new())), "/api/v1/namespaces/default/events");
}

#[test]
fn a_long_message_is_cut_between_letters() {
    assert_eq!(shortened(&"a".repeat(1024)), "a".repeat(1024));
    let cut = shortened(&"ü".repeat(600));
    assert!(cut.len() <= 1024 && cut.ends_with("ü…"), "{cut}");
}
