//! What a column holds: a sorted set of atoms, or a sorted map from atom to atom.
//!
//! Invariant: keys are strictly ascending; only the constructors here can build one.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::{Atom, Atoms, Uuid};

mod difference;
mod shared;

pub(crate) use shared::Shared;

/// The value of one column in one row.
///
/// A replica holds five of these for each row, so it is as small as an atom.
#[derive(Clone)]
pub struct Datum(Content);

/// Who has at least two members is in a list, so that no value can be written in two ways.
#[derive(Clone)]
enum Content {
    Empty,
    One(Atom),
    /// Grows and shrinks where it is, because it may be long.
    #[expect(clippy::box_collection, reason = "most values are no list, and are smaller so")]
    Many(Box<Vec<Atom>>),
    /// Shared by rows that say the same of themselves.
    Map(Arc<[(Atom, Atom)]>),
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
        Self(Content::Empty)
    }

    /// The map with no entries.
    pub fn empty_map() -> Self {
        Self(Content::Map(Arc::new([])))
    }

    /// A set of the given atoms, in any order, equal ones merged.
    pub fn set(atoms: impl IntoIterator<Item = impl Into<Atom>>) -> Self {
        let mut atoms: Atoms = atoms.into_iter().map(Into::into).collect();
        atoms.sort_unstable();
        atoms.dedup();
        Self::of_atoms(atoms)
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
            None => Ok(Self::of_atoms(atoms)),
        }
    }

    /// A map of exactly the given entries, or the key that appears twice.
    pub fn distinct_map(mut entries: Vec<(Atom, Atom)>) -> Result<Self, DuplicateKey> {
        entries.sort_unstable();
        match entries.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            Some(pair) => Err(DuplicateKey { key: pair[0].0.clone() }),
            None => Ok(Self(Content::Map(entries.into()))),
        }
    }

    /// A set of atoms that are ascending and distinct.
    fn of_atoms(mut atoms: Atoms) -> Self {
        match (atoms.len(), atoms.pop()) {
            (_, None) => Self(Content::Empty),
            (1, Some(atom)) => Self(Content::One(atom)),
            (_, Some(last)) => {
                // Of a replica, room for growth would be half.
                let mut all = Vec::with_capacity(atoms.len() + 1);
                all.extend(atoms);
                all.push(last);
                Self(Content::Many(Box::new(all)))
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
        self.atoms().len() + self.entries().len()
    }

    /// The members of a set, ascending; nothing for a map.
    pub fn atoms(&self) -> &[Atom] {
        match &self.0 {
            Content::One(atom) => std::slice::from_ref(atom),
            Content::Many(atoms) => atoms,
            Content::Empty | Content::Map(_) => &[],
        }
    }

    /// The entries of a map, ascending by key; nothing for a set.
    pub fn entries(&self) -> &[(Atom, Atom)] {
        match &self.0 {
            Content::Empty | Content::One(_) | Content::Many(_) => &[],
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
        self.atoms().binary_search(key).is_ok() || self.value(key).is_some()
    }

    /// The value under a key of a map.
    pub fn value(&self, key: &Atom) -> Option<&Atom> {
        let entries = self.entries();
        let at = entries.binary_search_by(|entry| entry.0.cmp(key)).ok()?;
        Some(&entries[at].1)
    }

    /// The value under a text key of a map.
    pub fn under(&self, key: &str) -> Option<&Atom> {
        let entries = self.entries();
        let at = entries
            .binary_search_by(|entry| match &entry.0 {
                Atom::String(text) => (**text).cmp(key),
                other => other.cmp(&Atom::from(key)),
            })
            .ok()?;
        Some(&entries[at].1)
    }

    /// The text under a text key of a map, as in `external_ids`.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.under(key)?.as_str()
    }

    /// Every row identifier in it, as member, key or value.
    pub fn uuids(&self) -> impl Iterator<Item = Uuid> + '_ {
        let in_map = self.entries().iter().flat_map(|(key, value)| [key, value]);
        self.atoms().iter().chain(in_map).filter_map(Atom::as_uuid)
    }

    /// The datum with every atom replaced; equal keys that result are merged.
    pub fn map_atoms(&self, mut replace: impl FnMut(&Atom) -> Atom) -> Self {
        match self.is_map() {
            false => Self::set(self.atoms().iter().map(replace)),
            true => {
                let entries = self.entries().iter();
                Self::map(entries.map(|(key, value)| (replace(key), replace(value))))
            }
        }
    }

    /// The members or entries for which `keep` says yes; a set's members come without a value.
    pub fn filter(&self, mut keep: impl FnMut(&Atom, Option<&Atom>) -> bool) -> Self {
        match self.is_map() {
            false => {
                let kept = self.atoms().iter().filter(|atom| keep(atom, None));
                Self::of_atoms(kept.cloned().collect())
            }
            true => {
                let kept = self.entries().iter().filter(|(key, value)| keep(key, Some(value)));
                Self(Content::Map(kept.cloned().collect()))
            }
        }
    }
}

impl Datum {
    /// Whether both are one map in memory, so that nothing need be compared.
    fn is_same_map(&self, other: &Self) -> bool {
        let (Content::Map(entries), Content::Map(others)) = (&self.0, &other.0) else {
            return false;
        };
        Arc::ptr_eq(entries, others)
    }
}

impl PartialEq for Datum {
    fn eq(&self, other: &Self) -> bool {
        self.is_same_map(other)
            || self.is_map() == other.is_map()
                && self.atoms() == other.atoms()
                && self.entries() == other.entries()
    }
}

impl Eq for Datum {}

impl PartialOrd for Datum {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Datum {
    fn cmp(&self, other: &Self) -> Ordering {
        if self.is_same_map(other) {
            return Ordering::Equal;
        }
        let kinds = self.is_map().cmp(&other.is_map());
        let members = kinds.then_with(|| self.atoms().cmp(other.atoms()));
        members.then_with(|| self.entries().cmp(other.entries()))
    }
}

impl Hash for Datum {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.is_map(), self.atoms(), self.entries()).hash(state);
    }
}

impl<A: Into<Atom>> From<A> for Datum {
    fn from(atom: A) -> Self {
        Self(Content::One(atom.into()))
    }
}

impl fmt::Debug for Datum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Content::One(atom) => fmt::Debug::fmt(atom, f),
            Content::Empty | Content::Many(_) => f.debug_list().entries(self.atoms()).finish(),
            Content::Map(entries) => {
                f.debug_map().entries(entries.iter().map(|(key, value)| (key, value))).finish()
            }
        }
    }
}
