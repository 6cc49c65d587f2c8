//! What an update changed, for those who follow a replica.
//!
//! Invariant: a change never lists a column whose value stayed the same.

use std::sync::Arc;

use crate::row::Row;
use crate::schema::{ColumnId, TableSchema};
use crate::value::Uuid;

/// One row that came, changed or went.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    pub table: Arc<TableSchema>,
    pub uuid: Uuid,
    pub kind: ChangeKind,
}

/// What happened to the row.
#[derive(Debug, Clone, PartialEq)]
pub enum ChangeKind {
    Inserted,
    /// What takes back exactly the columns that changed: a difference for sets and maps, which may
    /// be long, else the former value.
    Modified {
        undo: Row,
    },
    /// The row as it last was.
    Deleted {
        row: Row,
    },
}

impl Change {
    /// The columns that changed; empty for rows that came or went.
    pub fn columns(&self) -> Vec<ColumnId> {
        match &self.kind {
            ChangeKind::Modified { undo } => undo.columns().map(|(id, _)| id).collect(),
            ChangeKind::Inserted | ChangeKind::Deleted { .. } => Vec::new(),
        }
    }

    /// Whether a column, by name, is among those that changed.
    pub fn touches(&self, column: &str) -> bool {
        self.table.column_id(column).is_some_and(|id| self.columns().contains(&id))
    }

    /// The row as it was before, made of the row as it is after; `None` if it came or went.
    pub fn former(&self, now: &Row) -> Option<Row> {
        let ChangeKind::Modified { undo } = &self.kind else { return None };
        let mut row = now.clone();
        for (id, undo) in undo.columns() {
            if self.table.column(id).kind.is_composite() {
                row.change(&self.table, id, undo.clone());
            } else {
                row.put(&self.table, id, undo.clone());
            }
        }
        Some(row)
    }
}
