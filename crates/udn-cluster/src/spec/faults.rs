//! Reads one object of a manifest, and finds the places where it has the wrong shape.
//!
//! Reads a JSON value; returns a type of [`api`](udn_wire::api), or a refusal for each bad place.
//! Invariant: a place is found by trying: a field is bad if the object cannot be read with that
//! field alone.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use udn_model::Reason;
use udn_wire::refusal::Refusal;

use super::strict::Strict;

/// How many bad places are told.
const MOST_FAULTS: usize = 10;

/// Reads the object at this path; a field that is not known is refused.
pub(super) fn read<T: DeserializeOwned>(at: &str, value: &Value) -> Result<T, Vec<Refusal>> {
    if value.is_null() {
        let message = format!("{at} is missing; say what you ask for");
        return Err(vec![Refusal::new(Reason::InvalidSpec, message).at(at)]);
    }
    T::deserialize(Strict(value)).map_err(|_| {
        let mut faults = Vec::new();
        let objection = |value: Value| T::deserialize(Strict(&value)).err();
        search(value, at, &objection, &mut faults);
        faults
    })
}

/// Tells why the whole object cannot be read if this value stands in its place.
type Objection<'a> = &'a dyn Fn(Value) -> Option<serde_json::Error>;

/// Goes down to the smallest parts that are refused by themselves.
fn search(value: &Value, path: &str, objection: Objection<'_>, faults: &mut Vec<Refusal>) {
    let told = faults.len();
    match value {
        Value::Object(fields) if objection(Value::Object(Map::new())).is_none() => {
            for (key, field) in fields {
                let alone =
                    |value| objection(Value::Object(Map::from_iter([(key.clone(), value)])));
                descend(field, &below(path, key), &alone, faults);
            }
        }
        Value::Array(items) if objection(Value::Array(Vec::new())).is_none() => {
            for (position, item) in items.iter().enumerate() {
                let alone = |value| objection(Value::Array(vec![value]));
                descend(item, &format!("{path}[{position}]"), &alone, faults);
            }
        }
        _here => {}
    }
    let is_here = faults.len() == told && told < MOST_FAULTS;
    if let Some(error) = is_here.then(|| objection(value.clone())).flatten() {
        let message = format!("{error}; correct or remove the field");
        faults.push(Refusal::new(Reason::InvalidSpec, message).at(path));
    }
}

fn descend(value: &Value, path: &str, objection: Objection<'_>, faults: &mut Vec<Refusal>) {
    if faults.len() < MOST_FAULTS && objection(value.clone()).is_some() {
        search(value, path, objection, faults);
    }
}

/// The path of a field, or of a key that cannot be a field's name.
fn below(path: &str, key: &str) -> String {
    let is_plain = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if is_plain { format!("{path}.{key}") } else { format!("{path}[{}]", key.escape_default()) }
}
