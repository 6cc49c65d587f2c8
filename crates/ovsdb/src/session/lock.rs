//! The locks a client wants and holds: RFC 7047 §4.1.8.
//!
//! Invariant: a lock is held only on the connection that was told so.

use std::collections::BTreeMap;

/// Wanted locks, and which of them are held.
#[derive(Debug, Default)]
pub(super) struct Locks(BTreeMap<String, bool>);

impl Locks {
    /// Returns whether the lock was not wanted before.
    pub(super) fn want(&mut self, name: &str) -> bool {
        if self.0.contains_key(name) {
            return false;
        }
        self.0.insert(name.to_owned(), false);
        true
    }

    /// Returns whether the lock was wanted.
    pub(super) fn release(&mut self, name: &str) -> bool {
        self.0.remove(name).is_some()
    }

    pub(super) fn wanted(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }

    /// Returns whether that is news.
    pub(super) fn set_held(&mut self, name: &str, held: bool) -> bool {
        match self.0.get_mut(name) {
            Some(known) => std::mem::replace(known, held) != held,
            // An answer to a request that was taken back meanwhile.
            None => false,
        }
    }

    /// Returns the locks that were held.
    pub(super) fn disconnected(&mut self) -> Vec<String> {
        let held = self.0.iter_mut().filter(|(_, held)| **held);
        held.map(|(name, held)| {
            *held = false;
            name.clone()
        })
        .collect()
    }
}
