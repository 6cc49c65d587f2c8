//! When changes were heard whose rows do not stand yet.
//!
//! Invariant: a change is told of once for each work item that it touched, after that work item was
//! drawn with it and committed.

use std::collections::BTreeMap;

use tokio::time::Instant;
use udn_zone::{Touched, WorkItem};

#[cfg(test)]
mod tests;

/// How many times are kept for one work item; of one that fails for long the oldest suffice.
const MOST_KEPT: usize = 64;

/// The times, oldest first.
#[derive(Debug, Default)]
pub(super) struct Lags(BTreeMap<WorkItem, Vec<Instant>>);

impl Lags {
    /// Something that was heard at a time touches work items.
    pub(super) fn begin(&mut self, touched: &Touched, at: Instant) {
        for item in touched.0.keys() {
            let times = self.0.entry(item.clone()).or_default();
            if times.last() != Some(&at) && times.len() < MOST_KEPT {
                times.push(at);
            }
        }
    }

    /// A work item stands as it was drawn at a time; returns when that had been heard.
    pub(super) fn end(&mut self, item: &WorkItem, drawn: Instant) -> impl Iterator<Item = Instant> {
        let mut times = self.0.remove(item).unwrap_or_default();
        let later = times.split_off(times.partition_point(|at| *at <= drawn));
        if !later.is_empty() {
            self.0.insert(item.clone(), later);
        }
        times.into_iter()
    }
}
