//! A running transaction: the committed rows with its own changes laid over them.
//!
//! Invariant: the committed rows are only read, so a transaction that fails leaves no trace.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::catalog::{Catalog, RowId, TableId};
use super::field::{Current, Field};
use super::filter::Filter;
use super::table::{Stored, Table};
use crate::row::Row;
use crate::value::{Datum, Uuid};

/// The changes of a transaction, over what it started from.
pub(super) struct Draft<'e> {
    pub(super) catalog: &'e Catalog,
    tables: &'e [Table],
    /// Every row that the transaction changed.
    pub(super) edits: BTreeMap<RowId, Edit>,
}

/// What a transaction made of a row.
#[derive(Debug, Clone)]
pub(super) struct Edit {
    /// The row as it will be; nothing if it will be gone.
    pub(super) row: Option<Arc<Row>>,
    pub(super) version: Uuid,
}

impl<'e> Draft<'e> {
    pub(super) fn new(catalog: &'e Catalog, tables: &'e [Table]) -> Self {
        Self { catalog, tables, edits: BTreeMap::new() }
    }

    pub(super) fn committed(&self, id: TableId) -> &'e Table {
        &self.tables[id.place()]
    }

    pub(super) fn before(&self, (table, uuid): RowId) -> Option<&'e Stored> {
        self.committed(table).rows.get(&uuid)
    }

    /// The row as the transaction sees it.
    pub(super) fn row(&self, id: RowId) -> Option<&Arc<Row>> {
        match self.edits.get(&id) {
            Some(edit) => edit.row.as_ref(),
            None => self.before(id).map(|stored| &stored.row),
        }
    }

    pub(super) fn exists(&self, id: RowId) -> bool {
        self.row(id).is_some()
    }

    /// Whether an insert may not have this identifier.
    pub(super) fn is_taken(&self, id: RowId) -> bool {
        self.edits.contains_key(&id) || self.before(id).is_some()
    }

    pub(super) fn put(&mut self, id: RowId, row: Arc<Row>, uuids: &mut dyn FnMut() -> Uuid) {
        match self.edits.get_mut(&id) {
            Some(edit) => edit.row = Some(row),
            None => {
                self.edits.insert(id, Edit { row: Some(row), version: uuids() });
            }
        }
    }

    pub(super) fn remove(&mut self, id: RowId) {
        if self.before(id).is_none() {
            // A row that never was needs no mention, and its identifier is free again.
            self.edits.remove(&id);
        } else {
            self.edits.insert(id, Edit { row: None, version: Uuid::nil() });
        }
    }

    /// The rows that match, ascending by identifier.
    pub(super) fn matching(&self, id: TableId, filter: &Filter) -> Vec<Current<'_>> {
        let mut found = match self.candidates(id, filter) {
            Some(uuids) => uuids.into_iter().filter_map(|uuid| self.current((id, uuid))).collect(),
            None => self.all(id),
        };
        found.retain(|row| filter.matches(row));
        found
    }

    /// The only rows that can match, when the filter names a row or the key of an index.
    fn candidates(&self, id: TableId, filter: &Filter) -> Option<Vec<Uuid>> {
        if let Some(uuid) = filter.only_row() {
            return Some(vec![uuid]);
        }
        let table = self.committed(id);
        let key = table.schema.indexes.iter().enumerate().find_map(|(at, columns)| {
            let demanded = columns.iter().map(|id| filter.demanded(Field::Column(*id)).cloned());
            demanded.collect::<Option<Vec<Datum>>>().map(|key| (at, key))
        });
        let (index, key) = key?;
        let mut uuids: Vec<Uuid> = self.edits_of(id).map(|(uuid, _)| uuid).collect();
        uuids.extend(table.holder(index, &key));
        uuids.sort_unstable();
        uuids.dedup();
        Some(uuids)
    }

    fn all(&self, id: TableId) -> Vec<Current<'_>> {
        let table = self.committed(id);
        let untouched = table
            .rows
            .iter()
            .filter(|(uuid, _)| self.edits.is_empty() || !self.edits.contains_key(&(id, **uuid)));
        let untouched = untouched.map(|(uuid, stored)| Current {
            table: &table.schema,
            uuid: *uuid,
            version: stored.version,
            row: &stored.row,
        });
        let mut rows: Vec<Current<'_>> = untouched.collect();
        let committed = rows.len();
        rows.extend(self.edits_of(id).filter_map(|(uuid, _)| self.current((id, uuid))));
        if rows.len() > committed {
            rows.sort_unstable_by_key(|row| row.uuid);
        }
        rows
    }

    fn current(&self, id: RowId) -> Option<Current<'_>> {
        let version = match self.edits.get(&id) {
            Some(edit) => edit.version,
            None => self.before(id)?.version,
        };
        let table = self.catalog.table(id.0);
        Some(Current { table, uuid: id.1, version, row: self.row(id)? })
    }

    pub(super) fn edits_of(&self, id: TableId) -> impl Iterator<Item = (Uuid, &Edit)> {
        let range = (id, Uuid::nil())..=(id, Uuid::max());
        self.edits.range(range).map(|((_, uuid), edit)| (*uuid, edit))
    }
}
