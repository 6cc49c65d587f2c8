//! Which work items wait for a reconcile.
//!
//! Invariant: a work item is in one place only: waiting, under way, or resting until a time; whoever
//! is touched while under way waits again afterwards.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use tokio::time::Instant;

#[cfg(test)]
mod tests;

/// The first rest after a failure, and the longest.
const FIRST_REST: Duration = Duration::from_millis(25);
const LONGEST_REST: Duration = Duration::from_secs(30);

/// The queue.
#[derive(Debug)]
pub(crate) struct Queue<WorkItem> {
    line: VecDeque<WorkItem>,
    waiting: BTreeSet<WorkItem>,
    /// Those under way, and whether they were touched meanwhile.
    under_way: BTreeMap<WorkItem, bool>,
    resting: BTreeSet<(Instant, WorkItem)>,
    /// How often in a row a work item failed.
    failures: BTreeMap<WorkItem, u32>,
}

impl<WorkItem> Default for Queue<WorkItem> {
    fn default() -> Self {
        let (line, waiting, under_way, resting, failures) = Default::default();
        Self { line, waiting, under_way, resting, failures }
    }
}

impl<WorkItem: Ord + Clone> Queue<WorkItem> {
    /// A work item has something to do.
    pub(crate) fn touch(&mut self, item: WorkItem) {
        if let Some(touched) = self.under_way.get_mut(&item) {
            *touched = true;
        } else if self.waiting.insert(item.clone()) {
            self.line.push_back(item);
        }
    }

    /// The next work item, which is under way from now on.
    pub(crate) fn next(&mut self) -> Option<WorkItem> {
        let item = self.line.pop_front()?;
        self.waiting.remove(&item);
        self.under_way.insert(item.clone(), false);
        Some(item)
    }

    /// A reconcile went well.
    pub(crate) fn done(&mut self, item: WorkItem) {
        self.failures.remove(&item);
        if self.under_way.remove(&item) == Some(true) {
            self.touch(item);
        }
    }

    /// A reconcile has to be tried again, later each time.
    pub(crate) fn failed(&mut self, item: WorkItem, now: Instant) {
        let failures = self.failures.entry(item.clone()).or_default();
        let rest = FIRST_REST.saturating_mul(1 << (*failures).min(16)).min(LONGEST_REST);
        *failures += 1;
        self.under_way.remove(&item);
        self.resting.insert((now + rest, item));
    }

    /// When the next rest ends.
    pub(crate) fn wakes(&self) -> Option<Instant> {
        self.resting.first().map(|(instant, _)| *instant)
    }

    /// Those whose rest is over wait again.
    pub(crate) fn wake(&mut self, now: Instant) {
        while self.resting.first().is_some_and(|(instant, _)| *instant <= now) {
            let Some((_, item)) = self.resting.pop_first() else { return };
            self.touch(item);
        }
    }

    /// Whether a work item is under way.
    pub(crate) fn is_under_way(&self, item: &WorkItem) -> bool {
        self.under_way.contains_key(item)
    }

    pub(crate) fn under_way(&self) -> usize {
        self.under_way.len()
    }

    /// Whether nobody waits, rests or is under way.
    pub(crate) fn is_idle(&self) -> bool {
        self.line.is_empty() && self.under_way.is_empty() && self.resting.is_empty()
    }

    /// Whether nobody waits or is under way, and who rests has failed at least so often in a row.
    pub(crate) fn is_settled(&self, failures: u32) -> bool {
        let is_hopeless =
            |item: &WorkItem| self.failures.get(item).is_some_and(|it| *it >= failures);
        self.line.is_empty()
            && self.under_way.is_empty()
            && self.resting.iter().all(|(_, item)| is_hopeless(item))
    }

    /// How many could be reconciled now.
    pub(crate) fn waiting(&self) -> usize {
        self.line.len()
    }
}
