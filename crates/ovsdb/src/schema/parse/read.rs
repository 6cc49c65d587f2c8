//! Reads the members of a schema's JSON objects.
//!
//! Invariant: every refusal names the place.

use serde_json::{Map, Value};

use super::SchemaError;
use crate::value::{Atom, AtomKind, Real};

pub(super) type Object = Map<String, Value>;

pub(super) fn members<'a>(
    json: &'a Value,
    place: &str,
    allowed: &[&str],
) -> Result<&'a Object, SchemaError> {
    let object = object(json, place)?;
    match object.keys().find(|name| !allowed.contains(&name.as_str())) {
        Some(name) => Err(SchemaError::new(place, format!("unexpected member {name:?}"))),
        None => Ok(object),
    }
}

pub(super) fn object<'a>(json: &'a Value, place: &str) -> Result<&'a Object, SchemaError> {
    json.as_object().ok_or_else(|| SchemaError::new(place, "expected an object"))
}

pub(super) fn require<'a>(
    object: &'a Object,
    name: &str,
    place: &str,
) -> Result<&'a Value, SchemaError> {
    object.get(name).ok_or_else(|| SchemaError::new(place, format!("{name:?} is missing")))
}

pub(super) fn text<'a>(json: &'a Value, place: &str) -> Result<&'a str, SchemaError> {
    json.as_str().ok_or_else(|| SchemaError::new(place, "expected a string"))
}

pub(super) fn optional_text(
    object: &Object,
    name: &str,
    place: &str,
) -> Result<Option<String>, SchemaError> {
    object.get(name).map(|json| text(json, place).map(str::to_owned)).transpose()
}

pub(super) fn optional_bool(
    object: &Object,
    name: &str,
    place: &str,
) -> Result<Option<bool>, SchemaError> {
    let read = |json: &Value| {
        json.as_bool().ok_or_else(|| SchemaError::new(place, format!("{name} is not a boolean")))
    };
    object.get(name).map(read).transpose()
}

pub(super) fn integer(
    fields: &Object,
    name: &str,
    place: &str,
) -> Result<Option<i64>, SchemaError> {
    let read = |json: &Value| match crate::codec::atom_from_json(AtomKind::Integer, json) {
        Ok(Atom::Integer(number)) => Ok(number),
        _ => Err(SchemaError::new(place, format!("{name} is not an integer"))),
    };
    fields.get(name).map(read).transpose()
}

pub(super) fn real(fields: &Object, name: &str, place: &str) -> Result<Option<Real>, SchemaError> {
    let read = |json: &Value| match crate::codec::atom_from_json(AtomKind::Real, json) {
        Ok(Atom::Real(number)) => Ok(number),
        _ => Err(SchemaError::new(place, format!("{name} is not a number"))),
    };
    fields.get(name).map(read).transpose()
}

pub(super) fn length(fields: &Object, name: &str, place: &str) -> Result<Option<u64>, SchemaError> {
    let Some(number) = integer(fields, name, place)? else { return Ok(None) };
    let length = u32::try_from(number)
        .map_err(|_| SchemaError::new(place, format!("{name} must be from 0 to {}", u32::MAX)))?;
    Ok(Some(u64::from(length)))
}

pub(super) fn count(json: &Value, place: &str) -> Result<u32, SchemaError> {
    let number = whole(json).and_then(|number| u32::try_from(number).ok());
    // compat: lib/ovsdb-types.c: the largest number means "unlimited" and cannot be written.
    let number = number.filter(|number| *number < u32::MAX);
    number.ok_or_else(|| SchemaError::new(place, "expected a small non-negative integer"))
}

pub(super) fn positive(json: &Value, place: &str) -> Result<u64, SchemaError> {
    let number = whole(json).and_then(|number| u64::try_from(number).ok());
    let number = number.filter(|number| *number > 0);
    number.ok_or_else(|| SchemaError::new(place, "expected a positive integer"))
}

/// A number without a fraction, however it is written.
pub(super) fn whole(json: &Value) -> Option<i64> {
    match crate::codec::atom_from_json(AtomKind::Integer, json) {
        Ok(Atom::Integer(number)) => Some(number),
        Ok(_) | Err(_) => None,
    }
}

/// Table and column names: identifiers that do not begin with an underscore.
pub(super) fn check_name(name: &str, place: &str) -> Result<(), SchemaError> {
    if name.starts_with('_') {
        return Err(SchemaError::new(place, "names beginning with _ are reserved"));
    }
    check_identifier(name, place)
}

pub(super) fn check_identifier(name: &str, place: &str) -> Result<(), SchemaError> {
    let mut bytes = name.bytes();
    let first = bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_');
    if !first || !bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_') {
        return Err(SchemaError::new(place, format!("{name:?} is not an identifier")));
    }
    Ok(())
}
