//! The object that the tables' expressions look at.
//!
//! Reads `object.json`: a schema, and a value of it.
//! Invariant: declarations and values are what the server makes of that schema.

use std::sync::Arc;

use serde_json::Value as Json;

use crate::cel::{
    Declared, Duration, Env, List, ListKind, Map, Timestamp, Value, Variables, escape,
};
use crate::go_text::quoted;

const OBJECT: &str = include_str!("object.json");

/// The greatest request, in bytes.
const REQUEST: u64 = 3 << 20;

fn object() -> Json {
    serde_json::from_str(OBJECT).expect("the file is JSON")
}

/// An environment with `self` and `oldSelf`.
pub(super) fn env() -> Env {
    let declared = declare(&object()["schema"]);
    Env::new().with("self", declared.clone()).with("oldSelf", declared)
}

pub(super) fn variables(env: &Env) -> Variables {
    let object = object();
    let value = convert(&object["value"], &object["schema"]);
    env.variables().with("self", value.clone()).with("oldSelf", value)
}

fn declare(schema: &Json) -> Declared {
    let bound = |name: &str| schema[name].as_u64();
    if schema["x-kubernetes-int-or-string"] == true {
        return Declared::Dyn { max: bound("maxLength").map_or(REQUEST - 2, |it| 4 * it) };
    }
    match (schema["type"].as_str().unwrap_or(""), schema["format"].as_str().unwrap_or("")) {
        ("array", _) => {
            Declared::list(declare(&schema["items"]), bound("maxItems").expect("it is bounded"))
        }
        ("object", _) if schema["additionalProperties"].is_object() => {
            let values = declare(&schema["additionalProperties"]);
            Declared::map(values, bound("maxProperties").expect("it is bounded"))
        }
        ("object", _) => {
            let properties = schema["properties"].as_object().expect("it has properties");
            Declared::object(properties.iter().map(|(name, property)| {
                (escape(name).expect("it can be named"), declare(property))
            }))
        }
        ("string", "byte") => Declared::Bytes { max: bound("maxLength").expect("it is bounded") },
        ("string", "duration") => Declared::Duration { max: 32 },
        ("string", "date") => Declared::Timestamp { max: 12 },
        ("string", "date-time") => Declared::Timestamp { max: 32 },
        ("string", _) => Declared::String { max: longest(schema) },
        ("boolean", _) => Declared::Bool,
        ("number", _) => Declared::Double,
        _ => Declared::Int,
    }
}

fn longest(schema: &Json) -> u64 {
    let choices = schema["enum"].as_array().into_iter().flatten();
    let longest = choices.filter_map(|it| it.as_str().map(|it| it.len() as u64)).max();
    schema["maxLength"].as_u64().map(|it| 4 * it).or(longest).expect("it is bounded")
}

fn convert(value: &Json, schema: &Json) -> Value {
    match value {
        Json::Null => Value::Null,
        Json::Bool(flag) => Value::Bool(*flag),
        Json::Number(number) if schema["type"] == "number" => {
            Value::Double(number.as_f64().expect("it is a number"))
        }
        Json::Number(number) => Value::Int(number.as_i64().expect("it is whole")),
        Json::String(text) => formatted(text, schema["format"].as_str().unwrap_or("")),
        Json::Array(items) => {
            let items = items.iter().map(|item| convert(item, &schema["items"])).collect();
            Value::List(Arc::new(List::new(items, kind(schema))))
        }
        Json::Object(fields) if schema["properties"].is_object() => {
            let (hidden, seen): (Vec<_>, Vec<_>) = fields.iter().partition(|it| it.1.is_null());
            let seen = seen.into_iter().map(|(name, value)| {
                let property = &schema["properties"][name];
                (escape(name).expect("it can be named"), convert(value, property))
            });
            let hidden = hidden.into_iter().map(|(name, value)| (name.clone(), value.clone()));
            Value::Map(Arc::new(Map::object(seen, hidden)))
        }
        Json::Object(fields) => {
            let values = &schema["additionalProperties"];
            let entry = |(name, value): (&String, &Json)| (name.clone(), convert(value, values));
            Value::Map(Arc::new(Map::properties(fields.iter().map(entry))))
        }
    }
}

fn kind(schema: &Json) -> ListKind {
    match schema["x-kubernetes-list-type"].as_str() {
        Some("set") => ListKind::Set,
        Some("map") => ListKind::Map { keys: ["k".to_owned()].into() },
        _ => ListKind::Atomic,
    }
}

fn formatted(text: &str, format: &str) -> Value {
    match format {
        "date-time" => Value::Timestamp(Timestamp::parse(text).expect("it is a time")),
        "date" => {
            let midnight = format!("{text}T00:00:00Z");
            Value::Timestamp(Timestamp::parse(&midnight).expect("it is a day"))
        }
        "duration" => Value::Duration(Duration::parse(text).expect("it is a span")),
        // The one text of bytes in the object, decoded.
        "byte" => Value::Bytes(b"AB".as_slice().into()),
        _ => Value::string(text),
    }
}

/// A value as the tables write it.
pub(super) fn show(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::String(text) => quoted(text),
        Value::Bytes(bytes) => show_bytes(bytes),
        Value::Uint(uint) => format!("{uint}u"),
        Value::Double(_) => format!("double({value})"),
        Value::Type("list") => "type(list(dyn))".to_owned(),
        Value::Type("map") => "type(map(dyn, dyn))".to_owned(),
        Value::Type(name) => format!("type({name})"),
        Value::Optional(None) => "optional.none".to_owned(),
        Value::Optional(Some(inner)) => format!("optional({})", show(inner)),
        Value::List(list) => {
            let items: Vec<String> = list.items().iter().map(show).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Map(map) => format!("map({})", map.len()),
        Value::Duration(span) => format!("duration({})", span.nanoseconds()),
        Value::Timestamp(time) => format!("timestamp({time})"),
        other => other.to_string(),
    }
}

fn show_bytes(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => format!("b{}", quoted(text)),
        Err(_) => {
            let escaped: String = bytes.iter().map(|byte| format!("\\x{byte:02x}")).collect();
            format!("b\"{escaped}\"")
        }
    }
}
