//! Messages as JSON objects.
//!
//! Reads bytes by the table; returns fields under their names in JSON.
//! Invariant: what a later field says of the same thing wins, and lists grow.

use serde_json::{Map, Value};

use super::special;
use super::table::{self, Described, Message, Shape};
use super::wire::{Cursor, Payload, WireError};
use crate::auth::base64::{self, Alphabet};

/// How deep an object may nest; a little less than JSON may.
pub(super) const MAX_DEPTH: usize = 120;

/// Reads the fields of a message into an object.
pub(super) fn fields(
    bytes: &[u8],
    message: &Message,
    into: &mut Map<String, Value>,
    depth: usize,
) -> Result<(), WireError> {
    if depth >= MAX_DEPTH {
        return Err(WireError::TooDeep);
    }
    let mut cursor = Cursor::new(bytes, message.name);
    while let Some(field) = cursor.next()? {
        match message.fields.get(&field.number) {
            Some(described) => add(described, field.payload, into, depth + 1)?,
            None => field.skip()?,
        }
    }
    Ok(())
}

/// Adds what a field carries to its object.
fn add(
    field: &Described,
    payload: Payload<'_>,
    into: &mut Map<String, Value>,
    depth: usize,
) -> Result<(), WireError> {
    let Described { name, is_pointer, shape } = field;
    match shape {
        Shape::Repeated(items) => append(&spelled(name), items, payload, list(into, name), depth),
        Shape::Map(values) => {
            let (key, value) = entry(payload.bytes(&spelled(name))?, values, depth)?;
            let entries = into.entry(*name).or_insert_with(|| Value::Object(Map::new()));
            if let Some(entries) = entries.as_object_mut() {
                entries.insert(key, value);
            }
            Ok(())
        }
        // An embedded struct has no name, and its fields stand here.
        Shape::Message(message) if name.is_empty() => {
            let message = table::message(message);
            fields(payload.bytes(message.name)?, message, into, depth)
        }
        _ => {
            let old = into.remove(*name);
            let value = value(&spelled(name), shape, payload, old, depth)?;
            // JSON stands for itself, even where it is empty.
            if *is_pointer || *shape == Shape::Raw || !is_zero(&value) {
                into.insert((*name).to_owned(), value);
            }
            Ok(())
        }
    }
}

fn list<'a>(into: &'a mut Map<String, Value>, name: &str) -> &'a mut Vec<Value> {
    let items = into.entry(name).or_insert_with(|| Value::Array(Vec::new()));
    items.as_array_mut().expect("a repeated field is nothing else")
}

/// Appends an item, or several where numbers are packed.
fn append(
    name: &str,
    shape: &Shape,
    payload: Payload<'_>,
    items: &mut Vec<Value>,
    depth: usize,
) -> Result<(), WireError> {
    let is_number = matches!(shape, Shape::Bool | Shape::Int32 | Shape::Int64);
    let (true, Payload::Bytes(packed)) = (is_number, payload) else {
        items.push(value(name, shape, payload, None, depth)?);
        return Ok(());
    };
    let mut cursor = Cursor::new(packed, name);
    while let Some(number) = cursor.varint()? {
        items.push(value(name, shape, Payload::Varint(number), None, depth)?);
    }
    Ok(())
}

/// A key and its value.
fn entry(bytes: &[u8], shape: &Shape, depth: usize) -> Result<(String, Value), WireError> {
    let (mut key, mut found) = (String::new(), None);
    let mut cursor = Cursor::new(bytes, "Entry");
    while let Some(field) = cursor.next()? {
        match field.number {
            1 => key = text(field.bytes("Key")?),
            2 => found = Some(value("Value", shape, field.payload, None, depth)?),
            _ => field.skip()?,
        }
    }
    match found {
        Some(found) => Ok((key, found)),
        // A value that was left out is the empty one.
        None => Ok((key, value("Value", shape, Payload::Bytes(&[]), None, depth)?)),
    }
}

/// What a single field carries.
fn value(
    name: &str,
    shape: &Shape,
    payload: Payload<'_>,
    old: Option<Value>,
    depth: usize,
) -> Result<Value, WireError> {
    let bytes = || payload.bytes(name);
    Ok(match shape {
        Shape::String => Value::from(text(bytes()?)),
        Shape::Bool => Value::from(payload.varint(name)? != 0),
        Shape::Int32 => Value::from(int32(payload.varint(name)?)),
        Shape::Int64 => Value::from(payload.varint(name)?.cast_signed()),
        Shape::Double => special::number(payload.double(name)?)?,
        Shape::Bytes => Value::from(base64::encode(Alphabet::Standard, bytes()?)),
        Shape::Time => special::time(bytes()?, false)?,
        Shape::MicroTime => special::time(bytes()?, true)?,
        Shape::Quantity => special::quantity(bytes()?)?,
        Shape::IntOrString => special::int_or_string(bytes()?)?,
        Shape::Raw => special::raw(bytes()?)?,
        Shape::SchemaOrArray => special::schema_or_array(bytes()?, depth)?,
        Shape::SchemaOrBool => special::schema_or_bool(bytes()?, depth)?,
        Shape::SchemaOrStrings => special::schema_or_strings(bytes()?, depth)?,
        Shape::Message(message) => {
            let mut into = match old {
                Some(Value::Object(fields)) => fields,
                _ => Map::new(),
            };
            fields(bytes()?, table::message(message), &mut into, depth)?;
            Value::Object(into)
        }
        Shape::List(items) | Shape::Repeated(items) => {
            let mut found = Vec::new();
            let mut cursor = Cursor::new(bytes()?, name);
            while let Some(field) = cursor.next()? {
                match field.number {
                    1 => append("Items", items, field.payload, &mut found, depth)?,
                    _ => field.skip()?,
                }
            }
            Value::Array(found)
        }
        Shape::Map(values) => {
            let (key, value) = entry(bytes()?, values, depth)?;
            Value::Object(Map::from_iter([(key, value)]))
        }
    })
}

/// Go keeps the low half of a number that is too large.
#[expect(clippy::cast_possible_truncation, reason = "this is what the server does")]
pub(super) fn int32(value: u64) -> i32 {
    value as i32
}

pub(super) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A value that Go cannot tell from none, where there is no pointer to it.
fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Bool(true) => false,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
    }
}

/// A field as the server's messages spell it.
fn spelled(name: &str) -> String {
    if name == "metadata" {
        return "ObjectMeta".to_owned();
    }
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
