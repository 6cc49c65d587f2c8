//! Carries a replica over to a new schema, as after an upgrade of the server.
//!
//! Invariant: a column keeps its values where its type stayed the same; what cannot be carried
//! over has its default until the server says more.

use std::sync::Arc;

use super::{Cache, Change, ChangeKind, Index, Table};
use crate::row::Row;
use crate::schema::{DatabaseSchema, TableSchema};

impl Cache {
    /// Changes the schema; tells the rows that went because their table did.
    pub fn convert(&mut self, schema: Arc<DatabaseSchema>, indexes: &[Arc<Index>]) -> Vec<Change> {
        let mut old = std::mem::replace(self, Self::new(schema, indexes));
        for (name, table) in &mut self.tables {
            if let Some(former) = old.tables.remove(name) {
                table.take_over(former);
            }
        }
        old.tables.into_values().flat_map(Table::into_deletions).collect()
    }
}

impl Table {
    fn take_over(&mut self, former: Self) {
        if former.schema == self.schema {
            *self = Self { schema: Arc::clone(&self.schema), ..former };
            return;
        }
        for (uuid, row) in former.rows {
            let row = carry_over(&former.schema, row, &self.schema);
            let inserted = self.insert(uuid, row);
            debug_assert!(inserted.is_ok(), "a new table has no rows that could collide");
        }
    }

    fn into_deletions(self) -> impl Iterator<Item = Change> {
        let Self { schema, rows, indexes: _ } = self;
        rows.into_iter().map(move |(uuid, row)| Change {
            table: Arc::clone(&schema),
            uuid,
            kind: ChangeKind::Deleted { row },
        })
    }
}

fn carry_over(from: &TableSchema, row: Row, to: &TableSchema) -> Row {
    let columns = row.into_iter().filter_map(|(id, datum)| {
        let old = from.column(id);
        let (id, new) = to.find(&old.name)?;
        (new.kind == old.kind).then_some((id, datum))
    });
    Row::new(to, columns)
}
