//! Owners and those they own: who goes with whom.
//!
//! Reads objects and their owner references; deletes those whose owners are all gone, and lets
//! owners go that waited for them.
//! Invariant: an object with a living owner is never deleted because of another.

use std::sync::Arc;

use serde_json::Value;

use super::queue::{OwnerReference, WorkItem, references};
use crate::core::Core;
use crate::kinds::Kind;
use crate::lifecycle::{self, DeleteOptions, FOREGROUND, ORPHAN, Propagation};
use crate::refusal::Refusal;
use crate::rest::{self, Kept};
use crate::store::Key;

/// What an owner reference stands for now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Owner {
    Living,
    Gone,
    /// Going, and waiting for those it owns.
    Waiting,
    /// Of a kind that is not served, or out of reach: nothing is known.
    Unknown,
}

/// Looks whether an object still has an owner.
pub(super) async fn check(core: &Arc<Core>, key: &Key) -> Result<(), Refusal> {
    let Some((kind, object)) = find(core, key) else {
        return Ok(());
    };
    let owners: Vec<(OwnerReference, Owner)> = references(&object)
        .into_iter()
        .map(|reference| {
            let owner = state(core, &reference, &kind, &key.place.namespace);
            (reference, owner)
        })
        .collect();
    let has = |wanted: Owner| owners.iter().any(|(_, owner)| *owner == wanted);
    if owners.is_empty() || has(Owner::Unknown) {
        return Ok(());
    }
    if has(Owner::Living) {
        let lost = owners.iter().filter(|(_, owner)| *owner != Owner::Living);
        let lost: Vec<&str> = lost.map(|(reference, _)| reference.uid.as_str()).collect();
        return forget_owners(core, key, &lost).await;
    }
    let uid = object["metadata"]["uid"].as_str().unwrap_or("");
    let propagation = if has(Owner::Waiting) && !core.store.dependents(uid).is_empty() {
        Propagation::Foreground
    } else {
        own_propagation(&object)
    };
    let options = DeleteOptions {
        propagation: Some(propagation),
        uid: Some(uid.to_owned()),
        ..DeleteOptions::default()
    };
    ignore_missing(rest::end(core, &kind, key, &options).await.map(drop))
}

/// How an object wants to go, as told by its finalizers.
fn own_propagation(object: &Value) -> Propagation {
    let finalizers = lifecycle::finalizers(object);
    let has = |name: &str| finalizers.iter().any(|it| it == name);
    match () {
        () if has(ORPHAN) => Propagation::Orphan,
        () if has(FOREGROUND) => Propagation::Foreground,
        () => Propagation::Background,
    }
}

/// Does for an object that waits to go what its finalizers of ours ask for.
pub(super) async fn end(core: &Arc<Core>, key: &Key) -> Result<(), Refusal> {
    let Some((_, object)) = find(core, key) else {
        return Ok(());
    };
    if !object["metadata"]["deletionTimestamp"].is_string() {
        return Ok(());
    }
    let finalizers = lifecycle::finalizers(&object);
    let has = |name: &str| finalizers.iter().any(|it| it == name);
    let uid = object["metadata"]["uid"].as_str().unwrap_or("").to_owned();
    let dependents = core.store.dependents(&uid);
    if has(ORPHAN) {
        for dependent in &dependents {
            forget_owners(core, dependent, &[&uid]).await?;
        }
        return drop_finalizer(core, key, ORPHAN).await;
    }
    if !has(FOREGROUND) {
        return Ok(());
    }
    let is_blocked = dependents.iter().any(|dependent| is_blocking(core, dependent, &uid));
    for dependent in dependents {
        core.queue.add(WorkItem::Owned(dependent));
    }
    match is_blocked {
        true => Ok(()),
        false => drop_finalizer(core, key, FOREGROUND).await,
    }
}

