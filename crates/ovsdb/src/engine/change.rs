//! Rows that a transaction changed, as monitors and replicas need them.
//!
//! Invariant: old and new are never equal, and never both absent.

use std::sync::Arc;

use crate::cache::{RowUpdate, TableUpdates};
use crate::row::Row;
use crate::schema::{ColumnId, TableSchema};
use crate::value::{Datum, Uuid};

/// One row that came, changed or went.
#[derive(Debug, Clone, PartialEq)]
pub struct RowChange {
    pub table: Arc<TableSchema>,
    pub uuid: Uuid,
    /// The row before, unless it was inserted.
    pub old: Option<Arc<Row>>,
    /// The row after, unless it was deleted.
    pub new: Option<Arc<Row>>,
    /// The `_version` that the row had, nil if it was inserted.
    pub old_version: Uuid,
    /// The `_version` that the row has, nil if it was deleted.
    pub new_version: Uuid,
}

impl RowChange {
    /// The columns that differ; every column if the row came or went.
    pub fn columns(&self) -> Vec<ColumnId> {
        let differs = |id: &ColumnId| match (&self.old, &self.new) {
            (Some(old), Some(new)) => old.get(&self.table, *id) != new.get(&self.table, *id),
            (None, _) | (_, None) => true,
        };
        self.table.columns().map(|(id, _)| id).filter(differs).collect()
    }

    /// What `update2` says of a changed column: a difference for sets and maps, else the value.
    pub fn difference(&self, id: ColumnId) -> Option<Datum> {
        let (old, new) = (self.old.as_ref()?, self.new.as_ref()?);
        let (old, new) = (old.get(&self.table, id), new.get(&self.table, id));
        let is_composite = self.table.column(id).kind.is_composite();
        Some(if is_composite { old.difference(new) } else { new.clone() })
    }

    /// The change as a replica takes it.
    pub fn update(&self) -> RowUpdate {
        match (&self.old, &self.new) {
            (_, None) => RowUpdate::Delete,
            (None, Some(new)) => RowUpdate::Insert(Row::clone(new)),
            (Some(_), Some(_)) => {
                let columns = self.columns().into_iter();
                let differences = columns.filter_map(|id| Some((id, self.difference(id)?)));
                RowUpdate::Modify(Row::exactly(differences))
            }
        }
    }
}

impl FromIterator<RowChange> for TableUpdates {
    /// The changes as a [`crate::Cache`] takes them; rows of one table must be adjacent.
    fn from_iter<I: IntoIterator<Item = RowChange>>(changes: I) -> Self {
        let mut updates = Self::default();
        for change in changes {
            let row = (change.uuid, change.update());
            match updates.0.last_mut() {
                Some((name, rows)) if *name == change.table.name => rows.push(row),
                Some(_) | None => {
                    updates.0.push((Arc::clone(&change.table.name), vec![row]));
                }
            }
        }
        updates
    }
}
