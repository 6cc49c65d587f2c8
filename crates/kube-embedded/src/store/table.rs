//! The objects of one resource, and what happened to them lately.
//!
//! Changed by the store alone; gives lists of now and of a while ago, and the changes between.
//! Invariant: undoing the kept changes from now gives every state since the compacted revision.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound;
use std::sync::Arc;

use serde_json::Value;
use tokio::sync::watch;

use super::History;
use super::body::Body;
use super::facts::Facts;
use super::key::Place;

/// An object at one revision.
#[derive(Debug, Clone)]
pub(crate) struct Stored {
    pub(crate) revision: u64,
    pub(crate) place: Place,
    pub(crate) body: Body,
    pub(crate) facts: Facts,
}

/// One write.
#[derive(Debug, Clone)]
pub(crate) struct Change {
    pub(crate) revision: u64,
    pub(crate) is_delete: bool,
    /// None if the object is new.
    pub(crate) before: Option<Arc<Stored>>,
    /// The object as written; the last state, with the revision of its end, if it was deleted.
    pub(crate) after: Arc<Stored>,
}

/// The asked-for past is no longer known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Compacted {
    /// The oldest revision that is still known.
    pub(crate) oldest: u64,
}

#[derive(Debug)]
pub(super) struct Table {
    objects: BTreeMap<Place, Arc<Stored>>,
    changes: VecDeque<Change>,
    /// Bytes of objects that only the history still holds.
    past_bytes: usize,
    compacted: u64,
    newest: watch::Sender<u64>,
}

impl Stored {
    /// The whole object.
    pub(crate) fn object(&self) -> Value {
        serde_json::from_slice(&self.json()).expect("what is stored was written as JSON")
    }

    pub(crate) fn json(&self) -> Vec<u8> {
        let mut text = Vec::new();
        self.body.write(self.revision, &mut text);
        text
    }
}

impl Table {
    /// An empty table that knows nothing of what happened before a revision.
    pub(super) fn new(revision: u64) -> Self {
        Self {
            objects: BTreeMap::new(),
            changes: VecDeque::new(),
            past_bytes: 0,
            compacted: revision,
            newest: watch::Sender::new(revision),
        }
    }

    pub(super) fn find(&self, place: &Place) -> Option<&Arc<Stored>> {
        self.objects.get(place)
    }

    pub(super) fn restore(&mut self, place: &Place, object: Arc<Stored>) {
        self.objects.insert(place.clone(), object);
    }

    pub(super) fn apply(&mut self, place: &Place, change: Change, history: History) {
        match change.is_delete {
            true => drop(self.objects.remove(place)),
            false => drop(self.objects.insert(place.clone(), change.after.clone())),
        }
        self.past_bytes += change.past_bytes();
        let revision = change.revision;
        self.changes.push_back(change);
        while self.changes.len() > history.changes || self.past_bytes > history.bytes {
            self.forget_oldest();
        }
        self.newest.send_replace(revision);
    }

    fn forget_oldest(&mut self) {
        if let Some(change) = self.changes.pop_front() {
            self.past_bytes -= change.past_bytes();
            self.compacted = change.revision;
        }
    }

    pub(super) fn compact(&mut self) {
        while !self.changes.is_empty() {
            self.forget_oldest();
        }
    }

    pub(super) fn hang_up(&mut self) {
        let newest = *self.newest.borrow();
        self.newest = watch::Sender::new(newest);
    }

    pub(super) fn follow(&self) -> watch::Receiver<u64> {
        self.newest.subscribe()
    }

    pub(super) fn has_any_in(&self, namespace: &str) -> bool {
        in_namespace(&self.objects, namespace).next().is_some()
    }

    pub(super) fn list(&self, namespace: Option<&str>) -> Vec<Arc<Stored>> {
        match namespace {
            None => self.objects.values().cloned().collect(),
            Some(namespace) => {
                in_namespace(&self.objects, namespace).map(|(_, object)| object.clone()).collect()
            }
        }
    }

    pub(super) fn list_at(
        &self,
        namespace: Option<&str>,
        revision: u64,
    ) -> Result<Vec<Arc<Stored>>, Compacted> {
        if revision < self.compacted {
            return Err(Compacted { oldest: self.compacted });
        }
        let later = self.changes.iter().rev().take_while(|change| change.revision > revision);
        let mut undone: BTreeMap<&Place, Option<&Arc<Stored>>> = BTreeMap::new();
        for change in later {
            undone.insert(&change.after.place, change.before.as_ref());
        }
        let is_asked = |place: &Place| namespace.is_none_or(|it| *place.namespace == *it);
        let untouched = self.objects.iter().filter(|(place, _)| !undone.contains_key(place));
        let then = undone.iter().filter_map(|(place, object)| Some((*place, (*object)?)));
        let mut all: Vec<_> = untouched.chain(then).filter(|(place, _)| is_asked(place)).collect();
        all.sort_by_key(|(place, _)| *place);
        Ok(all.into_iter().map(|(_, object)| object.clone()).collect())
    }

    pub(super) fn changes(
        &self,
        after: u64,
        limit: usize,
        revision: u64,
    ) -> Result<(Vec<Change>, u64), Compacted> {
        if after < self.compacted {
            return Err(Compacted { oldest: self.compacted });
        }
        let start = self.changes.partition_point(|change| change.revision <= after);
        let changes: Vec<Change> = self.changes.range(start..).take(limit).cloned().collect();
        let reached = match changes.last() {
            Some(last) if changes.len() == limit => last.revision,
            _ => revision,
        };
        Ok((changes, reached))
    }
}

impl Change {
    fn past_bytes(&self) -> usize {
        let ended = if self.is_delete { self.after.body.len() } else { 0 };
        ended + self.before.as_ref().map_or(0, |before| before.body.len())
    }
}

fn in_namespace<'a>(
    objects: &'a BTreeMap<Place, Arc<Stored>>,
    namespace: &'a str,
) -> impl Iterator<Item = (&'a Place, &'a Arc<Stored>)> {
    let first = Place::new(namespace, "");
    objects
        .range((Bound::Included(first), Bound::Unbounded))
        .take_while(move |(place, _)| *place.namespace == *namespace)
}
