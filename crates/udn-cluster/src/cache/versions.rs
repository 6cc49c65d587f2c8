//! Which states of objects are old news.
//!
//! Reads versions of deletions and of lists; tells of a state of an object that is not here whether
//! it is of the past.
//! Invariant: an object that a deletion or a list told to be gone comes back only with a version
//! that is higher.

use std::collections::{BTreeMap, BTreeSet};

use udn_wire::Target;
use udn_wire::kind::Kind;

#[cfg(test)]
mod tests;

/// How many deletions are remembered; late answers are those of the last seconds.
const MOST_DELETIONS: usize = 4_096;

/// Deletions and lists.
#[derive(Debug, Default)]
pub struct Versions {
    deletions: BTreeMap<Target, u64>,
    by_age: BTreeSet<(u64, Target)>,
    /// The version of the newest list of each kind.
    lists: BTreeMap<Kind, u64>,
}

impl Versions {
    /// Whether a state of an object that is not here was overtaken by its deletion.
    pub fn is_past(&self, target: &Target, version: u64) -> bool {
        // A list holds all that there was at its version, so that what is not here was gone by then.
        self.deletions.get(target).is_some_and(|it| version <= *it)
            || self.lists.get(&target.kind).is_some_and(|it| version <= *it)
    }

    /// Remembers a deletion.
    pub fn bury(&mut self, target: Target, version: u64) {
        let before = self.deletions.get(&target).copied();
        if before.is_some_and(|it| it >= version) {
            return;
        }
        if let Some(before) = before {
            self.by_age.remove(&(before, target.clone()));
        }
        self.by_age.insert((version, target.clone()));
        self.deletions.insert(target, version);
        if self.by_age.len() > MOST_DELETIONS
            && let Some((_, oldest)) = self.by_age.pop_first()
        {
            self.deletions.remove(&oldest);
        }
    }

    /// Begins a list, unless it is older than the last one; it tells all that deletions before it
    /// told, and more.
    pub fn begin_list(&mut self, kind: Kind, version: u64) -> bool {
        if self.lists.get(&kind).is_some_and(|it| version < *it) {
            return false;
        }
        self.lists.remove(&kind);
        let is_told = |target: &Target, at: u64| target.kind == kind && at <= version;
        self.deletions.retain(|target, at| !is_told(target, *at));
        self.by_age.retain(|(at, target)| !is_told(target, *at));
        true
    }

    /// Ends a list: what was not in it was gone by then.
    pub fn end_list(&mut self, kind: Kind, version: u64) {
        self.lists.insert(kind, version);
    }
}
