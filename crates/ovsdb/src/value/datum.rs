//! What a column holds: a sorted set of atoms, or a sorted map from atom to atom.
//!
//! Invariant: keys are strictly ascending; only the constructors here can build one.

use std::fmt;

use super::{Atom, Atoms, Uuid};

/// The value of one column in one row.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Datum(Content);

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Content {
    Set(Atoms),
    Map(Vec<(Atom, Atom)>),
}

/// A set or map was written with the same key twice.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{key:?} appears twice")]
pub struct DuplicateKey {
    pub key: Atom,
}

impl Datum {
    /// The set with no members, which is also what an absent optional value is.
    pub fn empty_set() -> Self {
        Self(Content::Set(Atoms::new()))
    }

    /// The map with no entries.
    pub fn empty_map() -> Self {
        Self(Content::Map(Vec::new()))
    }

    /// A set of the given atoms, in any order, equal ones merged.
    pub fn set(atoms: impl IntoIterator<Item = impl Into<Atom>>) -> Self {
        let mut atoms: Atoms = atoms.into_iter().map(Into::into).collect();
        atoms.sort_unstable();
        atoms.dedup();
        Self(Content::Set(atoms))
    }

    /// A map of the given entries, in any order; of equal keys the last entry stays.
    pub fn map(entries: impl IntoIterator<Item = (impl Into<Atom>, impl Into<Atom>)>) -> Self {
        let entries: std::collections::BTreeMap<Atom, Atom> =
            entries.into_iter().map(|(key, value)| (key.into(), value.into())).collect();
        Self(Content::Map(entries.into_iter().collect()))
    }

    /// A set of exactly the given atoms, or the one that appears twice.
    pub fn distinct_set(mut atoms: Atoms) -> Result<Self, DuplicateKey> {
        atoms.sort_unstable();
        match atoms.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(DuplicateKey { key: pair[0].clone() }),
            None => Ok(Self(Content::Set(atoms))),
        }
    }

    /// A map of exactly the given entries, or the key that appears twice.
    pub fn distinct_map(mut entries: Vec<(Atom, Atom)>) -> Result<Self, DuplicateKey> {
        entries.sort_unstable();
        match entries.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            Some(pair) => Err(DuplicateKey { key: pair[0].0.clone() }),
            None => {
                // A replica holds as many of these as rows; room for growth would be half of it.
                entries.shrink_to_fit();
                Ok(Self(Content::Map(entries)))
            }
        }
    }

    pub fn is_map(&self) -> bool {
        matches!(self.0, Content::Map(_))
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many members or entries there are.
    pub fn len(&self) -> usize {
        match &self.0 {
            Content::Set(atoms) => atoms.len(),
            Content::Map(entries) => entries.len(),
        }
    }

    /// The members of a set, ascending; nothing for a map.
    pub fn atoms(&self) -> &[Atom] {
        match &self.0 {
            Content::Set(atoms) => atoms,
            Content::Map(_) => &[],
        }
    }

    /// The entries of a map, ascending by key; nothing for a set.
    pub fn entries(&self) -> &[(Atom, Atom)] {
        match &self.0 {
            Content::Set(_) => &[],
            Content::Map(entries) => entries,
        }
    }

    /// The only member of a set of one.
    pub fn as_atom(&self) -> Option<&Atom> {
        if let [atom] = self.atoms() { Some(atom) } else { None }
    }

    /// The only member, if it is a string.
    pub fn as_str(&self) -> Option<&str> {
        self.as_atom().and_then(Atom::as_str)
    }

    /// Whether the set has this member, or the map this key.
    pub fn contains(&self, key: &Atom) -> bool {
        match &self.0 {
            Content::Set(atoms) => atoms.binary_search(key).is_ok(),
            Content::Map(entries) => entries.binary_search_by(|entry| entry.0.cmp(key)).is_ok(),
        }
    }

    /// The value under a key of a map.
    pub fn value(&self, key: &Atom) -> Option<&Atom> {
        let entries = self.entries();
        let at = entries.binary_search_by(|entry| entry.0.cmp(key)).ok()?;
        Some(&entries[at].1)
    }

    /// The text under a text key of a map, as in `external_ids`.
    pub fn text(&self, key: &str) -> Option<&str> {
        let entries = self.entries();
        let at = entries
            .binary_search_by(|entry| match &entry.0 {
                Atom::String(text) => (**text).cmp(key),
                other => other.cmp(&Atom::from(key)),
            })
            .ok()?;
        entries[at].1.as_str()
    }

    /// Every row identifier in it, as member, key or value.
    pub fn uuids(&self) -> impl Iterator<Item = Uuid> + '_ {
        let in_map = self.entries().iter().flat_map(|(key, value)| [key, value]);
        self.atoms().iter().chain(in_map).filter_map(Atom::as_uuid)
    }

    /// The datum with every atom replaced; equal keys that result are merged.
    pub fn map_atoms(&self, mut replace: impl FnMut(&Atom) -> Atom) -> Self {
        match &self.0 {
            Content::Set(atoms) => Self::set(atoms.iter().map(replace)),
            Content::Map(entries) => {
                Self::map(entries.iter().map(|(key, value)| (replace(key), replace(value))))
            }
        }
    }

    /// The members or entries for which `keep` says yes; a set's members come without a value.
    pub fn filter(&self, mut keep: impl FnMut(&Atom, Option<&Atom>) -> bool) -> Self {
        match &self.0 {
            Content::Set(atoms) => {
                Self(Content::Set(atoms.iter().filter(|atom| keep(atom, None)).cloned().collect()))
            }
            Content::Map(entries) => {
                let kept = entries.iter().filter(|(key, value)| keep(key, Some(value)));
                Self(Content::Map(kept.cloned().collect()))
            }
        }
    }

    /// What [`Datum::apply_difference`] needs to turn this value into `new`; both are one rule.
    pub fn difference(&self, new: &Self) -> Self {
        match (&self.0, &new.0) {
            (Content::Set(old), Content::Set(new)) => {
                Self(Content::Set(symmetric_difference(old, new)))
            }
            (Content::Map(old), Content::Map(new)) => Self(Content::Map(merge_entries(old, new))),
            (Content::Set(_), Content::Map(_)) | (Content::Map(_), Content::Set(_)) => new.clone(),
        }
    }

    /// Applies a difference as `update2` and `update3` carry it.
    ///
    /// In a set, a member of both goes, a member of only the difference comes. In a map, an equal
    /// entry goes, any other replaces what its key had.
    pub fn apply_difference(&self, difference: &Self) -> Self {
        match (&self.0, &difference.0) {
            (Content::Set(old), Content::Set(toggled)) => {
                Self(Content::Set(symmetric_difference(old, toggled)))
            }
            (Content::Map(old), Content::Map(changed)) => {
                Self(Content::Map(merge_entries(old, changed)))
            }
            // The other kind can only be an empty value: nothing to take over.
            (Content::Set(_), Content::Map(_)) | (Content::Map(_), Content::Set(_)) => self.clone(),
        }
    }

    /// Applies a difference in place; returns the one that takes it back.
    ///
    /// A small difference costs little on a long list, which is not copied.
    pub fn change(&mut self, difference: Self) -> Self {
        if difference.len() * MERGE_FROM > self.len() {
            let changed = self.apply_difference(&difference);
            let undo = changed.difference(self);
            *self = changed;
            return undo;
        }
        match (&mut self.0, difference.0) {
            (Content::Set(atoms), Content::Set(toggled)) => {
                toggled.iter().for_each(|atom| toggle(atoms, atom));
                // What was toggled is toggled back.
                Self(Content::Set(toggled))
            }
            (Content::Map(entries), Content::Map(changed)) => {
                let undo = changed.into_iter().map(|entry| change_entry(entries, entry));
                Self(Content::Map(undo.collect()))
            }
            (Content::Set(_), Content::Map(_)) => Self::empty_set(),
            (Content::Map(_), Content::Set(_)) => Self::empty_map(),
        }
    }
}

