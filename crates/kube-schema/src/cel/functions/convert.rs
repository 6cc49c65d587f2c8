//! Conversions between types.
//!
//! Reads a value; returns it as another type.
//! Invariant: a conversion that would lose the value is an error.

use super::{Call, Failure, Implementation, Outcome};
use crate::cel::value::{Duration, Timestamp, Value, double_to_int, double_to_uint, float_text};

pub(super) fn find(name: &str) -> Option<Implementation> {
    Some(match name {
        "bool" => to_bool,
        "bytes" => to_bytes,
        "double" => to_double,
        "duration" => to_duration,
        "dyn" => |call| Ok(call.args[0].clone()),
        "int" => to_int,
        "string" => to_string,
        "timestamp" => to_timestamp,
        "type" => |call| Ok(Value::Type(call.args[0].type_name())),
        "uint" => to_uint,
        _ => return None,
    })
}

/// Whether constant arguments are converted when a program is made.
/// (compat: cel-go overloads.go, IsTypeConversionFunction)
pub(in crate::cel) fn is_conversion(name: &str) -> bool {
    find(name).is_some()
}

fn failed(from: &Value, to: &str) -> Failure {
    Failure::new(format!("type conversion error from '{}' to '{to}'", from.type_name()))
}

fn int_overflow() -> Failure {
    Failure::new("integer overflow")
}

fn uint_overflow() -> Failure {
    Failure::new("unsigned integer overflow")
}

fn to_bool(call: &Call<'_>) -> Outcome {
    match &call.args[0] {
        value @ Value::Bool(_) => Ok(value.clone()),
        value @ Value::String(text) => match &**text {
            "1" | "t" | "T" | "true" | "TRUE" | "True" => Ok(Value::Bool(true)),
            "0" | "f" | "F" | "false" | "FALSE" | "False" => Ok(Value::Bool(false)),
            _ => Err(failed(value, "bool")),
        },
        _ => Err(Failure::Mismatch),
    }
}

fn to_bytes(call: &Call<'_>) -> Outcome {
    match &call.args[0] {
        value @ Value::Bytes(_) => Ok(value.clone()),
        Value::String(text) => Ok(Value::Bytes(text.as_bytes().into())),
        _ => Err(Failure::Mismatch),
    }
}

fn to_double(call: &Call<'_>) -> Outcome {
    match &call.args[0] {
        value @ Value::Double(_) => Ok(value.clone()),
        Value::Int(int) => Ok(Value::Double(*int as f64)),
        Value::Uint(uint) => Ok(Value::Double(*uint as f64)),
        value @ Value::String(text) => {
            parse_float(text).map(Value::Double).ok_or_else(|| failed(value, "double"))
        }
        _ => Err(Failure::Mismatch),
    }
}

/// Reads a number as Go's `ParseFloat`; one that is too large is none.
fn parse_float(text: &str) -> Option<f64> {
    let parsed: f64 = text.parse().ok()?;
    let names_infinity = text.contains(['i', 'I']);
    (parsed.is_finite() || parsed.is_nan() || names_infinity).then_some(parsed)
}

fn to_duration(call: &Call<'_>) -> Outcome {
    match &call.args[0] {
        value @ Value::Duration(_) => Ok(value.clone()),
        value @ Value::String(text) => Duration::parse(text)
            .map(Value::Duration)
            .ok_or_else(|| failed(value, "google.protobuf.Duration")),
        value @ Value::Int(_) => Err(failed(value, "google.protobuf.Duration")),
        _ => Err(Failure::Mismatch),
    }
}

fn to_int(call: &Call<'_>) -> Outcome {
    match &call.args[0] {
        value @ Value::Int(_) => Ok(value.clone()),
        Value::Double(real) => double_to_int(*real).map(Value::Int).ok_or_else(int_overflow),
        Value::Uint(uint) => i64::try_from(*uint).map(Value::Int).map_err(|_| int_overflow()),
        Value::Duration(span) => Ok(Value::Int(span.nanoseconds())),
        Value::Timestamp(time) => Ok(Value::Int(time.seconds())),
        value @ Value::String(text) => {
            text.parse().map(Value::Int).map_err(|_| failed(value, "int"))
        }
        _ => Err(Failure::Mismatch),
    }
}

fn to_uint(call: &Call<'_>) -> Outcome {
    match &call.args[0] {
        value @ Value::Uint(_) => Ok(value.clone()),
        Value::Double(real) => double_to_uint(*real).map(Value::Uint).ok_or_else(uint_overflow),
        Value::Int(int) => u64::try_from(*int).map(Value::Uint).map_err(|_| uint_overflow()),
        value @ Value::String(text) => {
            let unsigned = Some(text).filter(|text| !text.starts_with('+'));
            let parsed = unsigned.and_then(|text| text.parse().ok());
            parsed.map(Value::Uint).ok_or_else(|| failed(value, "uint"))
        }
        _ => Err(Failure::Mismatch),
    }
}

fn to_string(call: &Call<'_>) -> Outcome {
    let text = match &call.args[0] {
        value @ Value::String(_) => return Ok(value.clone()),
        Value::Bytes(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => {
                return Err(Failure::new("invalid UTF-8 in bytes, cannot convert to string"));
            }
        },
        Value::Double(real) => float_text(*real),
        value @ (Value::Bool(_)
        | Value::Int(_)
        | Value::Uint(_)
        | Value::Duration(_)
        | Value::Timestamp(_)
        | Value::Ip(_)
        | Value::Cidr(_)) => value.to_string(),
        _ => return Err(Failure::Mismatch),
    };
    Ok(Value::string(text))
}

fn to_timestamp(call: &Call<'_>) -> Outcome {
    let overflow = || Failure::new("timestamp overflow");
    match &call.args[0] {
        value @ Value::Timestamp(_) => Ok(value.clone()),
        Value::Int(seconds) => Timestamp::from_unix(*seconds, 0)
            .filter(Timestamp::is_in_range)
            .map(Value::Timestamp)
            .ok_or_else(overflow),
        value @ Value::String(text) => match Timestamp::parse(text) {
            Some(time) if time.is_in_range() => Ok(Value::Timestamp(time)),
            Some(_) => Err(overflow()),
            None => Err(failed(value, "google.protobuf.Timestamp")),
        },
        _ => Err(Failure::Mismatch),
    }
}
