//! One form for answers that mean the same.
//!
//! Invariant: order of rows and of members does not matter, nor do versions, error texts and the
//! sixteenth digit of a real, which the server does not print.

use serde_json::{Map, Value, json};

/// The answer to one operation, ready to be compared.
pub(crate) fn answer(result: &Value) -> Value {
    let Some(object) = result.as_object() else { return result.clone() };
    if let Some(tag) = object.get("error") {
        return json!({ "error": tag });
    }
    match object.get("rows").and_then(Value::as_array) {
        Some(rows) => json!({ "rows": sorted(rows.iter().map(row).collect()) }),
        None => canonical(result),
    }
}

/// The rows of an answer, ready to be compared.
pub(crate) fn row(json: &Value) -> Value {
    let Some(columns) = json.as_object() else { return json.clone() };
    let kept = columns.iter().filter(|(name, _)| *name != "_version");
    Value::Object(kept.map(|(name, value)| (name.clone(), canonical(value))).collect::<Map<_, _>>())
}

fn canonical(json: &Value) -> Value {
    match json {
        Value::Number(number) => match number.as_i64() {
            Some(integer) => json!(integer),
            None => real(number.as_f64().unwrap_or(0.0)),
        },
        Value::Array(items) => match items.as_slice() {
            [Value::String(word), Value::Array(members)] if word == "set" || word == "map" => {
                json!([word, sorted(members.iter().map(canonical).collect())])
            }
            _ => items.iter().map(canonical).collect(),
        },
        Value::Object(members) => Value::Object(
            members.iter().map(|(name, value)| (name.clone(), canonical(value))).collect(),
        ),
        Value::Null | Value::Bool(_) | Value::String(_) => json.clone(),
    }
}

fn real(number: f64) -> Value {
    let rounded: f64 = format!("{number:.14e}").parse().unwrap_or(number);
    if rounded.fract() == 0.0 && rounded.abs() < 1e15 {
        json!(rounded as i64)
    } else {
        json!(format!("{rounded:.14e}"))
    }
}

fn sorted(mut items: Vec<Value>) -> Vec<Value> {
    items.sort_by_cached_key(Value::to_string);
    items
}
