//! Looks into objects whose fields may be missing.
//!
//! Reads values by pointer; returns the empty value where there is nothing.
//! Invariant: nothing here fails.

use serde_json::Value;

pub(super) fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// The text, or another one where it is empty.
pub(super) fn text_or<'a>(value: &'a Value, pointer: &str, other: &'a str) -> &'a str {
    match text(value, pointer) {
        "" => other,
        text => text,
    }
}

pub(super) fn number(value: &Value, pointer: &str) -> i64 {
    value.pointer(pointer).and_then(Value::as_i64).unwrap_or_default()
}

pub(super) fn flag(value: &Value, pointer: &str) -> bool {
    value.pointer(pointer).and_then(Value::as_bool).unwrap_or_default()
}

pub(super) fn list<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    value.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// How many entries a map or a list has.
pub(super) fn count(value: &Value, pointer: &str) -> usize {
    match value.pointer(pointer) {
        Some(Value::Object(map)) => map.len(),
        Some(Value::Array(list)) => list.len(),
        _ => 0,
    }
}

/// The status of the first condition of a type.
pub(super) fn condition<'a>(value: &'a Value, kind: &str) -> Option<&'a str> {
    let conditions = list(value, "/status/conditions");
    let found = conditions.iter().find(|condition| condition["type"] == kind)?;
    Some(text(found, "/status"))
}
