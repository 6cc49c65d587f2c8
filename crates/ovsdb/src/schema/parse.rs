//! Reads a schema from JSON, saying where it is wrong.
//!
//! Invariant: what this accepts, ovsdb-server accepts; see the tests for the refusals.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use super::{BaseType, ColumnId, ColumnSchema, DatabaseSchema, Reference, Strength, TableSchema};

mod read;
mod types;

use read::{
    Object, check_identifier, check_name, members, object, optional_bool, optional_text, positive,
    require, text,
};
use types::parse_type;

/// A schema that is not one, and the place in it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("schema: {place}: {problem}")]
pub struct SchemaError {
    /// A path such as `tables.Logical_Switch.columns.ports`.
    pub place: String,
    pub problem: String,
}

impl SchemaError {
    fn new(place: &str, problem: impl Into<String>) -> Self {
        Self { place: place.to_owned(), problem: problem.into() }
    }
}

impl DatabaseSchema {
    /// Reads the text of an `.ovsschema` file or the answer to `get_schema`.
    pub fn parse(text: &str) -> Result<Self, SchemaError> {
        let json: Value = serde_json::from_str(text)
            .map_err(|error| SchemaError::new("document", error.to_string()))?;
        Self::from_json(&json)
    }

    /// Reads a schema that is JSON already.
    pub fn from_json(json: &Value) -> Result<Self, SchemaError> {
        let root = members(json, "document", &["name", "version", "tables", "cksum"])?;
        let tables = object(require(root, "tables", "document")?, "tables")?;
        let mut parsed = BTreeMap::new();
        for (name, table) in tables {
            let place = format!("tables.{name}");
            check_name(name, &place)?;
            let table = parse_table(name, table, &place)?;
            parsed.insert(Arc::clone(&table.name), table);
        }
        // compat: ovsdb/ovsdb.c: a schema without any "isRoot" predates garbage collection.
        if parsed.values().all(|table| !table.is_root) {
            parsed.values_mut().for_each(|table| table.is_root = true);
        }
        keep_referenced_rows(&mut parsed);
        let schema = Self {
            name: parse_database_name(root)?,
            version: parse_version(root)?,
            checksum: optional_text(root, "cksum", "document")?,
            tables: parsed.into_iter().map(|(name, table)| (name, Arc::new(table))).collect(),
        };
        check_references(&schema)?;
        Ok(schema)
    }
}

fn parse_database_name(root: &Object) -> Result<String, SchemaError> {
    let name = text(require(root, "name", "document")?, "name")?;
    // The server's own database, `_Server`, is the one name with a leading underscore.
    check_identifier(name, "name")?;
    Ok(name.to_owned())
}

fn parse_version(root: &Object) -> Result<String, SchemaError> {
    let Some(version) = optional_text(root, "version", "document")? else {
        return Ok(String::new());
    };
    let parts: Vec<&str> = version.split('.').collect();
    let is_number = |part: &&str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    if parts.len() != 3 || !parts.iter().all(is_number) {
        return Err(SchemaError::new("version", format!("{version:?} is not of the form x.y.z")));
    }
    Ok(version)
}

fn parse_table(name: &str, json: &Value, place: &str) -> Result<TableSchema, SchemaError> {
    let table = members(json, place, &["columns", "maxRows", "isRoot", "indexes"])?;
    let columns = object(require(table, "columns", place)?, &format!("{place}.columns"))?;
    if columns.is_empty() {
        return Err(SchemaError::new(place, "a table must have at least one column"));
    }
    if columns.len() > usize::from(u16::MAX) {
        return Err(SchemaError::new(place, "more than 65535 columns"));
    }
    let mut parsed = Vec::with_capacity(columns.len());
    for (column, json) in columns {
        let place = format!("{place}.columns.{column}");
        check_name(column, &place)?;
        parsed.push(parse_column(column, json, &place)?);
    }
    let mut schema = TableSchema::new(name, parsed);
    schema.max_rows = match table.get("maxRows") {
        None => None,
        Some(json) => Some(positive(json, &format!("{place}.maxRows"))?),
    };
    schema.is_root = optional_bool(table, "isRoot", place)?.unwrap_or(false);
    schema.indexes = match table.get("indexes") {
        None => Vec::new(),
        Some(json) => parse_indexes(&schema, json, &format!("{place}.indexes"))?,
    };
    Ok(schema)
}

