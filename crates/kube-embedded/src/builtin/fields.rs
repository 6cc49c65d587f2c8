//! Reads and fills in fields of objects.
//!
//! Reads JSON; a missing field reads as empty.
//! Invariant: nothing here replaces a value that is there.

use serde_json::{Map, Value};

/// A text at a JSON pointer, or an empty one.
pub(super) fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or("")
}

/// The items of a list, or none.
pub(super) fn items<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The items of a list for writing.
pub(super) fn items_mut<'a>(value: &'a mut Value, name: &str) -> &'a mut [Value] {
    match value.get_mut(name) {
        Some(Value::Array(items)) => items,
        Some(_) | None => &mut [],
    }
}

/// The entries of a map, or none.
pub(super) fn entries<'a>(
    value: &'a Value,
    name: &str,
) -> impl Iterator<Item = (&'a String, &'a Value)> {
    value.get(name).and_then(Value::as_object).into_iter().flatten()
}

pub(super) fn has(value: &Value, name: &str) -> bool {
    value.get(name).is_some_and(|it| !it.is_null())
}

/// A struct below an object for writing; made if it is missing.
pub(super) fn below<'a>(value: &'a mut Value, name: &str) -> &'a mut Value {
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    let field = &mut value[name];
    if field.is_null() {
        *field = Value::Object(Map::new());
    }
    field
}

/// Sets a field that is missing or an empty text.
pub(super) fn fill(value: &mut Value, name: &str, default: impl Into<Value>) {
    let Some(fields) = value.as_object_mut() else { return };
    let is_missing = fields.get(name).is_none_or(|it| it.is_null() || it.as_str() == Some(""));
    if is_missing {
        fields.insert(name.to_owned(), default.into());
    }
}

/// Sets a field that is missing; an empty text stays.
pub(super) fn fill_absent(value: &mut Value, name: &str, default: impl Into<Value>) {
    if !has(value, name)
        && let Some(fields) = value.as_object_mut()
    {
        fields.insert(name.to_owned(), default.into());
    }
}

/// Removes a field.
pub(super) fn remove(value: &mut Value, name: &str) {
    if let Some(fields) = value.as_object_mut() {
        fields.remove(name);
    }
}
