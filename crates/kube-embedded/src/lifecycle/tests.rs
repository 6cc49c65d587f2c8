//! What becomes of objects that are asked to go.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{DeleteOptions, Deletion, Manner, Propagation, deletion, is_over};

const NOW: &str = "2026-01-01T00:00:00Z";

fn at_once() -> Manner {
    Manner { grace: |_, _| None, has_dependents: true }
}

/// As pods: thirty seconds unless asked otherwise.
fn waiting() -> Manner {
    Manner { grace: |_, asked| Some(asked.unwrap_or(30)), has_dependents: true }
}

fn now() -> Timestamp {
    NOW.parse().expect("a time")
}

fn object(finalizers: &[&str]) -> Value {
    let mut object = json!({"metadata": {"name": "a", "generation": 1}});
    if !finalizers.is_empty() {
        object["metadata"]["finalizers"] = json!(finalizers);
    }
    object
}

fn asked(grace_seconds: Option<i64>, propagation: Option<Propagation>) -> DeleteOptions {
    DeleteOptions { grace_seconds, propagation, ..DeleteOptions::default() }
}

fn marked(deletion: Deletion) -> Value {
    match deletion {
        Deletion::Mark(object) | Deletion::MarkAndRemove(object) => object["metadata"].clone(),
        other => panic!("not marked: {other:?}"),
    }
}

#[test]
fn without_finalizers_an_object_goes_at_once() {
    assert_eq!(deletion(&object(&[]), at_once(), &asked(None, None), now()), Deletion::Remove);
}

#[test]
fn finalizers_keep_an_object() {
    let metadata = marked(deletion(&object(&["mine"]), at_once(), &asked(Some(7), None), now()));
    assert_eq!(metadata["deletionTimestamp"], NOW);
    assert_eq!(metadata["deletionGracePeriodSeconds"], 0);
    assert_eq!(metadata["generation"], 2);
    assert_eq!(metadata["finalizers"], json!(["mine"]));
}

#[test]
fn a_second_deletion_changes_nothing() {
    for manner in [at_once(), waiting()] {
        let first = deletion(&object(&["mine"]), manner, &asked(None, None), now());
        let Deletion::Mark(object) = first else { panic!("not marked: {first:?}") };
        let later: Timestamp = "2026-01-01T00:00:05Z".parse().expect("a time");
        assert_eq!(deletion(&object, manner, &asked(None, None), later), Deletion::Unchanged);
    }
}

#[test]
fn propagation_becomes_a_finalizer() {
    for (policy, want) in [
        (Propagation::Orphan, json!(["mine", "orphan"])),
        (Propagation::Foreground, json!(["mine", "foregroundDeletion"])),
        (Propagation::Background, json!(["mine"])),
    ] {
        let metadata =
            marked(deletion(&object(&["mine"]), at_once(), &asked(None, Some(policy)), now()));
        assert_eq!(metadata["finalizers"], want);
    }
}

#[test]
fn another_propagation_replaces_the_first() {
    let object = object(&["orphan"]);
    let background = asked(None, Some(Propagation::Background));
    assert_eq!(deletion(&object, at_once(), &background, now()), Deletion::Remove);
}

#[test]
fn waiting_ends_later_and_may_be_shortened() {
    let first = deletion(&object(&[]), waiting(), &asked(None, None), now());
    let Deletion::Mark(object) = first else { panic!("not marked: {first:?}") };
    assert_eq!(object["metadata"]["deletionTimestamp"], "2026-01-01T00:00:30Z");
    let shorter = marked(deletion(&object, waiting(), &asked(Some(10), None), now()));
    assert_eq!(shorter["deletionTimestamp"], "2026-01-01T00:00:10Z");
    assert_eq!(shorter["generation"], 2, "only the first deletion counts as a change");
    assert_eq!(deletion(&object, waiting(), &asked(Some(40), None), now()), Deletion::Unchanged);
}

#[test]
fn no_time_to_wait_marks_and_removes() {
    let deletion = deletion(&object(&[]), waiting(), &asked(Some(0), None), now());
    assert!(matches!(deletion, Deletion::MarkAndRemove(_)), "{deletion:?}");
}

#[test]
fn an_object_is_over_when_nothing_holds_it() {
    let check = |object: Value, want: bool| assert_eq!(is_over(&object), want, "{object}");
    check(json!({"metadata": {}}), false);
    check(json!({"metadata": {"deletionTimestamp": NOW}}), true);
    check(json!({"metadata": {"deletionTimestamp": NOW, "finalizers": ["a"]}}), false);
    check(json!({"metadata": {"deletionTimestamp": NOW, "deletionGracePeriodSeconds": 3}}), false);
    let held = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"deletionTimestamp": NOW},
        "spec": {"finalizers": ["kubernetes"]}});
    check(held, false);
}

#[test]
fn a_namespace_is_marked_without_a_time_to_wait() {
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "a"},
        "spec": {"finalizers": ["kubernetes"]}});
    let first = deletion(&namespace, at_once(), &asked(None, None), now());
    let Deletion::Mark(object) = first else { panic!("not marked: {first:?}") };
    assert_eq!(object["metadata"], json!({"name": "a", "deletionTimestamp": NOW}));
    assert_eq!(object["status"]["phase"], "Terminating");
    assert_eq!(deletion(&object, at_once(), &asked(None, None), now()), Deletion::Unchanged);
}

#[test]
fn a_definition_is_held_until_its_objects_are_gone() {
    let definition = json!({"apiVersion": "apiextensions.k8s.io/v1", "metadata": {"generation": 1},
        "kind": "CustomResourceDefinition"});
    let first = deletion(&definition, at_once(), &asked(None, None), now());
    let Deletion::Mark(object) = first else { panic!("not marked: {first:?}") };
    assert_eq!(object["metadata"]["finalizers"], json!([super::CLEANUP]));
    assert_eq!(object["metadata"]["generation"], 1);
    assert_eq!(object["status"]["conditions"][0]["reason"], "InstanceDeletionPending");
    assert!(!is_over(&object));
}
