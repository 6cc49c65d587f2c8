//! Takes a JSON value in from outside: bounds its depth and gives numbers the server's form.
//!
//! Reads any value; returns it, or says that it is nested too deeply.
//! Invariant: whatever passed may be walked by recursion without a limit of its own.

use serde_json::Value;

use crate::number::Number;

/// How deeply a manifest may be nested. Real ones stay below thirty.
pub(crate) const DEPTH_LIMIT: usize = 200;

/// Says that a value is nested too deeply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("nested deeper than {DEPTH_LIMIT} levels")]
pub struct TooDeep;

/// Takes a value in.
pub(crate) fn take(mut value: Value) -> Result<Value, TooDeep> {
    let mut pending = vec![(&mut value, 0)];
    while let Some((next, depth)) = pending.pop() {
        if depth > DEPTH_LIMIT {
            return Err(TooDeep);
        }
        match next {
            Value::Array(items) => pending.extend(items.iter_mut().map(|item| (item, depth + 1))),
            Value::Object(fields) => {
                pending.extend(fields.values_mut().map(|item| (item, depth + 1)));
            }
            Value::Number(number) if !number.is_i64() => {
                let number = Number::of(number).as_float();
                *next = serde_json::Number::from_f64(number).map_or(Value::Null, Value::Number);
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    Ok(value)
}

/// Gives numbers the form they have after they were stored: a whole number is an integer.
pub(crate) fn stored(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(stored),
        Value::Object(fields) => fields.values_mut().for_each(stored),
        Value::Number(number) => {
            let real = Number::of(number).as_float();
            // Go writes such a number without a fraction and reads it back as an integer.
            let is_whole = real.fract() == 0.0 && real.abs() < 9.2e18;
            if !number.is_i64() && is_whole {
                *value = Value::from(real as i64);
            }
        }
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}
