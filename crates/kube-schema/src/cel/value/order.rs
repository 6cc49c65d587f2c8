//! Which of two values comes first.
//!
//! Reads two values; returns an order, or the error of a comparison that has none.
//! Invariant: numbers of different types compare by their value.

use std::cmp::Ordering;

use super::Value;
use crate::cel::error::Error;

/// Compares as `<` and its siblings do.
pub(in crate::cel) fn compare(left: &Value, right: &Value) -> Result<Ordering, Error> {
    match (left, right) {
        (Value::Bool(left), Value::Bool(right)) => Ok(left.cmp(right)),
        (Value::String(left), Value::String(right)) => Ok(left.cmp(right)),
        (Value::Bytes(left), Value::Bytes(right)) => Ok(left.cmp(right)),
        (Value::Timestamp(left), Value::Timestamp(right)) => Ok(left.cmp(right)),
        (Value::Duration(left), Value::Duration(right)) => Ok(left.cmp(right)),
        (
            Value::Int(_) | Value::Uint(_) | Value::Double(_),
            Value::Int(_) | Value::Uint(_) | Value::Double(_),
        ) => numbers(left, right).ok_or_else(|| Error::new("NaN values cannot be ordered")),
        _ => Err(Error::no_such_overload()),
    }
}

/// Compares two numbers; none if one of them is not a number, in both senses.
pub(super) fn numbers(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::Int(left), Value::Int(right)) => Some(left.cmp(right)),
        (Value::Uint(left), Value::Uint(right)) => Some(left.cmp(right)),
        (Value::Double(left), Value::Double(right)) => left.partial_cmp(right),
        (Value::Int(left), Value::Uint(right)) => Some(i128::from(*left).cmp(&i128::from(*right))),
        (Value::Uint(left), Value::Int(right)) => Some(i128::from(*left).cmp(&i128::from(*right))),
        (Value::Double(left), Value::Int(right)) => left.partial_cmp(&(*right as f64)),
        (Value::Double(left), Value::Uint(right)) => left.partial_cmp(&(*right as f64)),
        (Value::Int(_) | Value::Uint(_), Value::Double(_)) => {
            numbers(right, left).map(Ordering::reverse)
        }
        _ => None,
    }
}
