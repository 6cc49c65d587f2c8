//! Fills in the defaults of a schema.
//!
//! Reads an object and its schema; changes the object.
//! Invariant: filling in twice is filling in once.

use serde_json::Value;

use crate::schema::Schema;

/// Gives absent fields their defaults, and nulls that are not allowed.
pub(crate) fn fill(value: &mut Value, schema: &Schema) {
    match value {
        Value::Object(fields) => {
            for (name, property) in &schema.properties {
                let Some(default) = &property.default else {
                    continue;
                };
                let current = fields.get(name);
                if current.is_none_or(|value| value.is_null() && !property.nullable) {
                    fields.insert(name.clone(), default.clone());
                }
            }
            for (name, value) in fields.iter_mut() {
                match schema.properties.get(name) {
                    Some(property) => fill(value, property),
                    None => fill_item(value, schema.of_values()),
                }
            }
        }
        Value::Array(items) => {
            items.iter_mut().for_each(|item| fill_item(item, schema.items.as_deref()));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn fill_item(value: &mut Value, schema: Option<&Schema>) {
    let Some(schema) = schema else {
        return;
    };
    if value.is_null() && !schema.nullable {
        *value = schema.default.clone().unwrap_or(Value::Null);
    }
    fill(value, schema);
}
