//! What there is to do, each thing once.
//!
//! Filled by every write; emptied by the keeper.
//! Invariant: the list never holds a chore twice, so that it is no longer than what is stored.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::sync::Notify;

use super::volumes;
use crate::core::{DEFINITIONS, POLICIES};
use crate::store::Key;

/// Something to look after.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Chore {
    /// An object with owners: are they still there?
    Owned(Key),
    /// An object that waits to go: is it done with its dependents?
    Ending(Key),
    /// Something is gone that others may have named as their owner.
    OwnerGone(String),
    /// The owner of something that is gone; it may have waited for that.
    Owner { reference: OwnerReference, namespace: String },
    /// A namespace that is new, going, or emptier than before.
    Namespace(String),
    /// A CRD that is new or changed, waits to go, or whose objects become fewer.
    Definition(String),
    /// A policy that is new or changed.
    Policy(String),
}

/// Whom an object names as its owner.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct OwnerReference {
    pub(crate) api_version: String,
    pub(crate) kind: String,
    pub(crate) name: String,
    pub(crate) uid: String,
    /// Whether the owner waits for this object.
    pub(crate) is_blocking: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Chores {
    list: Mutex<List>,
    bell: Notify,
    idle: Notify,
}

#[derive(Debug, Default)]
struct List {
    waiting: BTreeSet<Chore>,
    is_busy: bool,
}

impl Chores {
    /// What a write will leave to do.
    pub(crate) fn before(&self, key: &Key, object: &Value, is_delete: bool) -> Vec<Chore> {
        let metadata = &object["metadata"];
        let owners = references(object);
        let namespace = &*key.place.namespace;
        let mut chores = Vec::new();
        if is_delete {
            chores.push(Chore::OwnerGone(metadata["uid"].as_str().unwrap_or("").to_owned()));
            chores.extend(
                owners
                    .into_iter()
                    .map(|reference| Chore::Owner { reference, namespace: namespace.to_owned() }),
            );
            if !namespace.is_empty() {
                chores.push(Chore::Namespace(namespace.to_owned()));
            }
            if &*key.resource == "pods" {
                chores.extend(
                    volumes::claims_left_by(object, namespace).into_iter().map(Chore::Ending),
                );
            }
            if key.resource.contains('.') {
                chores.push(Chore::Definition(key.resource.to_string()));
            }
            return chores;
        }
        if !owners.is_empty() {
            chores.push(Chore::Owned(key.clone()));
        }
        let is_going = metadata["deletionTimestamp"].is_string();
        if is_going {
            chores.push(Chore::Ending(key.clone()));
        }
        match &*key.resource {
            "namespaces" => chores.push(Chore::Namespace(key.place.name.to_string())),
            DEFINITIONS => chores.push(Chore::Definition(key.place.name.to_string())),
            POLICIES => chores.push(Chore::Policy(key.place.name.to_string())),
            _ => {}
        }
        chores
    }

    /// Takes on what a write left to do.
    pub(crate) fn after(&self, chores: Vec<Chore>) {
        for chore in chores {
            self.add(chore);
        }
    }

    pub(crate) fn add(&self, chore: Chore) {
        self.list().waiting.insert(chore);
        self.bell.notify_one();
    }

    /// The next chore, as soon as there is one.
    pub(crate) async fn next(&self) -> Chore {
        loop {
            {
                let mut list = self.list();
                if let Some(chore) = list.waiting.pop_first() {
                    list.is_busy = true;
                    return chore;
                }
            }
            self.bell.notified().await;
        }
    }

    /// Says that the last chore is done.
    pub(crate) fn finish(&self) {
        let mut list = self.list();
        list.is_busy = false;
        if list.waiting.is_empty() {
            self.idle.notify_waiters();
        }
    }

    /// Returns when there is nothing to do.
    pub(crate) async fn settled(&self) {
        loop {
            let idle = self.idle.notified();
            {
                let list = self.list();
                if list.waiting.is_empty() && !list.is_busy {
                    return;
                }
            }
            idle.await;
        }
    }

    fn list(&self) -> MutexGuard<'_, List> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The owners an object names.
pub(crate) fn references(object: &Value) -> Vec<OwnerReference> {
    let list = object["metadata"]["ownerReferences"].as_array().into_iter().flatten();
    list.map(|it| {
        let text = |name: &str| it[name].as_str().unwrap_or("").to_owned();
        OwnerReference {
            api_version: text("apiVersion"),
            kind: text("kind"),
            name: text("name"),
            uid: text("uid"),
            is_blocking: it["blockOwnerDeletion"].as_bool().unwrap_or(false),
        }
    })
    .collect()
}
