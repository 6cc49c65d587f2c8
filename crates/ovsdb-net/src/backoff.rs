//! How long to wait before the next attempt to connect.
//!
//! Grows with each failure up to a cap, and differs between clients, so that those that lost the
//! same server do not all come back at the same moment.
//! Invariant: the same seed gives the same delays; every delay lies between half of its step and
//! the whole.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use crate::remote::Remote;

#[cfg(test)]
mod tests;

/// The bounds of the delays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BackoffSettings {
    pub first: Duration,
    pub cap: Duration,
    /// What makes this client's delays differ from those of others.
    pub seed: u64,
}

impl BackoffSettings {
    /// Delays of this process towards these remotes.
    pub fn new(remotes: &[Remote]) -> Self {
        let mut hasher = DefaultHasher::new();
        (std::process::id(), remotes).hash(&mut hasher);
        let (first, cap) = (Duration::from_millis(100), Duration::from_secs(8));
        Self { first, cap, seed: hasher.finish() }
    }
}

/// Counts failures in a row.
#[derive(Debug)]
pub(crate) struct Backoff {
    settings: BackoffSettings,
    failures: u32,
}

impl Backoff {
    pub(crate) fn new(settings: BackoffSettings) -> Self {
        Self { settings, failures: 0 }
    }

    /// A connection came to be of use.
    pub(crate) fn reset(&mut self) {
        self.failures = 0;
    }

    /// Takes note of a failure; returns how long to wait.
    pub(crate) fn next_delay(&mut self) -> Duration {
        let BackoffSettings { first, cap, seed } = self.settings;
        let step = first.saturating_mul(1 << self.failures.min(20)).min(cap);
        self.failures = self.failures.saturating_add(1);
        let mut hasher = DefaultHasher::new();
        (seed, self.failures).hash(&mut hasher);
        let share = (hasher.finish() % 1000) as u32;
        step / 2 + (step / 2) * share / 1000
    }
}
