//! Columns of tables.
//!
//! Reads columns as the tables of built-in kinds declare them; returns their definitions.
//! Invariant: a column with a priority above zero is for wide output only.

use serde_json::{Value, json};

use super::age::Clock;

/// A column of a built-in kind.
#[derive(Debug, Clone, Copy)]
pub(super) struct Column {
    name: &'static str,
    kind: &'static str,
    format: &'static str,
    priority: u8,
    description: &'static str,
}

/// How the objects of a built-in kind are printed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Printer {
    pub(super) columns: &'static [Column],
    pub(super) cells: fn(&Value, &Clock) -> Vec<Value>,
    /// The server writes null for no rows of kinds without columns of their own.
    pub(super) is_plain: bool,
}

impl Printer {
    pub(super) const fn new(
        columns: &'static [Column],
        cells: fn(&Value, &Clock) -> Vec<Value>,
    ) -> Self {
        Self { columns, cells, is_plain: false }
    }
}

pub(super) const NAME: Column =
    Column { format: "name", ..text("Name", "The name, unique in its namespace for its kind.") };
pub(super) const AGE: Column = text("Age", "How long ago the object was created.");
pub(super) const CONTAINERS: Column = text("Containers", "The names of the containers.").wide();
pub(super) const IMAGES: Column = text("Images", "The images the containers run.").wide();
pub(super) const SELECTOR: Column = text("Selector", "The labels of the pods it is about.").wide();

pub(super) const fn text(name: &'static str, description: &'static str) -> Column {
    Column { name, kind: "string", format: "", priority: 0, description }
}

pub(super) const fn integer(name: &'static str, description: &'static str) -> Column {
    Column { kind: "integer", ..text(name, description) }
}

pub(super) const fn boolean(name: &'static str, description: &'static str) -> Column {
    Column { kind: "boolean", ..text(name, description) }
}

pub(super) const fn date(name: &'static str, description: &'static str) -> Column {
    Column { kind: "date", ..text(name, description) }
}

impl Column {
    /// The same column, for wide output only.
    pub(super) const fn wide(self) -> Self {
        Self { priority: 1, ..self }
    }

    /// The same column, marked as the name of the object.
    pub(super) const fn naming(self) -> Self {
        Self { format: "name", ..self }
    }
}

pub(super) fn definitions(columns: &[Column]) -> Vec<Value> {
    columns
        .iter()
        .map(|column| {
            json!({
                "name": column.name,
                "type": column.kind,
                "format": column.format,
                "description": column.description,
                "priority": column.priority,
            })
        })
        .collect()
}
