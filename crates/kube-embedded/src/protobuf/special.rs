//! Messages that JSON shows as something else than an object.
//!
//! Reads their bytes; returns what JSON has in their place.
//! Invariant: a text that is to be JSON is JSON, or is refused.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value};

use super::object::{MAX_DEPTH, fields, int32, text};
use super::table::{self, SCHEMA};
use super::wire::{Cursor, WireError};

/// Seconds and nanoseconds as text; nothing for no time.
pub(super) fn time(bytes: &[u8], is_precise: bool) -> Result<Value, WireError> {
    if bytes.is_empty() {
        return Ok(Value::Null);
    }
    let (mut seconds, mut nanos) = (0_i64, 0);
    let mut cursor = Cursor::new(bytes, "Timestamp");
    while let Some(field) = cursor.next()? {
        match field.number {
            1 => seconds = field.payload.varint("Seconds")?.cast_signed(),
            2 => nanos = int32(field.payload.varint("Nanos")?),
            _ => field.skip()?,
        }
    }
    let out_of_range = |_| WireError::TimeOutOfRange;
    let whole = Timestamp::new(seconds, 0).map_err(out_of_range)?;
    if !is_precise {
        return Ok(Value::from(whole.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()));
    }
    let fraction = SignedDuration::from_nanos(i64::from(nanos));
    let precise = whole.checked_add(fraction).map_err(out_of_range)?;
    Ok(Value::from(precise.strftime("%Y-%m-%dT%H:%M:%S.%6fZ").to_string()))
}

/// A quantity as it is spelled; nothing is zero.
pub(super) fn quantity(bytes: &[u8]) -> Result<Value, WireError> {
    let mut spelled = String::new();
    let mut cursor = Cursor::new(bytes, "Quantity");
    while let Some(field) = cursor.next()? {
        match field.number {
            1 => spelled = text(field.bytes("String")?),
            _ => field.skip()?,
        }
    }
    Ok(Value::from(if spelled.is_empty() { "0".to_owned() } else { spelled }))
}

pub(super) fn int_or_string(bytes: &[u8]) -> Result<Value, WireError> {
    let (mut is_text, mut number, mut words) = (false, 0, String::new());
    let mut cursor = Cursor::new(bytes, "IntOrString");
    while let Some(field) = cursor.next()? {
        match field.number {
            1 => is_text = field.payload.varint("Type")? == 1,
            2 => number = int32(field.payload.varint("IntVal")?),
            3 => words = text(field.bytes("StrVal")?),
            _ => field.skip()?,
        }
    }
    Ok(if is_text { Value::from(words) } else { Value::from(number) })
}

/// JSON within a message.
pub(super) fn raw(bytes: &[u8]) -> Result<Value, WireError> {
    let mut json: &[u8] = &[];
    let mut cursor = Cursor::new(bytes, "RawExtension");
    while let Some(field) = cursor.next()? {
        match field.number {
            1 => json = field.bytes("Raw")?,
            _ => field.skip()?,
        }
    }
    if json.is_empty() {
        return Ok(Value::Null);
    }
    serde_json::from_slice(json).map_err(|why| WireError::NotJson(why.to_string()))
}

/// A number of JSON, without a point where it is whole.
pub(super) fn number(value: f64) -> Result<Value, WireError> {
    /// Up to here every whole number is one of its own.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() < EXACT {
        #[expect(clippy::cast_possible_truncation, reason = "it is whole and small enough")]
        return Ok(Value::from(value as i64));
    }
    let number = serde_json::Number::from_f64(value);
    number.map(Value::Number).ok_or_else(|| WireError::NoNumber(value.to_string()))
}

/// One schema, or several.
pub(super) fn schema_or_array(bytes: &[u8], depth: usize) -> Result<Value, WireError> {
    let (mut one, mut several) = (None, Vec::new());
    let mut cursor = Cursor::new(bytes, "JSONSchemaPropsOrArray");
    while let Some(field) = cursor.next()? {
        match field.number {
            1 => one = Some(schema(field.bytes("Schema")?, one, depth)?),
            2 => several.push(Value::Object(schema(field.bytes("JSONSchemas")?, None, depth)?)),
            _ => field.skip()?,
        }
    }
    match (several.is_empty(), one) {
        (false, _) => Ok(Value::Array(several)),
        (true, one) => Ok(one.map_or(Value::Null, Value::Object)),
    }
}

/// A schema, or whether anything goes.
pub(super) fn schema_or_bool(bytes: &[u8], depth: usize) -> Result<Value, WireError> {
    let (mut allows, mut one) = (false, None);
    let mut cursor = Cursor::new(bytes, "JSONSchemaPropsOrBool");
    while let Some(field) = cursor.next()? {
        match field.number {
            1 => allows = field.payload.varint("Allows")? != 0,
            2 => one = Some(schema(field.bytes("Schema")?, one, depth)?),
            _ => field.skip()?,
        }
    }
    Ok(one.map_or(Value::from(allows), Value::Object))
}

/// A schema, or names of properties.
pub(super) fn schema_or_strings(bytes: &[u8], depth: usize) -> Result<Value, WireError> {
    let (mut one, mut names) = (None, Vec::new());
    let mut cursor = Cursor::new(bytes, "JSONSchemaPropsOrStringArray");
    while let Some(field) = cursor.next()? {
        match field.number {
            1 => one = Some(schema(field.bytes("Schema")?, one, depth)?),
            2 => names.push(Value::from(text(field.bytes("Property")?))),
            _ => field.skip()?,
        }
    }
    match (names.is_empty(), one) {
        (false, _) => Ok(Value::Array(names)),
        (true, one) => Ok(one.map_or(Value::Null, Value::Object)),
    }
}

type Fields = Map<String, Value>;

fn schema(bytes: &[u8], old: Option<Fields>, depth: usize) -> Result<Fields, WireError> {
    if depth >= MAX_DEPTH {
        return Err(WireError::TooDeep);
    }
    let mut found = old.unwrap_or_default();
    fields(bytes, table::message(SCHEMA), &mut found, depth + 1)?;
    Ok(found)
}
