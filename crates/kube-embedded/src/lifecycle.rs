//! How an object ends: at once, after a while, or when its finalizers are gone.
//!
//! Reads an object and what was asked; returns what its deletion comes to, as a value.
//! Invariant: an object with finalizers is never removed, and a deletion is never taken back.

mod container;
mod options;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value, json};

pub(crate) use container::{CLEANUP, set_condition};
use container::{Container, container, container_deletion};
pub(crate) use options::{DeleteOptions, Propagation};

/// Left by a deletion that keeps dependents.
pub(crate) const ORPHAN: &str = "orphan";
/// Left by a deletion that waits for dependents.
pub(crate) const FOREGROUND: &str = "foregroundDeletion";

/// What becomes of an object that is asked to go.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Deletion {
    /// It goes now.
    Remove,
    /// It is marked, and goes right after, since its time to wait is zero.
    MarkAndRemove(Value),
    /// It is marked, and stays until its finalizers or its time are over.
    Mark(Value),
    /// It is marked already, and nothing new was asked.
    Unchanged,
}

/// How a kind ends its objects.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Manner {
    /// Seconds to wait, from the object and what was asked; none for kinds that go at once.
    pub(crate) grace: fn(&Value, Option<i64>) -> Option<i64>,
    /// Whether dependents are looked after when an object goes.
    pub(crate) has_dependents: bool,
}

/// Decides about a deletion.
pub(crate) fn deletion(
    object: &Value,
    manner: Manner,
    options: &DeleteOptions,
    now: Timestamp,
) -> Deletion {
    if let Some(deletion) = container_deletion(object, options, now) {
        return deletion;
    }
    let waiting = match waiting(object, manner, options, now) {
        Waiting::Pending => return Deletion::Unchanged,
        waiting => waiting,
    };
    let old = finalizers(object);
    let new = match manner.has_dependents {
        true => wanted_finalizers(&old, options.propagation),
        false => old.clone(),
    };
    match waiting {
        Waiting::Pending => Deletion::Unchanged,
        Waiting::Never if new.is_empty() && spec_finalizers(object) == 0 => Deletion::Remove,
        Waiting::Never => {
            let marked = with_finalizers(mark(object, now), &old, &new);
            if marked == *object { Deletion::Unchanged } else { Deletion::Mark(marked) }
        }
        Waiting::Seconds(seconds, marked) => {
            let marked = with_finalizers(marked, &old, &new);
            match new.is_empty() && seconds == 0 {
                true => Deletion::MarkAndRemove(marked),
                false => Deletion::Mark(marked),
            }
        }
    }
}

/// Whether an object that waits to be deleted can go after an update.
pub(crate) fn is_over(object: &Value) -> bool {
    let metadata = &object["metadata"];
    let finalizers = metadata["finalizers"].as_array().map_or(0, Vec::len);
    let grace = metadata["deletionGracePeriodSeconds"].as_i64().unwrap_or(0);
    metadata["deletionTimestamp"].is_string()
        && finalizers == 0
        && spec_finalizers(object) == 0
        && grace == 0
}

/// How many finalizers a namespace has beside those of its metadata.
fn spec_finalizers(object: &Value) -> usize {
    match container(object) {
        Some(Container::Namespace) => object["spec"]["finalizers"].as_array().map_or(0, Vec::len),
        Some(Container::Definition) | None => 0,
    }
}

/// Whether an update may end an object: one that waits for its time is ended by a deletion.
pub(crate) fn may_end(old: &Value) -> bool {
    let metadata = &old["metadata"];
    let grace = metadata["deletionGracePeriodSeconds"].as_i64().unwrap_or(0);
    metadata["deletionTimestamp"].is_string() && grace == 0
}

/// The finalizers of an object.
pub(crate) fn finalizers(object: &Value) -> Vec<String> {
    let list = object["metadata"]["finalizers"].as_array().into_iter().flatten();
    list.filter_map(|it| Some(it.as_str()?.to_owned())).collect()
}

