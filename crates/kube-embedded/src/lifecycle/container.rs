//! How namespaces and CRDs end: others empty them first.
//!
//! Reads an object and what was asked; returns what its deletion comes to, where that differs from others.
//! Invariant: a first deletion only marks; what is marked goes when it is empty.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{DeleteOptions, Deletion, finalizers, set, text, wanted_finalizers, with_finalizers};

/// Holds a CRD until its objects are gone.
pub(crate) const CLEANUP: &str = "customresourcecleanup.apiextensions.k8s.io";

/// An object that holds others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Container {
    Namespace,
    Definition,
}

pub(super) fn container(object: &Value) -> Option<Container> {
    match (object["apiVersion"].as_str()?, object["kind"].as_str()?) {
        ("v1", "Namespace") => Some(Container::Namespace),
        ("apiextensions.k8s.io/v1", "CustomResourceDefinition") => Some(Container::Definition),
        _ => None,
    }
}

/// The deletion of an object that holds others; none where it ends as all objects do.
pub(super) fn container_deletion(
    object: &Value,
    options: &DeleteOptions,
    now: Timestamp,
) -> Option<Deletion> {
    let container = container(object)?;
    if object["metadata"]["deletionTimestamp"].is_string() {
        return (super::spec_finalizers(object) > 0).then_some(Deletion::Unchanged);
    }
    let marked = set(object, &[("deletionTimestamp", Value::from(text(now)))]);
    let old = finalizers(object);
    Some(Deletion::Mark(match container {
        Container::Namespace => {
            let new = wanted_finalizers(&old, options.propagation);
            let mut marked = with_finalizers(marked, &old, &new);
            marked["status"]["phase"] = Value::from("Terminating");
            marked
        }
        Container::Definition => {
            let mut new = old.clone();
            if !new.iter().any(|it| it == CLEANUP) {
                new.push(CLEANUP.to_owned());
            }
            let mut marked = with_finalizers(marked, &old, &new);
            let message = "CustomResourceDefinition marked for deletion; CustomResource deletion \
                           will begin soon";
            let condition = ["Terminating", "True", "InstanceDeletionPending", message];
            set_condition(&mut marked, condition, &text(now));
            marked
        }
    }))
}

/// Sets a condition: type, status, reason and message; its time changes only with its status.
pub(crate) fn set_condition(object: &mut Value, condition: [&str; 4], now: &str) {
    let [kind, status, reason, message] = condition;
    let conditions = &mut object["status"]["conditions"];
    if !conditions.is_array() {
        *conditions = json!([]);
    }
    let Some(list) = conditions.as_array_mut() else { return };
    let mut new = json!({"type": kind, "status": status, "lastTransitionTime": now,
        "reason": reason, "message": message});
    match list.iter_mut().find(|it| it["type"] == kind) {
        Some(old) => {
            if old["status"] == status {
                new["lastTransitionTime"] = old["lastTransitionTime"].clone();
            }
            *old = new;
        }
        None => list.push(new),
    }
}
