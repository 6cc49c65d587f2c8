//! How long a connection may take until the replica follows the server.
//!
//! A large database keeps a server busy for many seconds before it says the first word of it, so
//! silence alone must not end a connection then; but neither may one last for ever that answers
//! every probe and never comes to the point.
//! Invariant: the limit runs only while the replica does not follow.

use std::time::Duration;

/// Counts the time without a replica; times are counted from any fixed moment.
#[derive(Debug)]
pub(super) struct Patience {
    limit: Option<Duration>,
    since: Option<Duration>,
}

impl Patience {
    pub(super) fn new(limit: Option<Duration>) -> Self {
        Self { limit, since: None }
    }

    /// The replica does not follow; counts from the first time this is told.
    pub(super) fn waiting(&mut self, now: Duration) {
        self.since.get_or_insert(now);
    }

    /// The replica follows, or there is no connection to wait on.
    pub(super) fn satisfied(&mut self) {
        self.since = None;
    }

    pub(super) fn next_wake(&self) -> Option<Duration> {
        Some(self.since? + self.limit?)
    }

    pub(super) fn is_exhausted(&self, now: Duration) -> bool {
        self.next_wake().is_some_and(|at| now >= at)
    }
}