/// The same object with other finalizers.
pub(crate) fn with_finalizers(mut object: Value, old: &[String], new: &[String]) -> Value {
    if old == new {
        return object;
    }
    if let Some(metadata) = metadata_mut(&mut object) {
        match new.is_empty() {
            true => drop(metadata.remove("finalizers")),
            false => drop(metadata.insert("finalizers".to_owned(), json!(new))),
        }
    }
    object
}

enum Waiting {
    /// The kind goes at once.
    Never,
    /// Marked before, and nothing shorter was asked for.
    Pending,
    Seconds(i64, Value),
}

fn waiting(object: &Value, manner: Manner, options: &DeleteOptions, now: Timestamp) -> Waiting {
    let asked = options.grace_seconds.map(|seconds| if seconds < 0 { 1 } else { seconds });
    let Some(seconds) = (manner.grace)(object, asked) else {
        return Waiting::Never;
    };
    let metadata = &object["metadata"];
    if !metadata["deletionTimestamp"].is_string() {
        return Waiting::Seconds(seconds, mark_for(object, now, seconds));
    }
    let left = metadata["deletionGracePeriodSeconds"].as_i64().unwrap_or(0);
    match asked {
        _ if left == 0 => Waiting::Never,
        Some(asked) if asked < left => Waiting::Seconds(asked, shorten(object, left, asked)),
        _ => Waiting::Pending,
    }
}

/// Marks an object of a kind that knows no waiting.
fn mark(object: &Value, now: Timestamp) -> Value {
    match object["metadata"]["deletionTimestamp"].is_string() {
        true => set(object, &[("deletionGracePeriodSeconds", json!(0))]),
        false => mark_for(object, now, 0),
    }
}

fn mark_for(object: &Value, now: Timestamp, seconds: i64) -> Value {
    let end = now.saturating_add(SignedDuration::from_secs(seconds)).unwrap_or(now);
    let mut fields = vec![
        ("deletionTimestamp", Value::from(text(end))),
        ("deletionGracePeriodSeconds", Value::from(seconds)),
    ];
    if let Some(generation) = object["metadata"]["generation"].as_i64().filter(|it| *it > 0) {
        fields.push(("generation", Value::from(generation + 1)));
    }
    set(object, &fields)
}

fn shorten(object: &Value, from: i64, to: i64) -> Value {
    let end = object["metadata"]["deletionTimestamp"].as_str().and_then(|it| it.parse().ok());
    let end: Timestamp = end.unwrap_or_default();
    let end = end.saturating_sub(SignedDuration::from_secs(from.saturating_sub(to))).unwrap_or(end);
    set(
        object,
        &[
            ("deletionTimestamp", Value::from(text(end))),
            ("deletionGracePeriodSeconds", Value::from(to)),
        ],
    )
}

fn set(object: &Value, fields: &[(&str, Value)]) -> Value {
    let mut object = object.clone();
    if let Some(metadata) = metadata_mut(&mut object) {
        for (name, value) in fields {
            metadata.insert((*name).to_owned(), value.clone());
        }
    }
    object
}

fn metadata_mut(object: &mut Value) -> Option<&mut Map<String, Value>> {
    object.get_mut("metadata")?.as_object_mut()
}

/// A time as objects carry it: whole seconds of UTC.
pub(crate) fn text(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

fn wanted_finalizers(old: &[String], asked: Option<Propagation>) -> Vec<String> {
    let has = |name: &str| old.iter().any(|it| it == name);
    let mut new: Vec<String> =
        old.iter().filter(|it| *it != ORPHAN && *it != FOREGROUND).cloned().collect();
    match asked {
        Some(Propagation::Orphan) => new.push(ORPHAN.to_owned()),
        Some(Propagation::Foreground) => new.push(FOREGROUND.to_owned()),
        Some(Propagation::Background) => {}
        None if has(ORPHAN) => new.push(ORPHAN.to_owned()),
        None if has(FOREGROUND) => new.push(FOREGROUND.to_owned()),
        None => {}
    }
    let is_same = new.len() == old.len() && new.iter().all(|it| has(it));
    if is_same { old.to_vec() } else { new }
}

#[cfg(test)]
mod tests;
