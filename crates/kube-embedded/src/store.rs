//! Objects with a number for every change, and what changed lately.
//!
//! Takes guarded writes one after another; gives snapshots of now and of a while ago, and the
//! changes after a revision.
//! Invariant: a change is visible only once it is durable, and no revision is ever used twice.

mod body;
mod facts;
mod file;
mod key;
mod table;
mod writer;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use tokio::sync::watch;

pub(crate) use body::{Body, types};
pub(crate) use facts::Facts;
pub use file::FileError;
pub(crate) use key::{Key, Place};
use table::Table;
pub(crate) use table::{Change, Compacted, Stored};
use writer::Writer;
pub(crate) use writer::{Expect, Stale, Write};

/// How much of the past is kept for watches and pages, for each resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct History {
    /// The most changes that are kept.
    pub changes: usize,
    /// The most bytes of objects that were replaced or deleted since.
    pub bytes: usize,
}

impl Default for History {
    fn default() -> Self {
        Self { changes: 65_536, bytes: 16 << 20 }
    }
}

/// Everything that is stored.
#[derive(Debug)]
pub(crate) struct Store {
    shelves: Arc<Shelves>,
    writer: Writer,
}

/// What readers and the writer share.
#[derive(Debug)]
struct Shelves {
    inner: RwLock<Inner>,
    history: History,
}

#[derive(Debug, Default)]
struct Inner {
    revision: u64,
    tables: BTreeMap<Arc<str>, Table>,
    /// Who names an object's uid as their owner.
    dependents: BTreeMap<Box<str>, BTreeSet<Key>>,
    /// Nothing that happened up to this revision is known.
    floor: u64,
}

/// All objects of a resource at one revision.
#[derive(Debug)]
pub(crate) struct Snapshot {
    pub(crate) revision: u64,
    pub(crate) objects: Vec<Arc<Stored>>,
}

impl Store {
    pub(crate) fn in_memory(history: History) -> Self {
        let shelves = Arc::new(Shelves::new(history));
        Self { writer: Writer::direct(shelves.clone()), shelves }
    }

    /// Opens or makes a file; what is in it is there at once.
    pub(crate) fn in_file(path: &Path, history: History) -> Result<Self, FileError> {
        let file = file::File::open(path)?;
        let shelves = Arc::new(Shelves::new(history));
        file.load(|revision, objects| shelves.write().restore(revision, objects))?;
        Ok(Self { writer: Writer::durable(shelves.clone(), file), shelves })
    }

    pub(crate) fn revision(&self) -> u64 {
        self.shelves.read().revision
    }

    pub(crate) fn find(&self, key: &Key) -> Option<Arc<Stored>> {
        self.shelves.read().find(key).cloned()
    }

    /// Makes one change, or says why it no longer fits.
    pub(crate) async fn commit(&self, write: Write) -> Result<Arc<Stored>, Stale> {
        self.writer.commit(write).await
    }

    /// The objects of a resource as they are now, in one namespace or in all.
    pub(crate) fn list(&self, resource: &str, namespace: Option<&str>) -> Snapshot {
        let inner = self.shelves.read();
        let objects = match inner.tables.get(resource) {
            Some(table) => table.list(namespace),
            None => Vec::new(),
        };
        Snapshot { revision: inner.revision, objects }
    }

    /// The objects of a resource as they were at a revision.
    pub(crate) fn list_at(
        &self,
        resource: &str,
        namespace: Option<&str>,
        revision: u64,
    ) -> Result<Snapshot, Compacted> {
        let inner = self.shelves.read();
        let objects = match inner.tables.get(resource) {
            Some(table) => table.list_at(namespace, revision)?,
            None if revision < inner.floor => return Err(Compacted { oldest: inner.floor }),
            None => Vec::new(),
        };
        Ok(Snapshot { revision, objects })
    }

