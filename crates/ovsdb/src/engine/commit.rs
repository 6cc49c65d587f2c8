//! Makes a settled draft the content of the database.
//!
//! Invariant: cannot fail; everything that could be wrong was found while settling.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::catalog::{Catalog, RowId};
use super::draft::Edit;
use super::settle::Gains;
use super::table::Stored;
use super::{Engine, RowChange};
use crate::row::Row;
use crate::schema::Strength;
use crate::value::Uuid;

impl Engine {
    pub(super) fn commit(&mut self, edits: BTreeMap<RowId, Edit>, gains: &Gains) -> Vec<RowChange> {
        // Keys are released before any is claimed, because rows may exchange theirs.
        for (table, uuid) in edits.keys() {
            let table = &mut self.tables[table.place()];
            if let Some(row) = table.rows.get(uuid).map(|stored| Arc::clone(&stored.row)) {
                table.release_keys(&row);
            }
        }
        let mut changes = Vec::with_capacity(edits.len());
        for (id, edit) in edits {
            let new_version = edit.version;
            let (old, old_version) = self.replace(id, edit.clone());
            self.move_weak_sources(id, old.as_deref(), edit.row.as_deref());
            let (table, new) = (Arc::clone(self.catalog.table(id.0)), edit.row);
            changes.push(RowChange { table, uuid: id.1, old, new, old_version, new_version });
        }
        for ((table, uuid), gain) in gains {
            if let Some(stored) = self.tables[table.place()].rows.get_mut(uuid) {
                stored.references = stored.references.saturating_add_signed(*gain);
            }
        }
        changes
    }

    /// Puts a row in place; the one that was there, and its version.
    fn replace(&mut self, (table, uuid): RowId, edit: Edit) -> (Option<Arc<Row>>, Uuid) {
        let table = &mut self.tables[table.place()];
        let before = match edit.row {
            None => table.rows.remove(&uuid),
            Some(row) => {
                table.claim_keys(uuid, &row);
                let references = table.rows.get(&uuid).map_or(0, |stored| stored.references);
                table.rows.insert(uuid, Stored { row, version: edit.version, references })
            }
        };
        let version = before.as_ref().map_or_else(Uuid::nil, |stored| stored.version);
        (before.map(|stored| stored.row), version)
    }

    fn move_weak_sources(&mut self, id: RowId, old: Option<&Row>, new: Option<&Row>) {
        let before = weak_targets(&self.catalog, id, old);
        let after = weak_targets(&self.catalog, id, new);
        for (table, uuid) in before.difference(&after) {
            self.tables[table.place()].remove_weak_source(*uuid, id);
        }
        for (table, uuid) in after.difference(&before) {
            self.tables[table.place()].add_weak_source(*uuid, id);
        }
    }
}

fn weak_targets(catalog: &Catalog, id: RowId, row: Option<&Row>) -> BTreeSet<RowId> {
    let Some(row) = row else { return BTreeSet::new() };
    let schema = catalog.table(id.0);
    let columns = catalog.references(id.0).iter();
    let targets =
        columns.flat_map(|column| column.targets(Strength::Weak, row.get(schema, column.id)));
    targets.collect()
}
