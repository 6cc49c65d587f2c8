//! JSON merge patches (RFC 7396), as the server merges.
//!
//! Reads an object and a patch; returns the merged object.
//! Invariant: a null of the patch never gets into an object, except as an item of a list.

use serde_json::Value;

pub(super) fn merge(current: Value, patch: &Value) -> Value {
    match (current, patch) {
        (Value::Object(mut fields), Value::Object(changes)) => {
            for (name, change) in changes {
                let current = fields.remove(name).unwrap_or_default();
                if !change.is_null() {
                    fields.insert(name.clone(), merge(current, change));
                }
            }
            Value::Object(fields)
        }
        // A list that takes the place of an object keeps its nulls.
        (Value::Object(_), _) => patch.clone(),
        _ => without_nulls(patch.clone()),
    }
}

fn without_nulls(mut value: Value) -> Value {
    drop_nulls(&mut value);
    value
}

/// Takes away fields that are null, at any depth.
pub(super) fn drop_nulls(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|_, value| !value.is_null());
            fields.values_mut().for_each(drop_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_nulls),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
