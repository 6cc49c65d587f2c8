//! The work queue: what there is to do, each thing once.
//!
//! Filled by every write; emptied by the controllers.
//! Invariant: the queue never holds a work item twice, so that it is no longer than what is stored.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::sync::Notify;

use super::volumes;
use crate::core::{DEFINITIONS, POLICIES};
use crate::store::Key;

/// Something to reconcile.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum WorkItem {
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
pub(crate) struct WorkQueue {
    list: Mutex<List>,
    bell: Notify,
    idle: Notify,
}

#[derive(Debug, Default)]
struct List {
    waiting: BTreeSet<WorkItem>,
    is_busy: bool,
}

impl WorkQueue {
    /// What a write will leave to do.
    pub(crate) fn before(&self, key: &Key, object: &Value, is_delete: bool) -> Vec<WorkItem> {
        let metadata = &object["metadata"];
        let owners = references(object);
        let namespace = &*key.place.namespace;
        let mut items = Vec::new();
        if is_delete {
            items.push(WorkItem::OwnerGone(metadata["uid"].as_str().unwrap_or("").to_owned()));
            items.extend(
                owners.into_iter().map(|reference| WorkItem::Owner {
                    reference,
                    namespace: namespace.to_owned(),
                }),
            );
            if !namespace.is_empty() {
                items.push(WorkItem::Namespace(namespace.to_owned()));
            }
            if &*key.resource == "pods" {
                items.extend(
                    volumes::claims_left_by(object, namespace).into_iter().map(WorkItem::Ending),
                );
            }
            if key.resource.contains('.') {
                items.push(WorkItem::Definition(key.resource.to_string()));
            }
            return items;
        }
        if !owners.is_empty() {
            items.push(WorkItem::Owned(key.clone()));
        }
        let is_going = metadata["deletionTimestamp"].is_string();
        if is_going {
            items.push(WorkItem::Ending(key.clone()));
        }
        match &*key.resource {
            "namespaces" => items.push(WorkItem::Namespace(key.place.name.to_string())),
            DEFINITIONS => items.push(WorkItem::Definition(key.place.name.to_string())),
            POLICIES => items.push(WorkItem::Policy(key.place.name.to_string())),
            _ => {}
        }
        items
    }

    /// Takes on what a write left to do.
    pub(crate) fn after(&self, items: Vec<WorkItem>) {
        for item in items {
            self.add(item);
        }
    }

    pub(crate) fn add(&self, item: WorkItem) {
        self.list().waiting.insert(item);
        self.bell.notify_one();
    }

    /// The next item, as soon as there is one.
    pub(crate) async fn next(&self) -> WorkItem {
        loop {
            {
                let mut list = self.list();
                if let Some(item) = list.waiting.pop_first() {
                    list.is_busy = true;
                    return item;
                }
            }
            self.bell.notified().await;
        }
    }

    /// Says that the last item is done.
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
