//! Whether the loops of a program move: an agent that hangs must not go on saying that it is well.
//!
//! A loop says when it begins a piece of work and when it has ended it; one that waits for something to do
//! is well, however long that takes.
//! Invariant: what is stuck is told by name, and is well again as soon as its work has ended.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

#[cfg(test)]
mod tests;

/// How long a piece of work may take: each of its waits ends within half a minute, and there are few.
const PATIENCE: Duration = Duration::from_secs(180);

/// Watches the loops of one program; clones watch the same.
#[derive(Debug, Clone)]
pub struct Watchdog {
    patience: Duration,
    loops: Arc<Mutex<Loops>>,
}

/// A piece of work that is under way until this is dropped.
#[derive(Debug)]
pub struct Work {
    name: &'static str,
    loops: Arc<Mutex<Loops>>,
}

/// Since when each loop has been at its work; those that wait for some are absent.
#[derive(Debug, Default)]
struct Loops(BTreeMap<&'static str, Instant>);

impl Default for Watchdog {
    fn default() -> Self {
        Self::new(PATIENCE)
    }
}

impl Watchdog {
    pub fn new(patience: Duration) -> Self {
        Self { patience, loops: Arc::default() }
    }

    /// A loop begins a piece of work; loops are known by their names, and do one thing after the other.
    #[must_use]
    pub fn begin(&self, name: &'static str) -> Work {
        lock(&self.loops).0.insert(name, Instant::now());
        Work { name, loops: Arc::clone(&self.loops) }
    }

    /// The loops that have been at one piece of work for too long.
    pub fn stuck(&self, now: Instant) -> Vec<&'static str> {
        lock(&self.loops).stuck(now, self.patience)
    }

    /// What is wrong, if anything is, as a sentence that stays the same as long as it is.
    pub(super) fn complaint(&self, now: Instant) -> Option<String> {
        let stuck = self.stuck(now);
        let names = stuck.join(", ");
        (!stuck.is_empty()).then(|| format!("no progress for {:?} of: {names}", self.patience))
    }
}

impl Loops {
    fn stuck(&self, now: Instant, patience: Duration) -> Vec<&'static str> {
        let is_stuck = |since: Instant| now.saturating_duration_since(since) >= patience;
        self.0.iter().filter(|(_, since)| is_stuck(**since)).map(|(name, _)| *name).collect()
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        lock(&self.loops).0.remove(self.name);
    }
}

fn lock(loops: &Mutex<Loops>) -> MutexGuard<'_, Loops> {
    loops.lock().unwrap_or_else(PoisonError::into_inner)
}
