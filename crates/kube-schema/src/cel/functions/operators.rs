//! Operators, and what every type has: `size`, `in`.
//!
//! Reads operands; returns what cel-go's standard library computes.
//! Invariant: arithmetic that leaves its type is an error, never a wrapped number.

use std::cmp::Ordering;
use std::sync::Arc;

use super::{Call, Failure, Implementation, Outcome};
use crate::cel::error::Error;
use crate::cel::value::{Duration, List, ListKind, Value, characters, compare, equal};

pub(super) fn find(name: &str) -> Option<Implementation> {
    Some(match name {
        "!_" => not,
        "-_" => negate,
        "_+_" => add,
        "_-_" => subtract,
        "_*_" => multiply,
        "_/_" => divide,
        "_%_" => modulo,
        "_<_" => |call| ordered(call, "_<_", Ordering::is_lt),
        "_<=_" => |call| ordered(call, "_<=_", Ordering::is_le),
        "_>_" => |call| ordered(call, "_>_", Ordering::is_gt),
        "_>=_" => |call| ordered(call, "_>=_", Ordering::is_ge),
        "_==_" => |call| Ok(Value::Bool(equal(&call.args[0], &call.args[1], call.fuel)?)),
        "_!=_" => differ,
        "@in" => contained,
        "size" => size,
        // The planner gives these a form of their own.
        "@not_strictly_false" | "_&&_" | "_||_" | "_?_:_" | "_[_]" | "_[?_]" | "_?._" => {
            super::missing
        }
        _ => return None,
    })
}

/// What is said of an operator that the left operand's type does not know.
///
/// compat: cel-go interpretable.go, types that receive calls give the shorter message
pub(super) fn unknown(operator: &str, left: &Value) -> Failure {
    match left {
        Value::String(_) | Value::Duration(_) | Value::Timestamp(_) => mismatch(),
        _ => Failure::new(format!("no such overload: {operator}")),
    }
}

fn mismatch() -> Failure {
    Failure::Error(Error::no_such_overload())
}

fn int(checked: Option<i64>) -> Outcome {
    checked.map(Value::Int).ok_or_else(|| Failure::new("integer overflow"))
}

fn uint(checked: Option<u64>) -> Outcome {
    checked.map(Value::Uint).ok_or_else(|| Failure::new("unsigned integer overflow"))
}

fn not(call: &Call<'_>) -> Outcome {
    match call.args {
        [Value::Bool(flag)] => Ok(Value::Bool(!flag)),
        _ => Err(mismatch()),
    }
}

fn negate(call: &Call<'_>) -> Outcome {
    match &call.args[0] {
        Value::Int(value) => int(value.checked_neg()),
        Value::Double(value) => Ok(Value::Double(-value)),
        Value::Duration(span) => Ok(Value::Duration(span.negated()?)),
        Value::Bool(_) => Err(mismatch()),
        other => Err(unknown("-_", other)),
    }
}

fn add(call: &Call<'_>) -> Outcome {
    match (&call.args[0], &call.args[1]) {
        (Value::Int(left), Value::Int(right)) => int(left.checked_add(*right)),
        (Value::Uint(left), Value::Uint(right)) => uint(left.checked_add(*right)),
        (Value::Double(left), Value::Double(right)) => Ok(Value::Double(left + right)),
        (Value::String(left), Value::String(right)) => {
            Ok(Value::string([&**left, &**right].concat()))
        }
        (Value::Bytes(left), Value::Bytes(right)) => {
            Ok(Value::Bytes([&**left, &**right].concat().into()))
        }
        (Value::List(left), Value::List(right)) => joined(call, left, right),
        (Value::Duration(left), Value::Duration(right)) => Ok(Value::Duration(left.plus(*right)?)),
        (Value::Timestamp(time), Value::Duration(span))
        | (Value::Duration(span), Value::Timestamp(time)) => {
            Ok(Value::Timestamp(time.plus(*span)?))
        }
        (
            Value::Int(_)
            | Value::Uint(_)
            | Value::Double(_)
            | Value::String(_)
            | Value::Bytes(_)
            | Value::List(_)
            | Value::Duration(_)
            | Value::Timestamp(_),
            _,
        ) => Err(mismatch()),
        (left, _) => Err(unknown("_+_", left)),
    }
}

fn joined(call: &Call<'_>, left: &Arc<List>, right: &Arc<List>) -> Outcome {
    if *left.kind() == ListKind::Plain && left.items().is_empty() {
        return Ok(Value::List(right.clone()));
    }
    if *left.kind() == ListKind::Plain && right.items().is_empty() {
        return Ok(Value::List(left.clone()));
    }
    // It costs the same whatever its size, but takes memory.
    call.fuel.burn(8 * (left.items().len() + right.items().len()))?;
    Ok(Value::List(Arc::new(left.joined(right))))
}

