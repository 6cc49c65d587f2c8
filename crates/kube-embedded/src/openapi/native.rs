//! The schemas of built-in kinds, with references as the server has them.
//!
//! Reads the generated documents; returns them by name.
//! Invariant: a schema comes with every schema it refers to.

use serde_json::{Map, Value};

use crate::builtin;

const REFERENCE: &str = "#/components/schemas/";

/// The schema of this name.
pub(super) fn document(name: &str) -> Option<Value> {
    builtin::documents().get(name).cloned()
}

/// Adds every schema that one refers to, and those that they refer to, where they are missing.
pub(super) fn add_referred(name: &str, schemas: &mut Map<String, Value>) {
    let documents = builtin::documents();
    let mut names = Vec::new();
    documents.get(name).into_iter().for_each(|document| gather(document, &mut names));
    while let Some(name) = names.pop() {
        if schemas.contains_key(name) {
            continue;
        }
        let Some(document) = documents.get(name) else { continue };
        schemas.insert(name.to_owned(), document.clone());
        gather(document, &mut names);
    }
}

/// The names that a document refers to.
fn gather<'a>(document: &'a Value, names: &mut Vec<&'a str>) {
    match document {
        Value::Object(fields) => {
            let reference = fields.get("$ref").and_then(Value::as_str);
            names.extend(reference.and_then(|reference| reference.strip_prefix(REFERENCE)));
            fields.values().for_each(|field| gather(field, names));
        }
        Value::Array(items) => items.iter().for_each(|item| gather(item, names)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
