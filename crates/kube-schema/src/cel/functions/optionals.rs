//! Optional values.
//!
//! Reads optionals and lists of them; returns what they hold.
//! Invariant: `or` and `orValue` are not here; the planner gives them a form that may skip their
//! second operand.

use super::{Call, Failure, Implementation, Outcome};
use crate::cel::value::Value;

pub(super) fn find(name: &str) -> Option<Implementation> {
    Some(match name {
        "optional.of" => |call| Ok(Value::some(call.args[0].clone())),
        "optional.ofNonZeroValue" => of_non_zero,
        "optional.none" => |_| Ok(Value::Optional(None)),
        "optional.unwrap" | "unwrapOpt" => unwrap,
        "hasValue" => has_value,
        "value" => value,
        "first" => |call| item(call, <[Value]>::first),
        "last" => |call| item(call, <[Value]>::last),
        "or" | "orValue" => super::missing,
        _ => return None,
    })
}

fn of_non_zero(call: &Call<'_>) -> Outcome {
    let value = &call.args[0];
    Ok(if is_zero(value) { Value::Optional(None) } else { Value::some(value.clone()) })
}

/// compat: cel-go, values with IsZeroValue; those of Kubernetes' schemas have none
fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(flag) => !flag,
        Value::Int(int) => *int == 0,
        Value::Uint(uint) => *uint == 0,
        Value::Double(real) => *real == 0.0,
        Value::String(text) => text.is_empty(),
        Value::Bytes(bytes) => bytes.is_empty(),
        Value::List(list) => list.is_plain() && list.items().is_empty(),
        Value::Map(map) => !map.is_of_schema() && map.is_empty(),
        Value::Duration(span) => span.nanoseconds() == 0,
        Value::Timestamp(time) => time.is_zero(),
        // A netip address or prefix has a zero value of its own, which no text gives.
        Value::Ip(_)
        | Value::Cidr(_)
        | Value::Optional(_)
        | Value::Type(_)
        | Value::Quantity(_)
        | Value::Url(_)
        | Value::Semver(_)
        | Value::Format(_)
        | Value::Error(_) => false,
    }
}

fn has_value(call: &Call<'_>) -> Outcome {
    match call.args {
        [Value::Optional(inner)] => Ok(Value::Bool(inner.is_some())),
        _ => Err(Failure::Mismatch),
    }
}

fn value(call: &Call<'_>) -> Outcome {
    match call.args {
        [Value::Optional(Some(inner))] => Ok(Value::clone(inner)),
        [Value::Optional(None)] => Err(Failure::new("optional.none() dereference")),
        _ => Err(Failure::Mismatch),
    }
}

fn unwrap(call: &Call<'_>) -> Outcome {
    let [Value::List(list)] = call.args else { return Err(Failure::Mismatch) };
    call.fuel.burn(list.items().len())?;
    let mut items = Vec::new();
    for item in list.items() {
        match item {
            Value::Optional(Some(inner)) => items.push(Value::clone(inner)),
            Value::Optional(None) => {}
            other => return Err(Failure::new(format!("value {other} is not optional"))),
        }
    }
    Ok(Value::list(items))
}

fn item(call: &Call<'_>, pick: fn(&[Value]) -> Option<&Value>) -> Outcome {
    match call.args {
        [Value::List(list)] => Ok(match pick(list.items()) {
            Some(item) => Value::some(item.clone()),
            None => Value::Optional(None),
        }),
        _ => Err(Failure::Mismatch),
    }
}
