//! The last changes of a database, so that a client that was away can catch up.
//!
//! Invariant: holds at most the allowed number of changed rows, the latest transaction excepted.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use crate::engine::RowChange;
use crate::value::Uuid;

/// Transactions with their ids, oldest first.
#[derive(Debug)]
pub(super) struct History {
    /// The id of the state before the first kept transaction.
    start: Uuid,
    kept: VecDeque<(Uuid, Arc<[RowChange]>)>,
    rows: usize,
}

impl History {
    pub(super) fn new(start: Uuid) -> Self {
        Self { start, kept: VecDeque::new(), rows: 0 }
    }

    /// The id of the present state.
    pub(super) fn current(&self) -> Uuid {
        self.kept.back().map_or(self.start, |(id, _)| *id)
    }

    /// Adds a transaction and forgets the oldest beyond the limit.
    pub(super) fn push(
        &mut self,
        id: Uuid,
        changes: Vec<RowChange>,
        limit: usize,
    ) -> Arc<[RowChange]> {
        let changes: Arc<[RowChange]> = changes.into();
        self.rows += changes.len();
        self.kept.push_back((id, Arc::clone(&changes)));
        while self.rows > limit && self.kept.len() > 1 {
            if let Some((id, gone)) = self.kept.pop_front() {
                self.start = id;
                self.rows -= gone.len();
            }
        }
        changes
    }

    /// What changed since the state with this id, each row at most once; `None` if it is
    /// forgotten or never was.
    pub(super) fn since(&self, id: Uuid) -> Option<Vec<RowChange>> {
        let first = if id == self.start {
            0
        } else {
            1 + self.kept.iter().position(|(kept, _)| *kept == id)?
        };
        let mut merged: BTreeMap<(Arc<str>, Uuid), RowChange> = BTreeMap::new();
        for change in self.kept.iter().skip(first).flat_map(|(_, changes)| changes.iter()) {
            let key = (Arc::clone(&change.table.name), change.uuid);
            merged
                .entry(key)
                .and_modify(|earlier| {
                    earlier.new.clone_from(&change.new);
                    earlier.new_version = change.new_version;
                })
                .or_insert_with(|| change.clone());
        }
        merged.retain(|_, change| change.old != change.new);
        Some(merged.into_values().collect())
    }
}
