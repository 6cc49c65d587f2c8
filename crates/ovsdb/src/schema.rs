//! Database schemas: tables, columns, types and the constraints on them.
//!
//! [`DatabaseSchema::parse`] reads the JSON of RFC 7047 §3.2 and refuses what the server refuses.
//! Invariant: every table a column refers to exists, and so does every indexed column.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::value::{AtomKind, Datum};

mod base_type;
mod parse;
mod render;
#[cfg(test)]
mod tests;

pub use base_type::{BaseType, Bounds, Reference, Strength};
pub use parse::SchemaError;

/// A whole database's schema.
#[derive(Debug, Clone, PartialEq)]
pub struct DatabaseSchema {
    pub name: String,
    /// `major.minor.patch`.
    pub version: String,
    pub checksum: Option<String>,
    tables: BTreeMap<Arc<str>, Arc<TableSchema>>,
}

impl DatabaseSchema {
    /// A schema of the given tables, or why they do not fit together.
    pub fn new(
        name: &str,
        version: &str,
        tables: impl IntoIterator<Item = TableSchema>,
    ) -> Result<Self, SchemaError> {
        let mut tables: BTreeMap<Arc<str>, TableSchema> =
            tables.into_iter().map(|table| (table.name.clone(), table)).collect();
        parse::keep_referenced_rows(&mut tables);
        let schema = Self {
            name: name.to_owned(),
            version: version.to_owned(),
            checksum: None,
            tables: tables.into_iter().map(|(name, table)| (name, Arc::new(table))).collect(),
        };
        parse::check_references(&schema)?;
        Ok(schema)
    }

    pub fn table(&self, name: &str) -> Option<&Arc<TableSchema>> {
        self.tables.get(name)
    }

    /// All tables, by name.
    pub fn tables(&self) -> impl ExactSizeIterator<Item = &Arc<TableSchema>> {
        self.tables.values()
    }
}

/// A column of one table, by its place among that table's columns sorted by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ColumnId(pub u16);

/// One table's schema.
#[derive(Debug, Clone, PartialEq)]
pub struct TableSchema {
    pub name: Arc<str>,
    columns: Vec<ColumnSchema>,
    pub max_rows: Option<u64>,
    /// Rows of a root table live without being referred to.
    pub is_root: bool,
    /// Each a set of columns whose combined value no two rows may share.
    pub indexes: Vec<Vec<ColumnId>>,
}

impl TableSchema {
    /// A root table without indexes or a row limit; columns in any order.
    pub fn new(name: &str, columns: impl IntoIterator<Item = ColumnSchema>) -> Self {
        let mut columns: Vec<ColumnSchema> = columns.into_iter().collect();
        columns.sort_by(|a, b| a.name.cmp(&b.name));
        Self { name: name.into(), columns, max_rows: None, is_root: true, indexes: Vec::new() }
    }

    /// All columns, ascending by name.
    pub fn columns(&self) -> impl ExactSizeIterator<Item = (ColumnId, &ColumnSchema)> {
        // A parsed table has at most u16::MAX columns, so the cast cannot wrap.
        self.columns.iter().enumerate().map(|(at, column)| (ColumnId(at as u16), column))
    }

    pub fn column_id(&self, name: &str) -> Option<ColumnId> {
        let at = self.columns.binary_search_by(|column| (*column.name).cmp(name)).ok()?;
        Some(ColumnId(at as u16))
    }

    /// The column with this place; the id must come from this table.
    pub fn column(&self, id: ColumnId) -> &ColumnSchema {
        &self.columns[usize::from(id.0)]
    }

    /// A column and its place, by name.
    pub fn find(&self, name: &str) -> Option<(ColumnId, &ColumnSchema)> {
        let id = self.column_id(name)?;
        Some((id, self.column(id)))
    }
}

/// One column's schema.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnSchema {
    pub name: Arc<str>,
    pub kind: ColumnType,
    /// Not written to disk; lost when the server restarts.
    pub ephemeral: bool,
    /// Whether a row's value may change after the insert.
    pub mutable: bool,
    default: Datum,
}

impl ColumnSchema {
    /// A durable, mutable column.
    pub fn new(name: &str, kind: ColumnType) -> Self {
        let default = kind.default_datum();
        Self { name: name.into(), kind, ephemeral: false, mutable: true, default }
    }

    /// What the column holds in a row that never set it.
    pub fn default(&self) -> &Datum {
        &self.default
    }
}

/// The type of a column: base types and how many of them.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnType {
    pub key: BaseType,
    /// Present for maps.
    pub value: Option<BaseType>,
    /// 0 or 1 for stored columns.
    pub min: u32,
    /// `None` is unlimited.
    pub max: Option<u32>,
}

impl ColumnType {
    /// Exactly one value.
    pub fn scalar(key: BaseType) -> Self {
        Self { key, value: None, min: 1, max: Some(1) }
    }

    /// At most one value.
    pub fn optional(key: BaseType) -> Self {
        Self { key, value: None, min: 0, max: Some(1) }
    }

    /// Any number of values.
    pub fn set(key: BaseType) -> Self {
        Self { key, value: None, min: 0, max: None }
    }

    /// Any number of entries.
    pub fn map(key: BaseType, value: BaseType) -> Self {
        Self { key, value: Some(value), min: 0, max: None }
    }

    pub fn is_map(&self) -> bool {
        self.value.is_some()
    }

    pub fn is_scalar(&self) -> bool {
        !self.is_map() && self.min == 1 && self.max == Some(1)
    }

    /// Whether it may hold more than one value, so that updates carry differences.
    pub fn is_composite(&self) -> bool {
        self.max.is_none_or(|max| max > 1)
    }

    /// Whether this many members are allowed.
    pub fn allows_count(&self, count: usize) -> bool {
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        count >= u64::from(self.min) && self.max.is_none_or(|max| count <= u64::from(max))
    }

    /// Whether any part of it refers to rows of a table with this strength.
    pub fn has_reference(&self, strength: Strength) -> bool {
        let parts = [Some(&self.key), self.value.as_ref()];
        parts
            .into_iter()
            .flatten()
            .any(|base| base.reference().is_some_and(|reference| reference.strength == strength))
    }

    fn default_datum(&self) -> Datum {
        let one = |base: &BaseType| base.kind().default_atom();
        match (&self.value, self.min) {
            (None, 0) => Datum::empty_set(),
            (None, _) => Datum::from(one(&self.key)),
            (Some(_), 0) => Datum::empty_map(),
            (Some(value), _) => Datum::map([(one(&self.key), one(value))]),
        }
    }
}

impl From<AtomKind> for ColumnType {
    fn from(kind: AtomKind) -> Self {
        Self::scalar(BaseType::from(kind))
    }
}
