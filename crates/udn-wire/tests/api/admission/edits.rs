//! Small changes of an object, written as a path and a JSON text.
//!
//! Invariant: an edit whose path does not fit the object changes nothing.

use serde_json::Value;

/// A path with dots and numbers, and the value to put there; `-` removes, `+` appends to a list.
pub(crate) type Edit = (&'static str, &'static str);

/// Makes the edit below `root`, a JSON pointer.
pub(crate) fn make(object: &mut Value, root: &str, (path, value): Edit) {
    let (root, path) = match path.strip_prefix('/') {
        Some(whole) => ("", whole),
        None => (root, path),
    };
    let (parent, last) = path.rsplit_once('.').unwrap_or(("", path));
    let steps = parent.split('.').filter(|step| !step.is_empty());
    let pointer = steps.fold(root.to_owned(), |pointer, step| format!("{pointer}/{step}"));
    let Some(place) = object.pointer_mut(&pointer) else { return };
    match value.strip_prefix('+') {
        Some(item) => {
            if let Some(Value::Array(items)) = place.get_mut(last) {
                items.push(parse(item));
            }
        }
        None => put(place, last, value),
    }
}

fn put(place: &mut Value, last: &str, value: &str) {
    match place {
        Value::Object(fields) if value == "-" => {
            fields.remove(last);
        }
        Value::Object(fields) => {
            fields.insert(last.to_owned(), parse(value));
        }
        Value::Array(items) => {
            let index: Option<usize> = last.parse().ok().filter(|index| *index < items.len());
            match index {
                Some(index) if value == "-" => {
                    items.remove(index);
                }
                Some(index) => items[index] = parse(value),
                None => {}
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn parse(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{text} is not JSON: {error}"))
}
