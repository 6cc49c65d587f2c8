//! Bounds and factors of numbers.
//!
//! Reads a number and its schema; returns mistakes.
//! Invariant: an integer is compared with a bound's whole part, as Go does.

use serde_json::Value;

use super::fault::{Fault, Place};
use crate::go_text;
use crate::number::Number;
use crate::schema::Schema;

/// The greatest whole number that JSON carries exactly.
const JSON_LIMIT: f64 = 9_007_199_254_740_991.0;

pub(super) fn judge(number: Number, schema: &Schema, place: &Place<'_>) -> Vec<Fault> {
    let value = || match number {
        Number::Int(int) => Value::from(int),
        Number::Float(real) => Value::from(real),
    };
    let wrong = |what: String| Fault::invalid(place, value(), &what);
    let mut faults = Vec::new();
    if let Some(factor) = schema.multiple_of {
        faults.extend(multiple(number, factor, place, wrong));
    }
    if let Some(limit) = schema.minimum {
        let is_exclusive = schema.exclusive_minimum;
        let is_fine = match number {
            Number::Int(int) if is_exclusive => int > limit as i64,
            Number::Int(int) => int >= limit as i64,
            Number::Float(real) if is_exclusive => real > limit,
            Number::Float(real) => real >= limit,
        };
        let word = if is_exclusive { "greater than" } else { "greater than or equal to" };
        if !is_fine {
            faults.push(wrong(format!("should be {word} {}", bound(number, limit))));
        }
    }
    if let Some(limit) = schema.maximum {
        let is_exclusive = schema.exclusive_maximum;
        let is_fine = match number {
            Number::Int(int) if is_exclusive => int < limit as i64,
            Number::Int(int) => int <= limit as i64,
            Number::Float(real) if is_exclusive => real < limit,
            Number::Float(real) => real <= limit,
        };
        let word = if is_exclusive { "less than" } else { "less than or equal to" };
        if !is_fine {
            faults.push(wrong(format!("should be {word} {}", bound(number, limit))));
        }
    }
    faults
}

fn bound(number: Number, limit: f64) -> String {
    match number {
        Number::Int(_) => (limit as i64).to_string(),
        Number::Float(_) => go_text::float(limit),
    }
}

fn multiple(
    number: Number,
    factor: f64,
    place: &Place<'_>,
    wrong: impl Fn(String) -> Fault,
) -> Option<Fault> {
    let is_positive = match number {
        Number::Int(_) => factor as i64 > 0,
        Number::Float(_) => factor > 0.0,
    };
    if !is_positive {
        return Some(Fault::bad_factor(place, &bound(number, factor), factor));
    }
    let is_multiple = match number {
        Number::Int(int) => int % (factor as i64) == 0,
        Number::Float(real) if factor < 1.0 => is_json_integer(1.0 / factor * real),
        Number::Float(real) => is_json_integer(real / factor),
    };
    (!is_multiple).then(|| wrong(format!("should be a multiple of {}", bound(number, factor))))
}

/// Whether a number is whole, as nearly as floating point can tell.
// compat: go-openapi/swag convert.go, IsFloat64AJSONInteger
pub(super) fn is_json_integer(real: f64) -> bool {
    if !real.is_finite() || real.abs() > JSON_LIMIT {
        return false;
    }
    let whole = real.trunc();
    if real == whole {
        return true;
    }
    // Go converts to an unsigned number here, which leaves no negative number near to whole.
    if whole <= 0.0 {
        return false;
    }
    (real - whole) / (real + whole) < 1e-9
}