/// A difference that has more than this part of a value is merged with it in one pass.
const MERGE_FROM: usize = 16;

fn toggle(atoms: &mut Atoms, atom: &Atom) {
    match atoms.binary_search(atom) {
        Ok(at) => {
            atoms.remove(at);
        }
        Err(at) => atoms.insert(at, atom.clone()),
    }
}

/// Changes one entry; returns the entry that takes it back.
fn change_entry(entries: &mut Vec<(Atom, Atom)>, entry: (Atom, Atom)) -> (Atom, Atom) {
    match entries.binary_search_by(|it| it.0.cmp(&entry.0)) {
        Ok(at) if entries[at] == entry => entries.remove(at),
        Ok(at) => std::mem::replace(&mut entries[at], entry),
        Err(at) => {
            entries.insert(at, entry.clone());
            entry
        }
    }
}

fn symmetric_difference(old: &[Atom], toggled: &[Atom]) -> Atoms {
    let mut merged = Atoms::new();
    let (mut left, mut right) = (old.iter().peekable(), toggled.iter().peekable());
    loop {
        match (left.peek(), right.peek()) {
            (Some(a), Some(b)) if a == b => {
                left.next();
                right.next();
            }
            (Some(a), Some(b)) if a < b => merged.extend(left.next().cloned()),
            (_, Some(_)) => merged.extend(right.next().cloned()),
            (Some(_), None) => merged.extend(left.next().cloned()),
            (None, None) => return merged,
        }
    }
}

fn merge_entries(old: &[(Atom, Atom)], changed: &[(Atom, Atom)]) -> Vec<(Atom, Atom)> {
    let mut merged = Vec::with_capacity(old.len());
    let (mut left, mut right) = (old.iter().peekable(), changed.iter().peekable());
    loop {
        match (left.peek(), right.peek()) {
            (Some(a), Some(b)) if a.0 == b.0 => {
                let same = a == b;
                left.next();
                let entry = right.next();
                if !same {
                    merged.extend(entry.cloned());
                }
            }
            (Some(a), Some(b)) if a.0 < b.0 => merged.extend(left.next().cloned()),
            (_, Some(_)) => merged.extend(right.next().cloned()),
            (Some(_), None) => merged.extend(left.next().cloned()),
            (None, None) => return merged,
        }
    }
}

impl<A: Into<Atom>> From<A> for Datum {
    fn from(atom: A) -> Self {
        let mut atoms = Atoms::new();
        atoms.push(atom.into());
        Self(Content::Set(atoms))
    }
}

impl fmt::Debug for Datum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Content::Set(atoms) if atoms.len() == 1 => fmt::Debug::fmt(&atoms[0], f),
            Content::Set(atoms) => f.debug_list().entries(atoms).finish(),
            Content::Map(entries) => {
                f.debug_map().entries(entries.iter().map(|(key, value)| (key, value))).finish()
            }
        }
    }
}
