//! A small writer of protobuf, for what the reader is to read.
//!
//! Reads an object and the table; returns bytes with their envelope.
//! Invariant: it knows nothing of the reader but its table.

use serde_json::Value;

use crate::auth::base64::{self, Alphabet};
use crate::protobuf::table::{self, Described, Message, SCHEMA, Shape};

/// A body that holds an object.
pub(super) fn encode(object: &Value, message: &Message) -> Vec<u8> {
    let text = |name: &str| object[name].as_str().unwrap_or("").as_bytes();
    let meta = [field(1, text("apiVersion")), field(2, text("kind"))].concat();
    let raw = self::message(object, message);
    [&b"k8s\0"[..], &field(1, &meta), &field(2, &raw)].concat()
}

/// A field of bytes.
pub(super) fn field(number: u32, bytes: &[u8]) -> Vec<u8> {
    let mut written = varint(u64::from(number) << 3 | 2);
    written.extend(varint(bytes.len() as u64));
    written.extend(bytes);
    written
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value > 0x7f {
        bytes.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

fn number(number: u32, value: i64) -> Vec<u8> {
    [varint(u64::from(number) << 3), varint(value.cast_unsigned())].concat()
}

fn message(object: &Value, message: &Message) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (number, described) in &message.fields {
        let Described { name, shape, .. } = described;
        let value = if name.is_empty() { object } else { &object[*name] };
        match (shape, value) {
            (_, Value::Null) => {}
            (Shape::Repeated(shape), Value::Array(items)) => {
                bytes.extend(items.iter().flat_map(|item| one(*number, shape, item)));
            }
            (Shape::Map(shape), Value::Object(entries)) => {
                for (key, value) in entries {
                    let entry = [field(1, key.as_bytes()), one(2, shape, value)].concat();
                    bytes.extend(field(*number, &entry));
                }
            }
            (shape, value) => bytes.extend(one(*number, shape, value)),
        }
    }
    bytes
}

fn one(place: u32, shape: &Shape, value: &Value) -> Vec<u8> {
    let text = value.as_str().unwrap_or("").as_bytes();
    let schema = |number, value| field(number, &message(value, table::message(SCHEMA)));
    let bytes = match shape {
        Shape::Bool => return number(place, i64::from(value.as_bool() == Some(true))),
        Shape::Int32 | Shape::Int64 => return number(place, value.as_i64().expect("a number")),
        Shape::Double => {
            let double = value.as_f64().expect("a number").to_le_bytes();
            return [varint(u64::from(place) << 3 | 1), double.to_vec()].concat();
        }
        Shape::String => text.to_vec(),
        Shape::Bytes => {
            let text = value.as_str().expect("a text");
            base64::decode(Alphabet::Standard, text).expect("base 64")
        }
        Shape::Time | Shape::MicroTime => {
            let time: jiff::Timestamp = value.as_str().expect("a text").parse().expect("a time");
            let nanos = i64::from(time.subsec_nanosecond());
            [number(1, time.as_second()), number(2, nanos)].concat()
        }
        Shape::Quantity => field(1, text),
        Shape::IntOrString => match value.as_i64() {
            Some(value) => [number(1, 0), number(2, value)].concat(),
            None => [number(1, 1), field(3, text)].concat(),
        },
        Shape::Raw => field(1, value.to_string().as_bytes()),
        Shape::SchemaOrArray => match value.as_array() {
            Some(items) => items.iter().flat_map(|item| schema(2, item)).collect(),
            None => schema(1, value),
        },
        Shape::SchemaOrBool => match value.as_bool() {
            Some(allows) => number(1, i64::from(allows)),
            None => [number(1, 1), schema(2, value)].concat(),
        },
        Shape::SchemaOrStrings => match value.as_array() {
            Some(names) => names.iter().flat_map(|name| one(2, &Shape::String, name)).collect(),
            None => schema(1, value),
        },
        Shape::List(items) | Shape::Repeated(items) | Shape::Map(items) => {
            let list = value.as_array().into_iter().flatten();
            list.flat_map(|item| one(1, items, item)).collect()
        }
        Shape::Message(name) => message(value, table::message(name)),
    };
    field(place, &bytes)
}
