//! The schemas of the recorded kinds.

use kube_schema::Schema;
use serde_json::{Map, Value};

/// The schema of a recorded kind.
pub(super) fn schema(kind: &str) -> Schema {
    let all: Map<String, Value> =
        serde_json::from_str(include_str!("schemas.json")).expect("the file is JSON");
    let suffix = format!(".{kind}");
    let (name, _) = all
        .iter()
        .find(|(name, _)| **name == kind || name.ends_with(&suffix))
        .expect("the kind is recorded");
    Schema::native(&resolved(&all[name], &all)).expect("the schema is whole")
}

/// A schema without references.
fn resolved(schema: &Value, all: &Map<String, Value>) -> Value {
    match schema {
        Value::Object(fields) => match fields.get("$ref").and_then(Value::as_str) {
            Some(name) => {
                let name = name.rsplit('/').next().expect("a reference is a path");
                resolved(&all[name], all)
            }
            None => fields.iter().map(|(name, it)| (name.clone(), resolved(it, all))).collect(),
        },
        Value::Array(items) => items.iter().map(|item| resolved(item, all)).collect(),
        other => other.clone(),
    }
}
