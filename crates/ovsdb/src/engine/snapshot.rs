//! Reading an engine's content, whole or row by row, and starting one from it.
//!
//! Invariant: an engine restored from another's snapshot has the same rows.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Engine;
use super::draft::{Draft, Edit};
use super::field::Current;
use super::table::Table;
use crate::cache::{RowUpdate, RowView, TableUpdates};
use crate::fault::Fault;
use crate::row::Row;
use crate::schema::DatabaseSchema;
use crate::value::Uuid;

impl Engine {
    /// A database with this content, which must be inserts only; `uuids` draws row versions.
    pub fn restore(
        schema: Arc<DatabaseSchema>,
        content: TableUpdates,
        uuids: &mut dyn FnMut() -> Uuid,
    ) -> Result<Self, Fault> {
        let mut engine = Self::new(schema);
        let catalog = Arc::clone(&engine.catalog);
        let mut draft = Draft::new(&catalog, &engine.tables);
        for (name, rows) in content.0 {
            let (table, _) = catalog.find(&name)?;
            for (uuid, update) in rows {
                let RowUpdate::Insert(row) = update else {
                    return Err(Fault::syntax("a snapshot holds whole rows only"));
                };
                draft.put((table, uuid), Arc::new(row), uuids);
            }
        }
        let gains = draft.settle(uuids)?;
        let edits = draft.edits;
        engine.commit(edits, &gains);
        Ok(engine)
    }

    /// The whole content, every row as an insert.
    pub fn snapshot(&self) -> TableUpdates {
        let filled = self.tables.iter().filter(|table| !table.rows.is_empty());
        TableUpdates(filled.map(rows_of).collect())
    }

    /// The rows of a table, ascending by identifier; none if there is no such table.
    pub fn rows(&self, table: &str) -> impl Iterator<Item = RowView<'_>> {
        self.find(table).into_iter().flat_map(|table| {
            let schema = &table.schema;
            let rows = table.rows.iter();
            rows.map(|(uuid, stored)| RowView { table: schema, uuid: *uuid, row: &stored.row })
        })
    }

    /// The rows of a table with their versions.
    pub(crate) fn current_rows(&self, table: &str) -> impl Iterator<Item = Current<'_>> {
        self.find(table).into_iter().flat_map(|table| {
            table.rows.iter().map(|(uuid, stored)| Current {
                table: &table.schema,
                uuid: *uuid,
                version: stored.version,
                row: &stored.row,
            })
        })
    }

    /// One row.
    pub fn row(&self, table: &str, uuid: Uuid) -> Option<RowView<'_>> {
        let table = self.find(table)?;
        let stored = table.rows.get(&uuid)?;
        Some(RowView { table: &table.schema, uuid, row: &stored.row })
    }

    /// How many rows a table has.
    pub fn count(&self, table: &str) -> usize {
        self.find(table).map_or(0, |table| table.rows.len())
    }

    /// Does what a restart of a server does: ephemeral columns return to their defaults.
    pub fn restart(&mut self) -> Vec<super::RowChange> {
        let catalog = Arc::clone(&self.catalog);
        let mut draft = Draft::new(&catalog, &self.tables);
        for id in catalog.ids() {
            let forgotten = forgetful_rows(draft.committed(id));
            draft.edits.extend(forgotten.into_iter().map(|(uuid, edit)| ((id, uuid), edit)));
        }
        // Ephemeral columns keep no row alive, so nothing but these rows can change; a default
        // that names no row is left as it is.
        let gains = draft.count_references().unwrap_or_default();
        let edits = draft.edits;
        self.commit(edits, &gains)
    }

    fn find(&self, table: &str) -> Option<&Table> {
        self.catalog.find(table).ok().map(|(id, _)| &self.tables[id.place()])
    }
}

fn rows_of(table: &Table) -> (Arc<str>, Vec<(Uuid, RowUpdate)>) {
    let insert = |uuid: &Uuid, row: &Row| (*uuid, RowUpdate::Insert(row.clone()));
    let rows = table.rows.iter().map(|(uuid, stored)| insert(uuid, &stored.row));
    (Arc::clone(&table.schema.name), rows.collect())
}

/// The rows whose ephemeral columns are set, without them.
fn forgetful_rows(table: &Table) -> BTreeMap<Uuid, Edit> {
    let ephemeral: Vec<_> = table.schema.columns().filter(|(_, column)| column.ephemeral).collect();
    let mut forgotten = BTreeMap::new();
    for (uuid, stored) in &table.rows {
        if ephemeral.iter().all(|(id, _)| stored.row.stored(*id).is_none()) {
            continue;
        }
        let mut row = Row::clone(&stored.row);
        for (id, column) in &ephemeral {
            row.put(&table.schema, *id, column.default().clone());
        }
        forgotten.insert(*uuid, Edit { row: Some(Arc::new(row)), version: stored.version });
    }
    forgotten
}
