//! Who owns which lock, and who waits for it.
//!
//! Invariant: a client is in a lock's queue at most once; the first in the queue owns it.

use std::collections::{BTreeMap, VecDeque};

use super::ClientId;

/// All locks of a service.
#[derive(Debug, Default)]
pub(super) struct Locks(BTreeMap<String, VecDeque<ClientId>>);

impl Locks {
    pub(super) fn is_owner(&self, id: ClientId, lock: &str) -> bool {
        self.0.get(lock).and_then(|queue| queue.front()) == Some(&id)
    }

    /// Whether the client owns the lock or waits for it.
    pub(super) fn is_queued(&self, id: ClientId, lock: &str) -> bool {
        self.0.get(lock).is_some_and(|queue| queue.contains(&id))
    }

    /// How many locks the client owns or waits for.
    pub(super) fn count(&self, id: ClientId) -> usize {
        self.0.values().filter(|queue| queue.contains(&id)).count()
    }

    /// Joins the queue; whether the client owns the lock at once.
    pub(super) fn join(&mut self, id: ClientId, lock: &str) -> bool {
        let queue = self.0.entry(lock.to_owned()).or_default();
        queue.push_back(id);
        queue.len() == 1
    }

    /// Becomes the owner; the former one, who is next in the queue now.
    pub(super) fn steal(&mut self, id: ClientId, lock: &str) -> Option<ClientId> {
        let queue = self.0.entry(lock.to_owned()).or_default();
        let victim = queue.front().copied();
        queue.push_front(id);
        victim
    }

    /// Leaves the queue; the new owner, if there is one now.
    pub(super) fn leave(&mut self, id: ClientId, lock: &str) -> Option<ClientId> {
        let queue = self.0.get_mut(lock)?;
        let was_owner = queue.front() == Some(&id);
        queue.retain(|other| *other != id);
        let heir = queue.front().copied().filter(|_| was_owner);
        if queue.is_empty() {
            self.0.remove(lock);
        }
        heir
    }

    /// Leaves every queue; the new owners with their locks.
    pub(super) fn forget(&mut self, id: ClientId) -> Vec<(ClientId, String)> {
        let queued: Vec<String> = self
            .0
            .iter()
            .filter(|(_, queue)| queue.contains(&id))
            .map(|(lock, _)| lock.clone())
            .collect();
        let heirs = queued.into_iter().filter_map(|lock| {
            let heir = self.leave(id, &lock)?;
            Some((heir, lock))
        });
        heirs.collect()
    }
}
