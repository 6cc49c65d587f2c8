//! Rows of custom kinds, and of built-in kinds without columns of their own.
//!
//! Reads the printer columns of a CRD; returns cells taken from objects by JSONPath.
//! Invariant: a path that leads nowhere, or to a value of another type, gives null.

use kube_schema::Column;
use serde_json::{Number, Value, json};

use super::age::Clock;
use super::columns::{self, NAME};
use super::json_path::{self, JsonPath};
use super::read::text;
use crate::kinds::Kind;

/// The columns of a kind, their paths parsed.
pub(super) struct Columns {
    definitions: Vec<Value>,
    paths: Vec<(CellType, JsonPath)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CellType {
    Text,
    Integer,
    Number,
    Boolean,
    Date,
}

impl Columns {
    pub(super) fn of(kind: &Kind) -> Self {
        let mut definitions = columns::definitions(&[NAME]);
        if kind.columns.is_empty() {
            let age = columns::date("Age", "How long ago the object was created.");
            definitions.extend(columns::definitions(&[age]));
            let created = JsonPath::parse(".metadata.creationTimestamp");
            let created = created.expect("the path is ours");
            return Self { definitions, paths: vec![(CellType::Date, created)] };
        }
        let mut paths = Vec::new();
        for column in &kind.columns {
            // The server leaves out a path it cannot read, and all columns after it.
            let Some(path) = JsonPath::parse(&column.json_path) else { break };
            definitions.push(definition(column));
            paths.push((cell_type(&column.kind), path));
        }
        Self { definitions, paths }
    }

    pub(super) fn definitions(&self) -> Vec<Value> {
        self.definitions.clone()
    }

    pub(super) fn cells(&self, object: &Value, clock: &Clock) -> Vec<Value> {
        let name = Value::from(text(object, "/metadata/name"));
        let others = self.paths.iter().map(|(kind, path)| {
            path.first(object).map_or(Value::Null, |value| cell(*kind, value, clock))
        });
        [name].into_iter().chain(others).collect()
    }
}

fn definition(column: &Column) -> Value {
    let description = match column.description.as_str() {
        "" => {
            let path = &column.json_path;
            format!("Custom resource definition column (in JSONPath format): {path}")
        }
        own => own.to_owned(),
    };
    json!({
        "name": column.name,
        "type": column.kind,
        "format": column.format,
        "description": description,
        "priority": column.priority,
    })
}

fn cell_type(kind: &str) -> CellType {
    match kind {
        "integer" => CellType::Integer,
        "number" => CellType::Number,
        "boolean" => CellType::Boolean,
        "date" => CellType::Date,
        _ => CellType::Text,
    }
}

fn cell(kind: CellType, value: &Value, clock: &Clock) -> Value {
    match (kind, value) {
        (CellType::Text, value) => Value::from(json_path::printed(value)),
        (CellType::Boolean, Value::Bool(_)) => value.clone(),
        (CellType::Integer, Value::Number(number)) => whole(number),
        (CellType::Number, Value::Number(number)) => match number.as_f64() {
            // Go writes whole numbers without a fraction.
            Some(float) if float.fract() == 0.0 && float.abs() < 9e15 => whole(number),
            _ => value.clone(),
        },
        (CellType::Date, Value::String(text)) => match text.as_str() {
            "" | "null" => Value::from("<unknown>"),
            text => Value::from(clock.since_text(text).unwrap_or_else(|| "<invalid>".to_owned())),
        },
        (CellType::Boolean | CellType::Integer | CellType::Number | CellType::Date, _) => {
            Value::Null
        }
    }
}

/// A number without its fraction; Go makes the smallest integer of one that does not fit.
fn whole(number: &Number) -> Value {
    match (number.as_i64(), number.as_f64()) {
        (Some(integer), _) => Value::from(integer),
        (None, Some(float)) if float.abs() < i64::MAX as f64 => Value::from(float as i64),
        (None, _) => Value::from(i64::MIN),
    }
}
