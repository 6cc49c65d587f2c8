//! Turns JSON into values that expressions work on.
//!
//! Reads a value and its schema; returns the whole value converted, its parts shared.
//! Invariant: a part that does not fit its schema becomes an error that only its reader sees.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::resource;
use crate::cel::{self, Duration, Key, ListKind, Timestamp, escape};
use crate::formats;
use crate::go_text;
use crate::go_time::{self, Moment};
use crate::number::Number;
use crate::schema::{Kind, ListType, Schema};

/// Converts by schema, as rules of a CRD see a value.
pub(crate) fn convert(value: &Value, schema: &Schema, is_resource: bool) -> cel::Value {
    if value.is_null() {
        return match schema.nullable {
            true => cel::Value::Null,
            false => error("invalid data, got null for schema with nullable=false"),
        };
    }
    if schema.int_or_string {
        return int_or_string(value);
    }
    match schema.kind {
        Some(Kind::Object) => match value {
            Value::Object(fields) => object(fields, schema, is_resource),
            _ => error("invalid data, expected a map for the provided schema with type=object"),
        },
        Some(Kind::Array) => match value {
            Value::Array(items) => list(items, schema),
            _ => error("invalid data, expected an array for the provided schema with type=array"),
        },
        Some(Kind::String) => match value {
            Value::String(text) => formatted(text, &schema.format),
            _ => mismatch("string", value),
        },
        Some(Kind::Number) => match value {
            Value::Number(number) => cel::Value::Double(Number::of(number).as_float()),
            _ => mismatch("float", value),
        },
        Some(Kind::Integer) => match value {
            Value::Number(number) => match Number::of(number) {
                Number::Int(int) => cel::Value::Int(int),
                Number::Float(_) => mismatch("int", value),
            },
            _ => mismatch("int", value),
        },
        Some(Kind::Boolean) => match value {
            Value::Bool(flag) => cel::Value::Bool(*flag),
            _ => mismatch("bool", value),
        },
        None => error(
            "invalid type, expected object, array, number, integer, boolean or string, or no type \
             with x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got ",
        ),
    }
}

/// Converts without a schema, as admission policies see objects.
pub(crate) fn dynamic(value: &Value) -> cel::Value {
    match value {
        Value::Null => cel::Value::Null,
        Value::Bool(flag) => cel::Value::Bool(*flag),
        Value::Number(number) => match Number::of(number) {
            Number::Int(int) => cel::Value::Int(int),
            Number::Float(real) => cel::Value::Double(real),
        },
        Value::String(text) => cel::Value::string(text.as_str()),
        Value::Array(items) => cel::Value::list(items.iter().map(dynamic).collect()),
        Value::Object(fields) => {
            let entries = fields
                .iter()
                .map(|(name, value)| (Key::String(name.as_str().into()), dynamic(value)));
            cel::Value::Map(Arc::new(cel::Map::new(entries)))
        }
    }
}

fn error(text: &str) -> cel::Value {
    cel::Value::Error(Arc::new(cel::Error::new(text)))
}

fn mismatch(want: &str, value: &Value) -> cel::Value {
    let found = go_text::type_name(value);
    error(&format!("invalid data, expected {want}, got {found}"))
}

fn int_or_string(value: &Value) -> cel::Value {
    match value {
        Value::String(text) => cel::Value::string(text.as_str()),
        Value::Number(number) if number.is_i64() => dynamic(value),
        _ => error("invalid data, expected XIntOrString value to be either a string or integer"),
    }
}

fn object(fields: &Map<String, Value>, schema: &Schema, is_resource: bool) -> cel::Value {
    let has_fields = is_resource || !schema.properties.is_empty();
    if let (false, Some(values)) = (has_fields, schema.of_values()) {
        let entry = |(name, value): (&String, &Value)| {
            (name.clone(), convert(value, values, values.embedded_resource))
        };
        return cel::Value::Map(Arc::new(cel::Map::properties(fields.iter().map(entry))));
    }
    let (mut seen, mut hidden) = (Vec::with_capacity(fields.len()), Vec::new());
    for (name, value) in fields {
        let property = resource::property(schema, is_resource, name)
            .filter(|property| property.kind.is_some() || property.int_or_string);
        match (property, escape(name)) {
            (Some(property), Some(escaped)) if !value.is_null() => {
                seen.push((escaped, convert(value, property, property.embedded_resource)));
            }
            _ => hidden.push((name.clone(), value.clone())),
        }
    }
    cel::Value::Map(Arc::new(cel::Map::object(seen, hidden)))
}

fn list(items: &[Value], schema: &Schema) -> cel::Value {
    let Some(of_items) = schema.items.as_deref() else {
        return error("invalid array type, expected Items with a non-empty Schema");
    };
    let kind = match schema.list_type {
        Some(ListType::Map) => ListKind::Map { keys: schema.list_map_keys.clone().into() },
        Some(ListType::Set) => ListKind::Set,
        Some(ListType::Atomic) | None => ListKind::Atomic,
    };
    let items = items.iter().map(|item| convert(item, of_items, of_items.embedded_resource));
    cel::Value::List(Arc::new(cel::List::new(items.collect(), kind)))
}

fn formatted(text: &str, format: &str) -> cel::Value {
    let value = match format {
        "duration" => formats::duration(text)
            .map(|nanoseconds| cel::Value::Duration(Duration::from_nanoseconds(nanoseconds)))
            .map_err(|why| format!("Invalid duration {text}: {why}")),
        "date" => go_time::parse(go_time::DATE, text)
            .map(|day| cel::Value::Timestamp(Timestamp::of(day)))
            .map_err(|why| format!("Invalid date formatted string {text}: {why}")),
        "date-time" => date_time(text)
            .map(|moment| cel::Value::Timestamp(Timestamp::of(moment)))
            .map_err(|why| format!("Invalid date-time formatted string {text}: {why}")),
        // compat: strfmt.Base64 has the alphabet of URLs, though the format's check wants `+` and `/`
        "byte" => formats::decode_base64(text)
            .map(|bytes| cel::Value::Bytes(bytes.into()))
            .map_err(|at| {
                let why = format!("illegal base64 data at input byte {at}");
                format!("Invalid byte formatted string {text}: {why}")
            }),
        _ => Ok(cel::Value::string(text)),
    };
    value.unwrap_or_else(|why| error(&why))
}

/// A time with or without a zone; an empty text is 1970. The error is of the form without.
// compat: strfmt.ParseDateTime; its forms with milli- and microseconds, which take a sign in the
// fraction and nothing else that RFC 3339 does not, are left out
fn date_time(text: &str) -> Result<Moment, String> {
    if text.is_empty() {
        return Ok(Moment::default());
    }
    go_time::parse(go_time::RFC_3339, text).or_else(|_| go_time::parse(go_time::LOCAL, text))
}
