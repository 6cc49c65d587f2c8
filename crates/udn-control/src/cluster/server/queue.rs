//! Which affairs wait for a turn.
//!
//! Invariant: an affair is in one place only: waiting, under way, or resting until a time; whoever
//! is touched while under way waits again afterwards.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use tokio::time::Instant;
use udn_cluster::Affair;

#[cfg(test)]
mod tests;

/// The first rest after a failure, and the longest.
const FIRST_REST: Duration = Duration::from_millis(25);
const LONGEST_REST: Duration = Duration::from_secs(30);

/// The queue.
#[derive(Debug, Default)]
pub(super) struct Queue {
    line: VecDeque<Affair>,
    waiting: BTreeSet<Affair>,
    /// Those under way, and whether they were touched meanwhile.
    under_way: BTreeMap<Affair, bool>,
    resting: BTreeSet<(Instant, Affair)>,
    /// How often in a row an affair failed.
    failures: BTreeMap<Affair, u32>,
}

impl Queue {
    /// An affair has something to do.
    pub(super) fn touch(&mut self, affair: Affair) {
        if let Some(touched) = self.under_way.get_mut(&affair) {
            *touched = true;
        } else if self.waiting.insert(affair.clone()) {
            self.line.push_back(affair);
        }
    }

    /// The next affair, which is under way from now on.
    pub(super) fn next(&mut self) -> Option<Affair> {
        let affair = self.line.pop_front()?;
        self.waiting.remove(&affair);
        self.under_way.insert(affair.clone(), false);
        Some(affair)
    }

    /// A turn went well.
    pub(super) fn done(&mut self, affair: Affair) {
        self.failures.remove(&affair);
        if self.under_way.remove(&affair) == Some(true) {
            self.touch(affair);
        }
    }

    /// A turn has to be tried again, later each time.
    pub(super) fn failed(&mut self, affair: Affair, now: Instant) {
        let failures = self.failures.entry(affair.clone()).or_default();
        let rest = FIRST_REST.saturating_mul(1 << (*failures).min(16)).min(LONGEST_REST);
        *failures += 1;
        self.under_way.remove(&affair);
        self.resting.insert((now + rest, affair));
    }

    /// When the next rest ends.
    pub(super) fn wakes(&self) -> Option<Instant> {
        self.resting.first().map(|(instant, _)| *instant)
    }

    /// Those whose rest is over wait again.
    pub(super) fn wake(&mut self, now: Instant) {
        while self.resting.first().is_some_and(|(instant, _)| *instant <= now) {
            let Some((_, affair)) = self.resting.pop_first() else { return };
            self.touch(affair);
        }
    }

    pub(super) fn under_way(&self) -> usize {
        self.under_way.len()
    }

    /// How many could have their turn now.
    pub(super) fn waiting(&self) -> usize {
        self.line.len()
    }
}
