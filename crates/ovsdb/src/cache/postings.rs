//! The content of one index: from a key to the rows that have it.
//!
//! Invariant: under one key, rows are ascending and distinct, and no key is without rows.

use std::collections::BTreeMap;
use std::ops::Bound;

use smallvec::SmallVec;

use super::IndexKey;
use crate::value::{Atom, Datum, Uuid};

/// The rows under one key; most often there is one.
type Rows = SmallVec<[Uuid; 1]>;

/// The content of one index.
#[derive(Debug, Clone, Default)]
pub(super) struct Postings {
    by_key: BTreeMap<IndexKey, Rows>,
    /// Who refers to a row. Nearly every row is listed somewhere, so half of all keys are rows, and
    /// without an atom around them they take less.
    by_row: BTreeMap<Uuid, Rows>,
}

impl Postings {
    pub(super) fn rows(&self, key: &[Atom]) -> &[Uuid] {
        let rows = match key {
            [Atom::Uuid(row)] => self.by_row.get(row),
            _ => self.by_key.get(key),
        };
        rows.map_or(&[], |rows| rows)
    }

    /// The keys that are not rows.
    pub(super) fn keys_from(&self, from: &[Atom]) -> impl Iterator<Item = &IndexKey> + use<'_> {
        let bounds = (Bound::Included(from), Bound::Unbounded);
        self.by_key.range::<[Atom], _>(bounds).map(|(key, _)| key)
    }

    pub(super) fn add(&mut self, key: IndexKey, uuid: Uuid) {
        let rows = match key[..] {
            [Atom::Uuid(row)] => self.by_row.entry(row).or_default(),
            _ => self.by_key.entry(key).or_default(),
        };
        if let Err(at) = rows.binary_search(&uuid) {
            rows.insert(at, uuid);
        }
    }

    pub(super) fn remove(&mut self, key: &IndexKey, uuid: Uuid) {
        match key[..] {
            [Atom::Uuid(row)] => take_out(&mut self.by_row, &row, uuid),
            _ => take_out(&mut self.by_key, key, uuid),
        }
    }

    /// Moves a row along with the members that a column gained and lost, all in `changed`.
    pub(super) fn exchange_members(&mut self, changed: &Datum, new: &Datum, uuid: Uuid) {
        for atom in changed.atoms() {
            let key = IndexKey::from_buf([atom.clone()]);
            if new.contains(atom) {
                self.add(key, uuid);
            } else {
                self.remove(&key, uuid);
            }
        }
    }

    /// Moves a row from its old keys to its new ones, touching only those that differ.
    pub(super) fn exchange(&mut self, old: Vec<IndexKey>, new: Vec<IndexKey>, uuid: Uuid) {
        for key in old.iter().filter(|key| new.binary_search(key).is_err()) {
            self.remove(key, uuid);
        }
        for key in new.into_iter().filter(|key| old.binary_search(key).is_err()) {
            self.add(key, uuid);
        }
    }
}

fn take_out<Key: Ord>(all: &mut BTreeMap<Key, Rows>, key: &Key, uuid: Uuid) {
    let Some(rows) = all.get_mut(key) else { return };
    if let Ok(at) = rows.binary_search(&uuid) {
        rows.remove(at);
    }
    if rows.is_empty() {
        all.remove(key);
    }
}
