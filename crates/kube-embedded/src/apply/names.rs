//! The names of fields and items in `fieldsV1`: `f:spec`, `k:{"port":80}`, `v:"a"`, `i:0`.
//!
//! Reads names as they stand on the wire; returns them written in the one way, or for messages.
//! Invariant: equal fields have equal names.

use std::borrow::Cow;
use std::cmp::Ordering;

use kube_schema::{go_text, quoted};
use serde_json::{Map, Value};

/// A name that says of what kind it is, and is not of that kind.
pub(super) struct Malformed;

pub(super) fn field(name: &str) -> String {
    format!("f:{name}")
}

/// The item of a list that is told by some of its fields.
pub(super) fn keyed(mut keys: Map<String, Value>) -> String {
    keys.values_mut().for_each(make_whole);
    format!("k:{}", go_text::json(&Value::Object(keys)))
}

/// The item of a list that is told by its value.
pub(super) fn valued(value: &Value) -> String {
    let mut value = value.clone();
    make_whole(&mut value);
    format!("v:{}", go_text::json(&value))
}

/// Writes 1.0 as 1: to the server they are one number.
fn make_whole(value: &mut Value) {
    // Below this all whole numbers have a form of their own.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let real = value.as_f64().filter(|_| value.is_f64());
    if let Some(real) = real.filter(|real| real.fract() == 0.0 && real.abs() < EXACT) {
        *value = Value::from(real as i64);
    }
}

/// The name of a field, if it is the name of a field and not of an item.
pub(super) fn field_of(name: &str) -> Option<&str> {
    name.strip_prefix("f:")
}

/// A name in its one way; none for kinds of names that are not known.
pub(super) fn canonical(name: &str) -> Result<Option<Cow<'_, str>>, Malformed> {
    if name == "." {
        return Ok(Some(Cow::Borrowed(name)));
    }
    let (kind, text) = name.split_at_checked(2).ok_or(Malformed)?;
    match kind {
        "f:" => Ok(Some(Cow::Borrowed(name))),
        "k:" => {
            let Ok(Value::Object(keys)) = serde_json::from_str(text) else {
                return Err(Malformed);
            };
            Ok(Some(Cow::Owned(keyed(keys))))
        }
        "v:" => {
            let value = serde_json::from_str(text).map_err(|_| Malformed)?;
            Ok(Some(Cow::Owned(valued(&value))))
        }
        "i:" => text.parse::<i64>().map(|_| Some(Cow::Borrowed(name))).map_err(|_| Malformed),
        _ if kind.ends_with(':') => Ok(None),
        _ => Err(Malformed),
    }
}

/// A name as messages show it: `.spec`, `[port=80]`, `[="a"]`, `[0]`.
pub(super) fn shown(name: &str) -> String {
    match name.split_at_checked(2) {
        Some(("f:", text)) => format!(".{text}"),
        Some(("k:", text)) => {
            let keys: Map<String, Value> = serde_json::from_str(text).unwrap_or_default();
            let keys: Vec<_> =
                keys.iter().map(|(key, value)| format!("{key}={}", value_shown(value))).collect();
            format!("[{}]", keys.join(","))
        }
        Some(("v:", text)) => {
            let value: Value = serde_json::from_str(text).unwrap_or_default();
            format!("[={}]", value_shown(&value))
        }
        Some((_, text)) => format!("[{text}]"),
        None => name.to_owned(),
    }
}

fn value_shown(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(value_shown).collect();
            format!("[{}]", items.join(","))
        }
        Value::Object(fields) => {
            fields.iter().map(|(key, value)| format!("{key}={}", value_shown(value))).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

/// The order in which messages list fields.
pub(super) fn order(left: &str, right: &str) -> Ordering {
    rank(left).cmp(&rank(right)).then_with(|| match (parsed(left), parsed(right)) {
        (Some(left), Some(right)) => value_order(&left, &right),
        _ => left.cmp(right),
    })
}

fn rank(name: &str) -> usize {
    ["f:", "k:", "v:", "i:"].iter().position(|kind| name.starts_with(kind)).unwrap_or(4)
}

fn parsed(name: &str) -> Option<Value> {
    match name.split_at_checked(2) {
        Some(("k:" | "v:" | "i:", text)) => serde_json::from_str(text).ok(),
        _ => None,
    }
}

fn value_order(left: &Value, right: &Value) -> Ordering {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => {
            left.as_f64().partial_cmp(&right.as_f64()).unwrap_or(Ordering::Equal)
        }
        (Value::String(left), Value::String(right)) => left.cmp(right),
        (Value::Bool(left), Value::Bool(right)) => left.cmp(right),
        (Value::Object(left), Value::Object(right)) => {
            let pairs = left.iter().zip(right);
            let differing = pairs.map(|((name, value), (other, theirs))| {
                name.cmp(other).then_with(|| value_order(value, theirs))
            });
            let first = differing.into_iter().find(|it| it.is_ne());
            first.unwrap_or_else(|| left.len().cmp(&right.len()))
        }
        _ => type_rank(left).cmp(&type_rank(right)),
    }
}

fn type_rank(value: &Value) -> u8 {
    match value {
        Value::Number(_) => 0,
        Value::String(_) => 1,
        Value::Bool(_) => 2,
        Value::Array(_) => 3,
        Value::Object(_) => 4,
        Value::Null => 5,
    }
}