    /// At most `limit` changes of a resource after a revision, and the revision they reach.
    pub(crate) fn changes(
        &self,
        resource: &str,
        after: u64,
        limit: usize,
    ) -> Result<(Vec<Change>, u64), Compacted> {
        let inner = self.shelves.read();
        match inner.tables.get(resource) {
            Some(table) => table.changes(after, limit, inner.revision),
            None if after < inner.floor => Err(Compacted { oldest: inner.floor }),
            None => Ok((Vec::new(), inner.revision)),
        }
    }

    /// Wakes when a resource changes.
    pub(crate) fn follow(&self, resource: &str) -> watch::Receiver<u64> {
        if let Some(table) = self.shelves.read().tables.get(resource) {
            return table.follow();
        }
        self.shelves.write().table(resource).follow()
    }

    /// Ends the wait of all who follow a resource: its kind is gone.
    pub(crate) fn hang_up(&self, resource: &str) {
        if let Some(table) = self.shelves.write().tables.get_mut(resource) {
            table.hang_up();
        }
    }

    /// Who names this uid as an owner.
    pub(crate) fn dependents(&self, uid: &str) -> Vec<Key> {
        let inner = self.shelves.read();
        inner.dependents.get(uid).map(|keys| keys.iter().cloned().collect()).unwrap_or_default()
    }

    /// The resources that have objects in a namespace.
    pub(crate) fn resources_in(&self, namespace: &str) -> Vec<Arc<str>> {
        let inner = self.shelves.read();
        let used = inner.tables.iter().filter(|(_, table)| table.has_any_in(namespace));
        used.map(|(resource, _)| resource.clone()).collect()
    }

    /// Forgets the past of a resource, as if its history had run full.
    pub(crate) fn compact(&self, resource: &str) {
        self.shelves.write().table(resource).compact();
    }
}

impl Shelves {
    fn new(history: History) -> Self {
        let inner = Inner { revision: 1, floor: 1, ..Inner::default() };
        Self { inner: RwLock::new(inner), history }
    }

    fn read(&self) -> RwLockReadGuard<'_, Inner> {
        self.inner.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Inner> {
        self.inner.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes changes visible, in order.
    fn publish(&self, changes: Vec<(Key, Change)>) {
        let mut inner = self.write();
        for (key, change) in changes {
            inner.apply(&key, change, self.history);
        }
    }
}

impl Inner {
    fn find(&self, key: &Key) -> Option<&Arc<Stored>> {
        self.tables.get(&key.resource)?.find(&key.place)
    }

    fn table(&mut self, resource: &str) -> &mut Table {
        let floor = self.floor;
        self.tables.entry(resource.into()).or_insert_with(|| Table::new(floor))
    }

    fn apply(&mut self, key: &Key, change: Change, history: History) {
        self.revision = change.revision;
        if let Some(before) = &change.before {
            self.forget_owners(key, before);
        }
        if !change.is_delete {
            self.remember_owners(key, &change.after);
        }
        self.table(&key.resource).apply(&key.place, change, history);
    }

    fn remember_owners(&mut self, key: &Key, object: &Stored) {
        for owner in &object.facts.owners {
            self.dependents.entry(owner.clone()).or_default().insert(key.clone());
        }
    }

    fn forget_owners(&mut self, key: &Key, object: &Stored) {
        for owner in &object.facts.owners {
            if let Some(keys) = self.dependents.get_mut(owner) {
                keys.remove(key);
                if keys.is_empty() {
                    self.dependents.remove(owner);
                }
            }
        }
    }

    /// Puts back what a file held; the past before it is unknown.
    fn restore(&mut self, revision: u64, objects: Vec<(Key, Arc<Stored>)>) {
        self.revision = revision;
        self.floor = revision;
        for (key, object) in objects {
            self.remember_owners(&key, &object);
            self.table(&key.resource).restore(&key.place, object);
        }
    }
}

#[cfg(test)]
mod tests;