fn is_blocking(core: &Core, key: &Key, uid: &str) -> bool {
    let Some(stored) = core.store.find(key) else {
        return false;
    };
    references(&stored.object()).iter().any(|it| it.uid == uid && it.is_blocking)
}

fn state(core: &Core, reference: &OwnerReference, kind: &Kind, namespace: &str) -> Owner {
    let served = core.served();
    let Some(owner_kind) = served.named(&reference.api_version, &reference.kind) else {
        return Owner::Unknown;
    };
    if owner_kind.is_namespaced() && !kind.is_namespaced() {
        return Owner::Unknown;
    }
    let namespace = if owner_kind.is_namespaced() { namespace } else { "" };
    let key = Key::new(&owner_kind.storage(), namespace, &reference.name);
    match core.store.find(&key) {
        Some(stored) if *stored.facts.uid == *reference.uid => {
            let is_waiting = stored.facts.is_terminating
                && lifecycle::finalizers(&stored.object()).iter().any(|it| it == FOREGROUND);
            if is_waiting { Owner::Waiting } else { Owner::Living }
        }
        Some(_) | None => Owner::Gone,
    }
}

/// Where the owner is that a reference names.
pub(super) fn key(core: &Core, reference: &OwnerReference, namespace: &str) -> Option<Key> {
    let served = core.served();
    let kind = served.named(&reference.api_version, &reference.kind)?;
    let namespace = if kind.is_namespaced() { namespace } else { "" };
    Some(Key::new(&kind.storage(), namespace, &reference.name))
}

fn find(core: &Core, key: &Key) -> Option<(Arc<Kind>, Value)> {
    let kind = core.served().stored_as(&key.resource)?.clone();
    Some((kind, core.store.find(key)?.object()))
}

/// Takes owners out of an object.
async fn forget_owners(core: &Arc<Core>, key: &Key, uids: &[&str]) -> Result<(), Refusal> {
    if uids.is_empty() {
        return Ok(());
    }
    change(core, key, |object| {
        let Some(metadata) = object["metadata"].as_object_mut() else { return };
        if let Some(list) = metadata.get_mut("ownerReferences").and_then(Value::as_array_mut) {
            list.retain(|it| !uids.contains(&it["uid"].as_str().unwrap_or("")));
            if list.is_empty() {
                metadata.remove("ownerReferences");
            }
        }
    })
    .await
}

pub(super) async fn drop_finalizer(core: &Arc<Core>, key: &Key, name: &str) -> Result<(), Refusal> {
    change(core, key, |object| {
        let old = lifecycle::finalizers(object);
        let new: Vec<String> = old.iter().filter(|it| *it != name).cloned().collect();
        *object = lifecycle::with_finalizers(std::mem::take(object), &old, &new);
    })
    .await
}

/// Changes an object until the change fits, and ends it if nothing holds it any more.
pub(super) async fn change(
    core: &Arc<Core>,
    key: &Key,
    edit: impl Fn(&mut Value),
) -> Result<(), Refusal> {
    loop {
        let Some(kind) = core.served().stored_as(&key.resource).cloned() else {
            return Ok(());
        };
        let Some(stored) = core.store.find(key) else {
            return Ok(());
        };
        let old = stored.object();
        let mut new = old.clone();
        edit(&mut new);
        if new == old {
            return Ok(());
        }
        let kept = match lifecycle::is_over(&new) {
            // Watches see the object as it was before the last change.
            true => rest::remove(core, &kind, key.clone(), stored.revision, old).await?,
            false => rest::replace(core, &kind, key.clone(), stored.revision, new).await?,
        };
        match kept {
            Kept::Stored(_) => return Ok(()),
            Kept::Overtaken => {}
        }
    }
}

/// What is gone already needs no more deletion; what became another is not ours.
pub(super) fn ignore_missing(result: Result<(), Refusal>) -> Result<(), Refusal> {
    match result {
        Err(refusal) if [404, 409].contains(&refusal.code) => Ok(()),
        other => other,
    }
}
