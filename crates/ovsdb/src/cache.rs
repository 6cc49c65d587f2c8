//! A replica of some tables, kept up to date by the server's updates, with secondary indexes.
//!
//! Reads updates; returns what changed, down to the columns.
//! Invariant: an index always agrees with the rows, also after an update that does not fit; what
//! such an update did before it failed is told, and the caller asks for the whole state again.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::row::Row;
use crate::schema::{ColumnId, DatabaseSchema, TableSchema};
use crate::value::{Atom, Datum, Shared, Uuid};

mod change;
mod convert;
mod index;
mod postings;
#[cfg(test)]
mod tests;
mod update;

pub use change::{Change, ChangeKind};
pub use index::{Index, IndexKey, Keys};
pub use update::{RowUpdate, RowUpdates, TableUpdates, UpdateFormat, UpdatesSeed};

use index::KeptIndex;

/// The replicated tables of one database.
#[derive(Debug, Clone)]
pub struct Cache {
    schema: Arc<DatabaseSchema>,
    tables: BTreeMap<Arc<str>, Table>,
}

/// One replicated table.
#[derive(Debug, Clone)]
pub struct Table {
    schema: Arc<TableSchema>,
    rows: BTreeMap<Uuid, Row>,
    indexes: Vec<KeptIndex>,
}

/// The server said something that does not fit what it said before.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CacheError {
    #[error("update for table {table}, which the schema does not have")]
    UnknownTable { table: String },
    #[error("row {uuid} of {table} was changed or deleted before it was inserted")]
    UnknownRow { table: Arc<str>, uuid: Uuid },
    #[error("row {uuid} of {table} was inserted twice")]
    InsertedTwice { table: Arc<str>, uuid: Uuid },
}

/// A row together with its table's schema, for reading by column name.
#[derive(Debug, Clone, Copy)]
pub struct RowView<'a> {
    pub table: &'a TableSchema,
    pub uuid: Uuid,
    pub row: &'a Row,
}

impl<'a> RowView<'a> {
    /// The column's value; `None` if the table has no such column.
    pub fn get(&self, column: &str) -> Option<&'a Datum> {
        self.table.column_id(column).map(|id| self.row.get(self.table, id))
    }

    pub fn column(&self, id: ColumnId) -> &'a Datum {
        self.row.get(self.table, id)
    }

    /// The text of a scalar or optional column.
    pub fn text(&self, column: &str) -> Option<&'a str> {
        self.get(column)?.as_str()
    }

    /// The text under a key of a map column, as in `external_ids`.
    pub fn entry(&self, column: &str, key: &str) -> Option<&'a str> {
        self.get(column)?.text(key)
    }
}

impl Cache {
    /// An empty replica; indexes of tables that the schema lacks are left out.
    pub fn new(schema: Arc<DatabaseSchema>, indexes: &[Arc<Index>]) -> Self {
        let tables = schema.tables().map(|table| {
            let own = indexes.iter().filter(|index| *index.table == *table.name);
            let own = own.map(|index| KeptIndex::new(Arc::clone(index), table)).collect();
            let empty = Table { schema: Arc::clone(table), rows: BTreeMap::new(), indexes: own };
            (Arc::clone(&table.name), empty)
        });
        let tables = tables.collect();
        Self { schema, tables }
    }

    pub fn schema(&self) -> &Arc<DatabaseSchema> {
        &self.schema
    }

    pub fn table(&self, name: &str) -> Option<&Table> {
        self.tables.get(name)
    }

    pub fn tables(&self) -> impl ExactSizeIterator<Item = &Table> {
        self.tables.values()
    }

    /// Applies one update and tells what changed, in the order of the update.
    pub fn apply(&mut self, updates: TableUpdates) -> Result<Vec<Change>, CacheError> {
        let mut changes = Vec::new();
        self.apply_into(updates, &mut changes).map(|()| changes)
    }

