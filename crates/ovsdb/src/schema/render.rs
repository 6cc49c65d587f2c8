//! Writes a schema as JSON, so that a server over the in-memory engine can answer `get_schema`.
//!
//! Invariant: reading what was written gives an equal schema.

use serde_json::{Map, Value, json};

use super::{BaseType, Bounds, ColumnSchema, ColumnType, DatabaseSchema, Strength, TableSchema};
use crate::value::{Atom, Real};

impl DatabaseSchema {
    /// The schema as RFC 7047 §3.2 writes it.
    pub fn to_json(&self) -> Value {
        let tables: Map<String, Value> =
            self.tables().map(|table| (table.name.to_string(), table_to_json(table))).collect();
        let mut root = json!({ "name": self.name, "tables": tables });
        if !self.version.is_empty() {
            root["version"] = json!(self.version);
        }
        if let Some(checksum) = &self.checksum {
            root["cksum"] = json!(checksum);
        }
        root
    }
}

fn table_to_json(table: &TableSchema) -> Value {
    let columns: Map<String, Value> = table
        .columns()
        .map(|(_, column)| (column.name.to_string(), column_to_json(column)))
        .collect();
    let mut rendered = json!({ "columns": columns });
    if let Some(max_rows) = table.max_rows {
        rendered["maxRows"] = json!(max_rows);
    }
    if table.is_root {
        rendered["isRoot"] = json!(true);
    }
    if !table.indexes.is_empty() {
        let names = |index: &Vec<_>| -> Vec<&str> {
            index.iter().map(|id| &*table.column(*id).name).collect()
        };
        rendered["indexes"] = json!(table.indexes.iter().map(names).collect::<Vec<_>>());
    }
    rendered
}

fn column_to_json(column: &ColumnSchema) -> Value {
    let mut rendered = json!({ "type": type_to_json(&column.kind) });
    if column.ephemeral {
        rendered["ephemeral"] = json!(true);
    }
    if !column.mutable {
        rendered["mutable"] = json!(false);
    }
    rendered
}

fn type_to_json(kind: &ColumnType) -> Value {
    let mut rendered = json!({ "key": base_to_json(&kind.key), "min": kind.min });
    if let Some(value) = &kind.value {
        rendered["value"] = base_to_json(value);
    }
    rendered["max"] = kind.max.map_or_else(|| json!("unlimited"), |max| json!(max));
    rendered
}

fn base_to_json(base: &BaseType) -> Value {
    let mut rendered = Map::from_iter([("type".to_owned(), json!(base.kind().name()))]);
    let mut put = |name: &str, value: Value| rendered.insert(name.to_owned(), value);
    if let Some(allowed) = base.enumeration() {
        let atoms: Vec<Value> = allowed.atoms().iter().map(crate::codec::atom_to_json).collect();
        put("enum", json!(["set", atoms]));
    }
    match base.bounds() {
        Bounds::Integer { min, max } => {
            if *min != i64::MIN {
                put("minInteger", json!(min));
            }
            if *max != i64::MAX {
                put("maxInteger", json!(max));
            }
        }
        Bounds::Real { min, max } => {
            let number = |real: Real| crate::codec::atom_to_json(&Atom::Real(real));
            min.map(|min| put("minReal", number(min)));
            max.map(|max| put("maxReal", number(max)));
        }
        Bounds::String { min, max } => {
            if *min != 0 {
                put("minLength", json!(min));
            }
            if *max != u64::MAX {
                put("maxLength", json!(max));
            }
        }
        Bounds::Uuid { reference: Some(reference) } => {
            put("refTable", json!(&*reference.table));
            if reference.strength == Strength::Weak {
                put("refType", json!("weak"));
            }
        }
        Bounds::Boolean | Bounds::Uuid { reference: None } => {}
    }
    Value::Object(rendered)
}
