//! Server-side apply, and the record of who owns which fields.
//!
//! Reads objects, a configuration and who acts; returns objects with their `managedFields`.
//! Invariant: pure; an object is never half merged, and its record never names a field it lacks.

mod attempt;
mod check;
mod compare;
mod conflict;
mod fields;
mod last_applied;
mod merge;
mod names;
mod options;
mod owners;
mod prune;
mod reconcile;
mod shape;
mod target;
mod times;
mod zero;

use kube_schema::go_text;
use serde_json::{Map, Value};

use crate::refusal::Refusal;
use attempt::Attempt;
use compare::Changes;
use owners::{Operation, Owner};

pub(crate) use options::{check_options, manager_of};
pub(crate) use target::{Manager, Target};
pub(crate) use times::settle_times;

/// The owner of all that was there before anyone's fields were recorded.
const BEFORE: &str = "before-first-apply";

/// Records who owns what after a create, an update or a patch: sets `metadata.managedFields`.
///
/// Comes after decoding and defaults, and before admission: what admission, the strategy and the
/// registry fill in has no owner.
pub(crate) fn track(
    old: Option<&Value>,
    new: &mut Value,
    target: Target<'_>,
    manager: Manager<'_>,
) {
    let sent = take_entries(new);
    let mut owners = starting_owners(old, sent.as_ref(), target);
    if owners.is_empty() && old.is_some() {
        return;
    }
    reconcile(&mut owners, target);
    let changes = match old {
        Some(old) => target.compare(old, new),
        None => target.compare(&target.empty(new), new),
    };
    record(&mut owners, changes, target, manager);
    put_entries(new, owners::write(owners));
}

/// Merges a configuration into an object, or makes an object of it.
pub(crate) fn apply(
    live: Option<&Value>,
    config: &Value,
    target: Target<'_>,
    manager: Manager<'_>,
    is_forced: bool,
) -> Result<Value, Refusal> {
    want_kind(config, target)?;
    if !entries_of(config).unwrap_or(&Value::Null).is_null() {
        return Err(Refusal::bad_request("metadata.managedFields must be nil"));
    }
    let fresh = if live.is_none() { target.empty(&Value::Null) } else { Value::Null };
    let live = live.unwrap_or(&fresh);
    let owners = applied_owners(live, target, manager)?;
    let attempt = Attempt { live, config, target, manager, owners };
    let mut object = attempt.run(is_forced)?;
    last_applied::refresh(&mut object, config, manager.name);
    Ok(object)
}

/// The owners that an update starts from: as the client sent them, or as they are stored.
fn starting_owners(old: Option<&Value>, sent: Option<&Value>, target: Target<'_>) -> Vec<Owner> {
    let stored = old.and_then(entries_of);
    let read_stored = || owners::read(stored).unwrap_or_default();
    match sent {
        Some(sent) if target.subresource.is_empty() && !sent.is_null() && Some(sent) != stored => {
            if is_reset(sent) {
                return Vec::new();
            }
            let owners = owners::read_sent(sent).filter(|owners| !owners.is_empty());
            owners.unwrap_or_else(read_stored)
        }
        Some(_) | None => read_stored(),
    }
}

/// An empty list, or a list of one empty entry, asks to forget all owners.
fn is_reset(sent: &Value) -> bool {
    match sent.as_array().map(Vec::as_slice) {
        Some([]) => true,
        Some([entry]) => entry.as_object().is_some_and(Map::is_empty),
        Some(_) | None => false,
    }
}

/// The owners that an apply starts from; what nobody owned until now gets an owner.
fn applied_owners(
    live: &Value,
    target: Target<'_>,
    manager: Manager<'_>,
) -> Result<Vec<Owner>, Refusal> {
    let mut owners = owners::read(entries_of(live)).ok_or_else(|| {
        Refusal::new(500, "", "failed to decode managed fields: an entry is broken")
    })?;
    if owners.is_empty() {
        let changes = target.compare(&target.empty(live), live);
        record(&mut owners, changes, target, Manager { name: BEFORE, ..manager });
    }
    reconcile(&mut owners, target);
    Ok(owners)
}

/// Brings owners up to what the kind is today: a custom kind may lose versions and change its
/// schema while its objects are stored.
fn reconcile(owners: &mut Vec<Owner>, target: Target<'_>) {
    owners.retain(|owner| target.served.contains(&owner.api_version.as_str()));
    if target.is_custom {
        owners.iter_mut().for_each(|owner| owner.reconcile(target.ty()));
    }
}

/// Gives what changed to who changed it, and takes it from all others.
fn record(owners: &mut Vec<Owner>, changes: Changes, target: Target<'_>, manager: Manager<'_>) {
    if changes.is_empty() {
        return;
    }
    for owner in owners.iter_mut() {
        owner.lose(&changes.set);
        owner.lose(&changes.removed);
    }
    owners.retain(|owner| !owner.owns_nothing());
    if !changes.set.is_empty() {
        let me = target.owner(manager.name, Operation::Update);
        owners::give(owners, me, changes.set, manager.time);
    }
    owners::cap(owners);
}

fn want_kind(config: &Value, target: Target<'_>) -> Result<(), Refusal> {
    let text = |name: &str| config.get(name).and_then(Value::as_str).unwrap_or_default();
    if text("apiVersion") == target.api_version && text("kind") == target.kind {
        return Ok(());
    }
    Err(Refusal::bad_request(format!("invalid object type: {}", type_shown(config))))
}

/// A group, version and kind as the server prints them: `/v1, Kind=Pod`.
fn type_shown(object: &Value) -> String {
    let text = |name: &str| object.get(name).map(go_text::plain).unwrap_or_default();
    let version = text("apiVersion");
    let slash = if version.contains('/') { "" } else { "/" };
    format!("{slash}{version}, Kind={}", text("kind"))
}

fn entries_of(object: &Value) -> Option<&Value> {
    object.get("metadata")?.get("managedFields")
}

fn take_entries(object: &mut Value) -> Option<Value> {
    object.get_mut("metadata")?.as_object_mut()?.remove("managedFields")
}

fn put_entries(object: &mut Value, entries: Option<Value>) {
    let (Some(entries), Some(object)) = (entries, object.as_object_mut()) else {
        return;
    };
    let metadata = object.entry("metadata").or_insert_with(|| Map::new().into());
    if let Some(metadata) = metadata.as_object_mut() {
        metadata.insert("managedFields".to_owned(), entries);
    }
}

#[cfg(test)]
mod tests;
