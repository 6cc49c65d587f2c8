//! The content of one index: from a key to the rows that have it.
//!
//! Invariant: under one key, rows are ascending and distinct, and no key is without rows.

use std::borrow::Borrow;
use std::collections::BTreeMap;

use smallvec::SmallVec;

use super::IndexKey;
use crate::value::{Atom, Datum, Uuid};

/// The rows under one key; most often there is one.
type Rows = SmallVec<[Uuid; 1]>;

/// The content of one index.
///
/// Most keys are one atom, and nearly every row is listed somewhere, so that many keys are rows: each
/// kind takes no more than it needs.
#[derive(Debug, Clone, Default)]
pub(super) struct Postings {
    by_atom: BTreeMap<Atom, Rows>,
    by_atoms: BTreeMap<Box<[Atom]>, Rows>,
    by_row: BTreeMap<Uuid, Rows>,
}

impl Postings {
    pub(super) fn rows(&self, key: &[Atom]) -> &[Uuid] {
        let rows = match key {
            [Atom::Uuid(row)] => self.by_row.get(row),
            [atom] => self.by_atom.get(atom),
            _ => self.by_atoms.get(key),
        };
        rows.map_or(&[], |rows| rows)
    }

    /// The keys that are one atom and no row.
    pub(super) fn keys_from(&self, from: &Atom) -> impl Iterator<Item = &Atom> + use<'_> {
        self.by_atom.range(from..).map(|(key, _)| key)
    }

    pub(super) fn add(&mut self, key: &[Atom], uuid: Uuid) {
        match key {
            [Atom::Uuid(row)] => put_in(&mut self.by_row, row, |row| *row, uuid),
            [atom] => put_in(&mut self.by_atom, atom, Atom::clone, uuid),
            _ => put_in(&mut self.by_atoms, key, |key| key.into(), uuid),
        }
    }

    pub(super) fn remove(&mut self, key: &[Atom], uuid: Uuid) {
        match key {
            [Atom::Uuid(row)] => take_out(&mut self.by_row, row, uuid),
            [atom] => take_out(&mut self.by_atom, atom, uuid),
            _ => take_out(&mut self.by_atoms, key, uuid),
        }
    }

    /// Moves a row along with the members that a column gained and lost, all in `changed`.
    pub(super) fn exchange_members(&mut self, changed: &Datum, new: &Datum, uuid: Uuid) {
        for atom in changed.atoms() {
            let key = std::slice::from_ref(atom);
            if new.contains(atom) {
                self.add(key, uuid);
            } else {
                self.remove(key, uuid);
            }
        }
    }

    /// Moves a row from its old keys to its new ones, touching only those that differ.
    pub(super) fn exchange(&mut self, old: &[IndexKey], new: &[IndexKey], uuid: Uuid) {
        for key in old.iter().filter(|key| new.binary_search(key).is_err()) {
            self.remove(key, uuid);
        }
        for key in new.iter().filter(|key| old.binary_search(key).is_err()) {
            self.add(key, uuid);
        }
    }
}

fn put_in<Key: Ord + Borrow<Asked>, Asked: Ord + ?Sized>(
    all: &mut BTreeMap<Key, Rows>,
    key: &Asked,
    own: impl FnOnce(&Asked) -> Key,
    uuid: Uuid,
) {
    let Some(rows) = all.get_mut(key) else {
        all.insert(own(key), Rows::from_buf([uuid]));
        return;
    };
    if let Err(at) = rows.binary_search(&uuid) {
        rows.insert(at, uuid);
    }
}

fn take_out<Key: Ord + Borrow<Asked>, Asked: Ord + ?Sized>(
    all: &mut BTreeMap<Key, Rows>,
    key: &Asked,
    uuid: Uuid,
) {
    let Some(rows) = all.get_mut(key) else { return };
    if let Ok(at) = rows.binary_search(&uuid) {
        rows.remove(at);
    }
    if rows.is_empty() {
        all.remove(key);
    }
}
