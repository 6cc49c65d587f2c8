//! What a schema says about who refers to whom, and which columns need care.
//!
//! Invariant: computed once per schema; holds no rows.

use std::collections::BTreeMap;
use std::sync::Arc;

use ovsdb::DatabaseSchema;
use ovsdb::schema::{BaseType, ColumnId, ColumnSchema, Strength, TableSchema};
use ovsdb::value::Atom;

/// A column that keeps rows of another table alive.
#[derive(Debug, Clone)]
pub(crate) struct Link {
    pub(crate) table: Arc<TableSchema>,
    pub(crate) column: ColumnId,
}

#[derive(Debug)]
pub(crate) struct Links {
    tables: Vec<Arc<TableSchema>>,
    /// By referenced table.
    parents: BTreeMap<Arc<str>, Vec<Link>>,
}

impl Links {
    pub(crate) fn of(schema: &DatabaseSchema) -> Self {
        let mut parents: BTreeMap<Arc<str>, Vec<Link>> = BTreeMap::new();
        for table in schema.tables() {
            for (id, column) in table.columns() {
                let bases = [Some(&column.kind.key), column.kind.value.as_ref()];
                for reference in bases.into_iter().flatten().filter_map(BaseType::reference) {
                    if reference.strength == Strength::Strong {
                        let link = Link { table: Arc::clone(table), column: id };
                        parents.entry(Arc::clone(&reference.table)).or_default().push(link);
                    }
                }
            }
        }
        Self { tables: schema.tables().cloned().collect(), parents }
    }

    pub(crate) fn tables(&self) -> impl Iterator<Item = &Arc<TableSchema>> {
        self.tables.iter()
    }

    /// The columns that keep rows of this table alive.
    pub(crate) fn parents(&self, table: &str) -> &[Link] {
        self.parents.get(table).map_or(&[], |links| links)
    }

    /// Every strong reference, with the table it refers to.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&Arc<str>, &Link)> {
        self.parents.iter().flat_map(|(table, links)| links.iter().map(move |link| (table, link)))
    }

    /// Whether rows must differ in this column.
    pub(crate) fn is_indexed(&self, table: &TableSchema, column: &ColumnSchema) -> bool {
        table.indexes.iter().flatten().any(|id| table.column(*id).name == column.name)
    }

    /// Whether an insert has to set the column, because its default is refused.
    pub(crate) fn is_required(&self, table: &TableSchema, column: &ColumnSchema) -> bool {
        let default = column.default();
        let violates = default.atoms().iter().any(|atom| column.kind.key.check(atom).is_err());
        let dangles = column.kind.key.reference().is_some() && default.atoms().iter().any(is_uuid);
        violates || dangles || self.is_indexed(table, column)
    }
}

fn is_uuid(atom: &Atom) -> bool {
    atom.as_uuid().is_some()
}