fn parse_indexes(
    table: &TableSchema,
    json: &Value,
    place: &str,
) -> Result<Vec<Vec<ColumnId>>, SchemaError> {
    let sets = json.as_array().ok_or_else(|| SchemaError::new(place, "expected an array"))?;
    let indexes = sets.iter().map(|set| parse_index(table, set, place));
    indexes.filter_map(Result::transpose).collect()
}

/// The columns of an index; nothing for one that cannot be violated.
fn parse_index(
    table: &TableSchema,
    json: &Value,
    place: &str,
) -> Result<Option<Vec<ColumnId>>, SchemaError> {
    let names = json.as_array().filter(|names| !names.is_empty());
    let names = names.ok_or_else(|| SchemaError::new(place, "expected a list of columns"))?;
    let mut columns = BTreeSet::new();
    let mut is_trivial = false;
    for name in names {
        let name = text(name, place)?;
        if name == "_uuid" || name == "_version" {
            is_trivial = true;
            continue;
        }
        let Some((id, column)) = table.find(name) else {
            return Err(SchemaError::new(place, format!("no column named {name}")));
        };
        if column.ephemeral {
            return Err(SchemaError::new(place, format!("ephemeral column {name} in an index")));
        }
        if !columns.insert(id) {
            return Err(SchemaError::new(place, format!("column {name} appears twice")));
        }
    }
    Ok((!is_trivial).then(|| columns.into_iter().collect()))
}

fn parse_column(name: &str, json: &Value, place: &str) -> Result<ColumnSchema, SchemaError> {
    let column = members(json, place, &["type", "ephemeral", "mutable"])?;
    let kind = parse_type(require(column, "type", place)?, &format!("{place}.type"))?;
    let ephemeral = optional_bool(column, "ephemeral", place)?.unwrap_or(false);
    // compat: ovsdb/column.c: a weak reference changes by itself, so it is always mutable.
    let mutable = optional_bool(column, "mutable", place)?.unwrap_or(true)
        || kind.has_reference(Strength::Weak);
    Ok(ColumnSchema { ephemeral, mutable, ..ColumnSchema::new(name, kind) })
}

/// Checks what needs the whole schema: referenced tables.
pub(super) fn check_references(schema: &DatabaseSchema) -> Result<(), SchemaError> {
    for table in schema.tables() {
        for (_, column) in table.columns() {
            let bases = [Some(&column.kind.key), column.kind.value.as_ref()];
            for reference in bases.into_iter().flatten().filter_map(BaseType::reference) {
                check_reference(schema, table, column, reference)?;
            }
        }
    }
    Ok(())
}

fn check_reference(
    schema: &DatabaseSchema,
    table: &TableSchema,
    column: &ColumnSchema,
    reference: &Reference,
) -> Result<(), SchemaError> {
    let place = format!("tables.{}.columns.{}", table.name, column.name);
    if schema.table(&reference.table).is_none() {
        let problem = format!("refers to table {}, which does not exist", reference.table);
        return Err(SchemaError::new(&place, problem));
    }
    Ok(())
}

/// Makes columns durable that keep rows of non-root tables alive.
///
/// compat: ovsdb/ovsdb.c, ovsdb_schema_check_ref_table: otherwise a restart would lose the rows.
pub(super) fn keep_referenced_rows(tables: &mut BTreeMap<Arc<str>, TableSchema>) {
    let is_collected = |table: &TableSchema| !table.is_root;
    let collected: BTreeSet<Arc<str>> =
        tables.values().filter(|table| is_collected(table)).map(|t| Arc::clone(&t.name)).collect();
    for column in tables.values_mut().flat_map(|table| &mut table.columns) {
        let bases = [Some(&column.kind.key), column.kind.value.as_ref()];
        let references = bases.into_iter().flatten().filter_map(BaseType::reference);
        let keeps_alive = references.into_iter().any(|reference| {
            reference.strength == Strength::Strong && collected.contains(&reference.table)
        });
        column.ephemeral &= !keeps_alive;
    }
}
