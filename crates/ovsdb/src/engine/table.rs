//! The committed rows of one table, and what makes looking at them cheap.
//!
//! Invariant: uniqueness keys, reference counts and weak sources always agree with the rows.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use smallvec::SmallVec;

use super::catalog::RowId;
use crate::row::Row;
use crate::schema::{ColumnId, TableSchema};
use crate::value::{Datum, Uuid};

/// The combined value of the columns of a uniqueness index.
pub(super) type UniqueKey = SmallVec<[Datum; 1]>;

/// The rows of one table.
#[derive(Debug, Clone)]
pub(super) struct Table {
    pub(super) schema: Arc<TableSchema>,
    pub(super) rows: BTreeMap<Uuid, Stored>,
    /// For each index of the schema, which row has a key.
    unique: Vec<BTreeMap<UniqueKey, Uuid>>,
    /// Which rows weakly refer to a row of this table.
    weak_sources: BTreeMap<Uuid, BTreeSet<RowId>>,
}

/// A committed row.
#[derive(Debug, Clone)]
pub(super) struct Stored {
    pub(super) row: Arc<Row>,
    pub(super) version: Uuid,
    /// How many strong references name it.
    pub(super) references: u64,
}

impl Table {
    pub(super) fn new(schema: Arc<TableSchema>) -> Self {
        let unique = vec![BTreeMap::new(); schema.indexes.len()];
        Self { schema, rows: BTreeMap::new(), unique, weak_sources: BTreeMap::new() }
    }

    /// The row that has this key under an index.
    pub(super) fn holder(&self, index: usize, key: &[Datum]) -> Option<Uuid> {
        self.unique.get(index)?.get(key).copied()
    }

    /// Forgets a row's keys.
    pub(super) fn release_keys(&mut self, row: &Row) {
        for (index, columns) in self.unique.iter_mut().zip(&self.schema.indexes) {
            index.remove(&unique_key(&self.schema, columns, row));
        }
    }

    /// Takes a row's keys, which must be free.
    pub(super) fn claim_keys(&mut self, uuid: Uuid, row: &Row) {
        for (index, columns) in self.unique.iter_mut().zip(&self.schema.indexes) {
            index.insert(unique_key(&self.schema, columns, row), uuid);
        }
    }

    /// The rows that weakly refer to a row.
    pub(super) fn weak_sources(&self, target: Uuid) -> impl Iterator<Item = RowId> {
        self.weak_sources.get(&target).into_iter().flatten().copied()
    }

    pub(super) fn add_weak_source(&mut self, target: Uuid, source: RowId) {
        self.weak_sources.entry(target).or_default().insert(source);
    }

    pub(super) fn remove_weak_source(&mut self, target: Uuid, source: RowId) {
        let Some(sources) = self.weak_sources.get_mut(&target) else { return };
        sources.remove(&source);
        if sources.is_empty() {
            self.weak_sources.remove(&target);
        }
    }
}

/// The key that a row has under an index.
pub(super) fn unique_key(table: &TableSchema, columns: &[ColumnId], row: &Row) -> UniqueKey {
    columns.iter().map(|id| row.get(table, *id).clone()).collect()
}
