//! The schema as the engine uses it: tables by number, and where their references are.
//!
//! Invariant: numbers follow the tables' names, so an order by number is an order by name.

use std::sync::Arc;

use crate::fault::Fault;
use crate::schema::{BaseType, ColumnId, DatabaseSchema, Strength, TableSchema};
use crate::value::{Datum, Uuid};

/// A table, by its place among the tables sorted by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TableId(usize);

/// A row of the database.
pub(super) type RowId = (TableId, Uuid);

/// The tables of one database.
#[derive(Debug, Clone)]
pub(crate) struct Catalog(Vec<Entry>);

#[derive(Debug, Clone)]
struct Entry {
    schema: Arc<TableSchema>,
    references: Vec<ReferenceColumn>,
}

/// A column that holds identifiers of rows.
#[derive(Debug, Clone)]
pub(super) struct ReferenceColumn {
    pub(super) id: ColumnId,
    key: Option<(TableId, Strength)>,
    value: Option<(TableId, Strength)>,
}

impl Catalog {
    pub(super) fn new(schema: &DatabaseSchema) -> Self {
        let names: Vec<&str> = schema.tables().map(|table| &*table.name).collect();
        let target = |base: Option<&BaseType>| {
            let reference = base?.reference()?;
            let at = names.binary_search(&&*reference.table).ok()?;
            Some((TableId(at), reference.strength))
        };
        let entry = |table: &Arc<TableSchema>| {
            let references = table.columns().filter_map(|(id, column)| {
                let (key, value) = (&column.kind.key, column.kind.value.as_ref());
                let column = ReferenceColumn { id, key: target(Some(key)), value: target(value) };
                (column.key.is_some() || column.value.is_some()).then_some(column)
            });
            Entry { references: references.collect(), schema: Arc::clone(table) }
        };
        Self(schema.tables().map(entry).collect())
    }

    pub(super) fn find(&self, name: &str) -> Result<(TableId, &TableSchema), Fault> {
        let at = self.0.binary_search_by(|entry| (*entry.schema.name).cmp(name));
        match at {
            Ok(at) => Ok((TableId(at), &self.0[at].schema)),
            Err(_) => Err(Fault::syntax(format!("no table named {name}"))),
        }
    }

    pub(super) fn table(&self, id: TableId) -> &Arc<TableSchema> {
        &self.0[id.0].schema
    }

    pub(super) fn references(&self, id: TableId) -> &[ReferenceColumn] {
        &self.0[id.0].references
    }

    pub(super) fn ids(&self) -> impl ExactSizeIterator<Item = TableId> + use<> {
        (0..self.0.len()).map(TableId)
    }
}

impl TableId {
    pub(super) fn place(self) -> usize {
        self.0
    }
}

impl ReferenceColumn {
    pub(super) fn has(&self, strength: Strength) -> bool {
        [self.key, self.value].into_iter().flatten().any(|(_, own)| own == strength)
    }

    /// The rows that a value refers to with this strength; one that it names twice comes twice.
    pub(super) fn targets<'a>(
        &self,
        strength: Strength,
        datum: &'a Datum,
    ) -> impl Iterator<Item = RowId> + use<'a> {
        let (key, value) = (self.key, self.value);
        let members = datum.atoms().iter().map(|atom| (Some(atom), None));
        let entries = datum.entries().iter().map(|(key, value)| (Some(key), Some(value)));
        members.chain(entries).flat_map(move |(first, second)| {
            let one = |part: Option<(TableId, Strength)>, atom: Option<&crate::value::Atom>| {
                let (table, own) = part?;
                Some((table, atom?.as_uuid()?)).filter(|_| own == strength)
            };
            [one(key, first), one(value, second)].into_iter().flatten()
        })
    }

    /// The value without the members or entries whose weakly referenced rows are gone.
    pub(super) fn without_lost(&self, datum: &Datum, exists: impl Fn(RowId) -> bool) -> Datum {
        let stays = |part: Option<(TableId, Strength)>, atom: Option<&crate::value::Atom>| {
            let (Some((table, Strength::Weak)), Some(atom)) = (part, atom) else { return true };
            atom.as_uuid().is_none_or(|uuid| exists((table, uuid)))
        };
        datum.filter(|first, second| stays(self.key, Some(first)) && stays(self.value, second))
    }
}
