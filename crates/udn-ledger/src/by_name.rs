//! Pods by their names, found without comparing many names.
//!
//! Names of pods are long and alike, and lie all over memory: in a tree that is ordered by them,
//! each step on the way down waits for two. These trees are ordered by a number made from the name.
//! Invariant: the order means nothing, but is the same whenever the same names are put in.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use udn_model::{ObjectName, SmallSet};

use crate::slab::SlabId;

#[cfg(test)]
mod tests;

/// A number that stands for a name or a uid. Two have the same by a chance of one in 2^64; names are
/// compared as well, uids are not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NameHash(u64);

impl NameHash {
    pub(crate) fn of<T: Hash + ?Sized>(name: &T) -> Self {
        // Begins with the same keys every time.
        let mut hasher = DefaultHasher::new();
        name.hash(&mut hasher);
        Self(hasher.finish())
    }
}

/// Things by name.
#[derive(Debug, Clone)]
pub(crate) struct ByName<T>(BTreeMap<(NameHash, ObjectName), T>);

/// The ids of a name's entries in a slab; the entries know the whole name.
#[derive(Debug, Clone, Default)]
pub(crate) struct IdsByName(SmallSet<(NameHash, SlabId)>);

impl<T> Default for ByName<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<T> ByName<T> {
    #[cfg(test)]
    pub(crate) fn names(&self) -> impl Iterator<Item = &ObjectName> {
        self.0.keys().map(|(_, name)| name)
    }

    pub(crate) fn get(&self, name: &ObjectName) -> Option<&T> {
        self.0.get(&key(name))
    }

    pub(crate) fn get_mut(&mut self, name: &ObjectName) -> Option<&mut T> {
        self.0.get_mut(&key(name))
    }

    pub(crate) fn insert(&mut self, name: &ObjectName, thing: T) {
        self.0.insert(key(name), thing);
    }

    pub(crate) fn remove(&mut self, name: &ObjectName) -> Option<T> {
        self.0.remove(&key(name))
    }
}

fn key(name: &ObjectName) -> (NameHash, ObjectName) {
    (NameHash::of(name), name.clone())
}

impl IdsByName {
    pub(crate) fn insert(&mut self, name: &ObjectName, id: SlabId) {
        self.0.insert((NameHash::of(name), id));
    }

    pub(crate) fn remove(&mut self, name: &ObjectName, id: SlabId) {
        self.0.remove(&(NameHash::of(name), id));
    }

    /// The ids of a name, and of any other with the same number.
    pub(crate) fn near(&self, name: &ObjectName) -> impl Iterator<Item = SlabId> + use<'_> {
        let hash = NameHash::of(name);
        let near = self.0.from((hash, SlabId::FIRST));
        near.take_while(move |(it, _)| *it == hash).map(|(_, id)| *id)
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = SlabId> {
        self.0.iter().map(|(_, id)| *id)
    }
}