fn subtract(call: &Call<'_>) -> Outcome {
    match (&call.args[0], &call.args[1]) {
        (Value::Int(left), Value::Int(right)) => int(left.checked_sub(*right)),
        (Value::Uint(left), Value::Uint(right)) => uint(left.checked_sub(*right)),
        (Value::Double(left), Value::Double(right)) => Ok(Value::Double(left - right)),
        (Value::Duration(left), Value::Duration(right)) => Ok(Value::Duration(left.minus(*right)?)),
        (Value::Timestamp(left), Value::Timestamp(right)) => {
            Ok(Value::Duration(left.since(*right)?))
        }
        (Value::Timestamp(time), Value::Duration(span)) => {
            Ok(Value::Timestamp(time.plus(Duration::negated(*span)?)?))
        }
        (Value::Int(_) | Value::Uint(_) | Value::Double(_), _) => Err(mismatch()),
        (left, _) => Err(unknown("_-_", left)),
    }
}

fn multiply(call: &Call<'_>) -> Outcome {
    match (&call.args[0], &call.args[1]) {
        (Value::Int(left), Value::Int(right)) => int(left.checked_mul(*right)),
        (Value::Uint(left), Value::Uint(right)) => uint(left.checked_mul(*right)),
        (Value::Double(left), Value::Double(right)) => Ok(Value::Double(left * right)),
        (Value::Int(_) | Value::Uint(_) | Value::Double(_), _) => Err(mismatch()),
        (left, _) => Err(unknown("_*_", left)),
    }
}

fn divide(call: &Call<'_>) -> Outcome {
    match (&call.args[0], &call.args[1]) {
        (Value::Int(_), Value::Int(0)) | (Value::Uint(_), Value::Uint(0)) => {
            Err(Failure::new("division by zero"))
        }
        (Value::Int(left), Value::Int(right)) => int(left.checked_div(*right)),
        (Value::Uint(left), Value::Uint(right)) => uint(left.checked_div(*right)),
        (Value::Double(left), Value::Double(right)) => Ok(Value::Double(left / right)),
        (Value::Int(_) | Value::Uint(_) | Value::Double(_), _) => Err(mismatch()),
        (left, _) => Err(unknown("_/_", left)),
    }
}

fn modulo(call: &Call<'_>) -> Outcome {
    match (&call.args[0], &call.args[1]) {
        (Value::Int(_), Value::Int(0)) | (Value::Uint(_), Value::Uint(0)) => {
            Err(Failure::new("modulus by zero"))
        }
        (Value::Int(left), Value::Int(right)) => int(left.checked_rem(*right)),
        (Value::Uint(left), Value::Uint(right)) => uint(left.checked_rem(*right)),
        (Value::Int(_) | Value::Uint(_), _) => Err(mismatch()),
        (left, _) => Err(unknown("_%_", left)),
    }
}

fn ordered(call: &Call<'_>, operator: &str, holds: fn(Ordering) -> bool) -> Outcome {
    let [left, right] = call.args else { return Err(Failure::Mismatch) };
    if !is_comparable(left) {
        return Err(unknown(operator, left));
    }
    Ok(Value::Bool(holds(compare(left, right)?)))
}

/// Whether values of this kind have an order.
pub(super) fn is_comparable(value: &Value) -> bool {
    matches!(
        value,
        Value::Bool(_)
            | Value::Int(_)
            | Value::Uint(_)
            | Value::Double(_)
            | Value::String(_)
            | Value::Bytes(_)
            | Value::Timestamp(_)
            | Value::Duration(_)
    )
}

/// Values that do not compare differ.
fn differ(call: &Call<'_>) -> Outcome {
    match equal(&call.args[0], &call.args[1], call.fuel) {
        Err(error) if error.is_cost_exceeded() => Err(error.into()),
        outcome => Ok(Value::Bool(outcome != Ok(true))),
    }
}

fn contained(call: &Call<'_>) -> Outcome {
    match (&call.args[0], &call.args[1]) {
        (item, Value::List(list)) => Ok(Value::Bool(is_in_list(call, item, list)?)),
        (key, Value::Map(map)) => match map.lookup(key)? {
            Some(Value::Error(error)) if map.is_of_schema() => Err(Error::clone(error).into()),
            found => Ok(Value::Bool(found.is_some())),
        },
        _ => Err(mismatch()),
    }
}

fn is_in_list(call: &Call<'_>, item: &Value, list: &List) -> Result<bool, Error> {
    let is_plain = *list.kind() == ListKind::Plain;
    let mut first_error = None;
    for element in list.items() {
        let outcome = match is_plain {
            true => equal(item, element, call.fuel),
            false => equal(element, item, call.fuel),
        };
        match outcome {
            Ok(true) => return Ok(true),
            Err(error) if error.is_cost_exceeded() => return Err(error),
            Err(error) if !is_plain => first_error = first_error.or(Some(error)),
            Ok(false) | Err(_) => {}
        }
    }
    first_error.map_or(Ok(false), Err)
}

fn size(call: &Call<'_>) -> Outcome {
    let size = match &call.args[0] {
        Value::String(text) => characters(text),
        Value::Bytes(bytes) => bytes.len() as u64,
        Value::List(list) => list.items().len() as u64,
        Value::Map(map) => map.len() as u64,
        other => return Err(unknown("size", other)),
    };
    Ok(Value::Int(size as i64))
}
