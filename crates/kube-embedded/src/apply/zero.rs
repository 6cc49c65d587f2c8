//! The object that a new object of a built-in kind is compared with.
//!
//! Reads the kind's schema and the new object; returns what an empty object looks like beside it.
//! Invariant: structs that are always there are there, so that nobody comes to own them.

use kube_schema::{Kind, Schema};
use serde_json::{Map, Value};

use super::shape::seen_through;

/// An empty object of a built-in kind, to be held against a new one.
pub(super) fn zero(schema: &Schema, new: &Value) -> Value {
    // What is null in a new object and cannot be left out is null in an empty one: times are.
    let nulls = new.as_object().into_iter().flatten().filter(|(_, value)| value.is_null());
    let mut fields: Map<_, _> = nulls.map(|(name, null)| (name.clone(), null.clone())).collect();
    let schema = seen_through(schema);
    for (name, field) in &schema.properties {
        match &field.default {
            // The schema marks a struct that cannot be left out with an empty default.
            Some(Value::Object(none)) if none.is_empty() => {
                fields.insert(name.clone(), zero(field, &new[name]));
            }
            Some(default) if is_zero(default) => {
                fields.insert(name.clone(), default.clone());
            }
            Some(_) => {}
            None if schema.required.contains(name) => {
                let is_text = seen_through(field).kind == Some(Kind::String);
                let value = if is_text { Value::from("") } else { Value::Null };
                fields.insert(name.clone(), value);
            }
            None => {}
        }
    }
    Value::Object(fields)
}

fn is_zero(value: &Value) -> bool {
    match value {
        Value::Bool(flag) => !flag,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Null | Value::Array(_) | Value::Object(_) => false,
    }
}

#[cfg(test)]
mod tests;
