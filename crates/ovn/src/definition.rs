//! The static description of a database that generated code carries.
//!
//! From it come the names, the in-memory engine's schema, and every rule that follows from the
//! schema, such as which columns list which rows.
//! Invariant: [`DatabaseDef::to_schema`] of generated code equals the schema it was generated from.

use std::collections::BTreeSet;

use ovsdb::schema::{
    BaseType, Bounds, ColumnId, ColumnSchema, ColumnType, DatabaseSchema, Strength, TableSchema,
};
use ovsdb::value::{AtomKind, Real};

/// A database.
#[derive(Debug)]
pub struct DatabaseDef {
    pub name: &'static str,
    pub version: &'static str,
    pub tables: &'static [&'static TableDef],
}

/// A table.
#[derive(Debug)]
pub struct TableDef {
    pub name: &'static str,
    pub is_root: bool,
    pub max_rows: Option<u64>,
    pub indexes: &'static [&'static [&'static str]],
    pub columns: &'static [ColumnDef],
}

/// A column.
#[derive(Debug)]
pub struct ColumnDef {
    pub name: &'static str,
    pub key: BaseDef,
    pub value: Option<BaseDef>,
    pub min: u32,
    pub max: Option<u32>,
    pub ephemeral: bool,
    pub mutable: bool,
}

/// The type of a key or value.
#[derive(Debug, Clone, Copy)]
pub enum BaseDef {
    Boolean,
    Integer,
    IntegerIn(i64, i64),
    Real,
    RealIn(Option<f64>, Option<f64>),
    String,
    /// Lengths in characters.
    StringOf(u64, u64),
    OneOf(&'static [&'static str]),
    OneOfIntegers(&'static [i64]),
    Uuid,
    Strong(&'static str),
    Weak(&'static str),
}

impl DatabaseDef {
    pub fn table(&self, name: &str) -> Option<&'static TableDef> {
        let at = self.tables.binary_search_by(|table| table.name.cmp(name)).ok()?;
        Some(self.tables[at])
    }

    /// The schema, as a server would give it, without a checksum.
    pub fn to_schema(&self) -> DatabaseSchema {
        let tables = self.tables.iter().map(|table| table.to_schema());
        DatabaseSchema::new(self.name, self.version, tables)
            .expect("generated definitions come from a schema that was checked")
    }

    /// Every set column that refers to rows of `target`, as (table, column).
    pub fn referrers(
        &self,
        target: &str,
    ) -> impl Iterator<Item = (&'static TableDef, &'static ColumnDef)> {
        let columns = self.tables.iter().flat_map(|table| {
            let table: &'static TableDef = table;
            table.columns.iter().map(move |column| (table, column))
        });
        columns.filter(move |(_, column)| column.refers_to(target))
    }
}

impl TableDef {
    pub fn column(&self, name: &str) -> Option<&'static ColumnDef> {
        let at = self.columns.binary_search_by(|column| column.name.cmp(name)).ok()?;
        Some(&self.columns[at])
    }

    fn to_schema(&self) -> TableSchema {
        let mut table = TableSchema::new(self.name, self.columns.iter().map(ColumnDef::to_schema));
        table.is_root = self.is_root;
        table.max_rows = self.max_rows;
        let ids = |index: &&[&str]| -> BTreeSet<ColumnId> {
            index.iter().filter_map(|name| table.column_id(name)).collect()
        };
        table.indexes = self.indexes.iter().map(|index| ids(index).into_iter().collect()).collect();
        table
    }
}

impl ColumnDef {
    /// Exactly one value.
    pub const fn scalar(name: &'static str, key: BaseDef) -> Self {
        Self::sized(name, key, 1, Some(1))
    }

    /// At most one value.
    pub const fn optional(name: &'static str, key: BaseDef) -> Self {
        Self::sized(name, key, 0, Some(1))
    }

    /// Any number of values.
    pub const fn set(name: &'static str, key: BaseDef) -> Self {
        Self::sized(name, key, 0, None)
    }

    /// A set of some other size.
    pub const fn sized(name: &'static str, key: BaseDef, min: u32, max: Option<u32>) -> Self {
        Self { name, key, value: None, min, max, ephemeral: false, mutable: true }
    }

    /// Any number of entries.
    pub const fn map(name: &'static str, key: BaseDef, value: BaseDef) -> Self {
        Self { value: Some(value), ..Self::set(name, key) }
    }

    pub const fn ephemeral(self) -> Self {
        Self { ephemeral: true, ..self }
    }

    pub const fn immutable(self) -> Self {
        Self { mutable: false, ..self }
    }

    /// Whether it is a set whose members are rows of `target`.
    pub fn refers_to(&self, target: &str) -> bool {
        self.value.is_none() && self.key.target() == Some(target)
    }

    fn to_schema(&self) -> ColumnSchema {
        let kind = ColumnType {
            key: self.key.to_base_type(),
            value: self.value.map(BaseDef::to_base_type),
            min: self.min,
            max: self.max,
        };
        let mut column = ColumnSchema::new(self.name, kind);
        column.ephemeral = self.ephemeral;
        column.mutable = self.mutable;
        column
    }
}

impl BaseDef {
    /// The table that it refers to.
    pub fn target(self) -> Option<&'static str> {
        match self {
            Self::Strong(table) | Self::Weak(table) => Some(table),
            Self::Boolean
            | Self::Integer
            | Self::IntegerIn(..)
            | Self::Real
            | Self::RealIn(..)
            | Self::String
            | Self::StringOf(..)
            | Self::OneOf(_)
            | Self::OneOfIntegers(_)
            | Self::Uuid => None,
        }
    }

    /// The atomic type.
    pub fn kind(self) -> AtomKind {
        match self {
            Self::Boolean => AtomKind::Boolean,
            Self::Integer | Self::IntegerIn(..) | Self::OneOfIntegers(_) => AtomKind::Integer,
            Self::Real | Self::RealIn(..) => AtomKind::Real,
            Self::String | Self::StringOf(..) | Self::OneOf(_) => AtomKind::String,
            Self::Uuid | Self::Strong(_) | Self::Weak(_) => AtomKind::Uuid,
        }
    }

    fn to_base_type(self) -> BaseType {
        let limit = |number: f64| Real::new(number).expect("a schema's limits are finite");
        match self {
            Self::Boolean => AtomKind::Boolean.into(),
            Self::Integer => AtomKind::Integer.into(),
            Self::IntegerIn(min, max) => BaseType::new(Bounds::Integer { min, max }, None),
            Self::Real => AtomKind::Real.into(),
            Self::RealIn(min, max) => {
                BaseType::new(Bounds::Real { min: min.map(limit), max: max.map(limit) }, None)
            }
            Self::String => AtomKind::String.into(),
            Self::StringOf(min, max) => BaseType::new(Bounds::String { min, max }, None),
            Self::OneOf(allowed) => BaseType::one_of(allowed),
            Self::OneOfIntegers(allowed) => BaseType::one_of(allowed),
            Self::Uuid => AtomKind::Uuid.into(),
            Self::Strong(table) => BaseType::reference_to(table, Strength::Strong),
            Self::Weak(table) => BaseType::reference_to(table, Strength::Weak),
        }
    }
}