    /// Applies one update; `changes` tells what was done, also when the rest does not fit.
    pub fn apply_into(
        &mut self,
        updates: TableUpdates,
        changes: &mut Vec<Change>,
    ) -> Result<(), CacheError> {
        let mut shared = Shared::default();
        for (name, rows) in updates.0 {
            let table = self.tables.get_mut(&*name);
            let table =
                table.ok_or_else(|| CacheError::UnknownTable { table: name.to_string() })?;
            changes.reserve(rows.len());
            for (uuid, update) in rows {
                changes.extend(table.apply(uuid, update.shared(&mut shared))?);
            }
        }
        Ok(())
    }

    /// Replaces the content by a whole new state and tells the difference.
    pub fn replace(&mut self, state: TableUpdates) -> Result<Vec<Change>, CacheError> {
        let mut changes = Vec::new();
        self.replace_into(state, &mut changes).map(|()| changes)
    }

    /// Replaces the content; `changes` tells what was done, also when the rest does not fit.
    pub fn replace_into(
        &mut self,
        state: TableUpdates,
        changes: &mut Vec<Change>,
    ) -> Result<(), CacheError> {
        let mut state: BTreeMap<Arc<str>, Vec<(Uuid, RowUpdate)>> = state.0.into_iter().collect();
        let mut shared = Shared::default();
        for (name, table) in &mut self.tables {
            let rows = state.remove(name).unwrap_or_default();
            let kept: BTreeSet<Uuid> = rows.iter().map(|(uuid, _)| *uuid).collect();
            let gone: Vec<Uuid> =
                table.rows.keys().filter(|uuid| !kept.contains(uuid)).copied().collect();
            for uuid in gone {
                changes.extend(table.apply(uuid, RowUpdate::Delete)?);
            }
            for (uuid, update) in rows {
                let update = match update.shared(&mut shared) {
                    RowUpdate::Insert(row) if table.rows.contains_key(&uuid) => {
                        RowUpdate::Replace(row)
                    }
                    other => other,
                };
                changes.extend(table.apply(uuid, update)?);
            }
        }
        match state.into_iter().find(|(_, rows)| !rows.is_empty()) {
            Some((table, _)) => Err(CacheError::UnknownTable { table: table.to_string() }),
            None => Ok(()),
        }
    }
}

impl Table {
    pub fn schema(&self) -> &Arc<TableSchema> {
        &self.schema
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub fn row(&self, uuid: Uuid) -> Option<RowView<'_>> {
        let row = self.rows.get(&uuid)?;
        Some(RowView { table: &self.schema, uuid, row })
    }

