//! CRDs: the names a new one gets, and how an old one takes its objects along.
//!
//! Invariant: a CRD goes only when no object of its kind is left.

use std::sync::Arc;

use serde_json::Value;

use super::owners;
use super::queue::WorkItem;
use crate::builtin;
use crate::core::{Core, DEFINITIONS};
use crate::lifecycle::{self, CLEANUP, DeleteOptions, Propagation, set_condition};
use crate::refusal::Refusal;
use crate::rest;
use crate::store::Key;

/// Looks after one CRD.
pub(super) async fn reconcile(core: &Arc<Core>, name: &str) -> Result<(), Refusal> {
    let key = Key::new(DEFINITIONS, "", name);
    match core.store.find(&key) {
        None => Ok(()),
        Some(stored) if stored.facts.is_terminating => end(core, name, &key).await,
        Some(_) => establish(core, &key).await,
    }
}

/// Accepts the names of a CRD, unless another has them.
async fn establish(core: &Arc<Core>, key: &Key) -> Result<(), Refusal> {
    let now = core.now_text();
    owners::change(core, key, |object: &mut Value| {
        let all = core.store.list(DEFINITIONS, None).objects;
        let all: Vec<Value> = all.iter().map(|it| it.object()).collect();
        builtin::accept_names(object, &all, &now);
    })
    .await
}

/// Looks anew at the names of all CRDs of a group, of which one went.
fn look_again(core: &Core, name: &str) {
    let Some((_, group)) = name.split_once('.') else { return };
    for stored in core.store.list(DEFINITIONS, None).objects {
        if stored.place.name.split_once('.').is_some_and(|(_, it)| it == group) {
            core.queue.add(WorkItem::Definition(stored.place.name.to_string()));
        }
    }
}

/// Deletes the objects of a CRD, and lets it go when that is done.
async fn end(core: &Arc<Core>, name: &str, key: &Key) -> Result<(), Refusal> {
    let now = core.now_text();
    let message = "CustomResource deletion is in progress";
    owners::change(core, key, |object: &mut Value| {
        let condition = ["Terminating", "True", "InstanceDeletionInProgress", message];
        set_condition(object, condition, &now);
    })
    .await?;
    let options =
        DeleteOptions { propagation: Some(Propagation::Background), ..DeleteOptions::default() };
    let served = core.served();
    // The version that is stored need not be served.
    let any = || served.all().iter().find(|kind| kind.storage() == name);
    if let Some(kind) = served.stored_as(name).or_else(any) {
        for stored in core.store.list(name, None).objects {
            if stored.facts.is_terminating {
                continue;
            }
            let key = Key { resource: name.into(), place: stored.place.clone() };
            owners::ignore_missing(rest::end(core, kind, &key, &options).await.map(drop))?;
        }
    }
    if !core.store.list(name, None).objects.is_empty() {
        return Ok(());
    }
    owners::change(core, key, |object: &mut Value| {
        let old = lifecycle::finalizers(object);
        let new: Vec<String> = old.iter().filter(|it| *it != CLEANUP).cloned().collect();
        *object = lifecycle::with_finalizers(std::mem::take(object), &old, &new);
    })
    .await?;
    if core.store.find(key).is_none() {
        core.store.hang_up(name);
        look_again(core, name);
    }
    Ok(())
}