    /// All rows, ascending by identifier.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = RowView<'_>> {
        self.rows.iter().map(|(uuid, row)| RowView { table: &self.schema, uuid: *uuid, row })
    }

    /// The rows that an index has under a key, ascending; none if there is no such index.
    pub fn find(&self, index: &str, key: &[Atom]) -> &[Uuid] {
        self.index(index).map_or(&[], |index| index.postings.rows(key))
    }

    /// The first row that an index has under a key.
    pub fn find_row(&self, index: &str, key: &[Atom]) -> Option<RowView<'_>> {
        self.find(index, key).first().and_then(|uuid| self.row(*uuid))
    }

    /// The keys of an index that are not smaller than `from`, ascending; none if there is no such
    /// index. A key has at least one row. Combined keys are left out, and keys that are rows
    /// themselves: whoever wants those reads the table.
    pub fn keys_from<'a>(
        &'a self,
        index: &str,
        from: &Atom,
    ) -> impl Iterator<Item = &'a Atom> + use<'a> {
        self.index(index).map(|index| index.postings.keys_from(from)).into_iter().flatten()
    }

    fn index(&self, name: &str) -> Option<&KeptIndex> {
        self.indexes.iter().find(|index| index.declared.name == name)
    }

    fn apply(&mut self, uuid: Uuid, update: RowUpdate) -> Result<Option<Change>, CacheError> {
        let kind = match update {
            RowUpdate::Insert(row) => Some(self.insert(uuid, row)?),
            RowUpdate::Delete => Some(self.delete(uuid)?),
            RowUpdate::Replace(row) => self.replace(uuid, row)?,
            RowUpdate::Modify(difference) => self.modify(uuid, difference)?,
        };
        Ok(kind.map(|kind| Change { table: Arc::clone(&self.schema), uuid, kind }))
    }

    fn insert(&mut self, uuid: Uuid, row: Row) -> Result<ChangeKind, CacheError> {
        if self.rows.contains_key(&uuid) {
            return Err(CacheError::InsertedTwice { table: Arc::clone(&self.schema.name), uuid });
        }
        let view = RowView { table: &self.schema, uuid, row: &row };
        for KeptIndex { declared, postings, .. } in &mut self.indexes {
            declared.keys(view, |key| postings.add(&key, uuid));
        }
        self.rows.insert(uuid, row);
        Ok(ChangeKind::Inserted)
    }

    fn delete(&mut self, uuid: Uuid) -> Result<ChangeKind, CacheError> {
        let row = self.rows.remove(&uuid).ok_or_else(|| self.unknown(uuid))?;
        let view = RowView { table: &self.schema, uuid, row: &row };
        for KeptIndex { declared, postings, .. } in &mut self.indexes {
            declared.keys(view, |key| postings.remove(&key, uuid));
        }
        Ok(ChangeKind::Deleted { row })
    }

    fn replace(&mut self, uuid: Uuid, row: Row) -> Result<Option<ChangeKind>, CacheError> {
        let schema = Arc::clone(&self.schema);
        let old = self.rows.get(&uuid).ok_or_else(|| self.unknown(uuid))?;
        let difference = schema.columns().filter_map(|(id, column)| {
            let (old, new) = (old.get(&schema, id), row.get(&schema, id));
            let is_composite = column.kind.is_composite();
            let difference = || if is_composite { old.difference(new) } else { new.clone() };
            (old != new).then(|| (id, difference()))
        });
        let difference = Row::exactly(difference);
        self.modify(uuid, difference)
    }

    /// Changes columns of a standing row and moves its index entries.
    fn modify(&mut self, uuid: Uuid, difference: Row) -> Result<Option<ChangeKind>, CacheError> {
        let Self { schema, rows, indexes } = self;
        let Some(row) = rows.get_mut(&uuid) else { return Err(self.unknown(uuid)) };
        let view = RowView { table: schema, uuid, row };
        let before: Vec<(usize, Vec<IndexKey>)> = indexes
            .iter()
            .enumerate()
            .filter(|(_, index)| index.computes_from(&difference))
            .map(|(at, index)| (at, index.declared.computed_keys(view)))
            .collect();
        let mut undo = Vec::with_capacity(difference.columns().len());
        for (id, difference) in difference {
            let Some(former) = change_column(schema, row, id, difference) else { continue };
            let (column, now) = (schema.column(id), row.get(schema, id));
            for index in indexes.iter_mut().filter(|index| index.lists(id)) {
                match column.kind.is_composite() {
                    true => index.postings.exchange_members(&former, now, uuid),
                    false => index.postings.exchange_members(&former.difference(now), now, uuid),
                }
            }
            undo.push((id, former));
        }
        let view = RowView { table: schema, uuid, row };
        for (at, keys) in before {
            let KeptIndex { declared, postings, .. } = &mut indexes[at];
            postings.exchange(&keys, &declared.computed_keys(view), uuid);
        }
        Ok((!undo.is_empty()).then(|| ChangeKind::Modified { undo: Row::exactly(undo) }))
    }

    fn unknown(&self, uuid: Uuid) -> CacheError {
        CacheError::UnknownRow { table: Arc::clone(&self.schema.name), uuid }
    }
}

/// Changes one column; returns what takes it back, or nothing if the value stayed the same.
fn change_column(
    table: &TableSchema,
    row: &mut Row,
    id: ColumnId,
    difference: Datum,
) -> Option<Datum> {
    if table.column(id).kind.is_composite() {
        let undo = row.change(table, id, difference);
        return (!undo.is_empty()).then_some(undo);
    }
    if *row.get(table, id) == difference {
        return None;
    }
    let former = row.put(table, id, difference);
    Some(former.unwrap_or_else(|| table.column(id).default().clone()))
}
