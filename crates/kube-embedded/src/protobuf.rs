//! Objects in protobuf, as typed clients send built-in kinds.
//!
//! Reads an envelope with the message in it; returns the object that JSON would have shown.
//! Invariant: no bytes make it panic, recurse without end, or take memory beyond a multiple of
//! their own length.

mod object;
mod special;
mod table;
mod wire;

#[cfg(test)]
mod tests;

use serde_json::{Map, Value};

use object::MAX_DEPTH;
use wire::{Cursor, WireError};

/// The content type of bodies that are read here.
pub(crate) const CONTENT_TYPE: &str = "application/vnd.kubernetes.protobuf";

/// What every body starts with.
const PREFIX: &[u8] = b"k8s\0";

/// A kind as an envelope names it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) api_version: String,
    pub(crate) kind: String,
}

/// Why there is no object.
#[derive(Debug, PartialEq, thiserror::Error)]
pub(crate) enum ProtobufError {
    /// Nobody knows what it was to be.
    #[error("{0}")]
    Unrecognized(String),
    /// It was to be of this kind, but is not.
    #[error("{why}")]
    Undecodable { named: Named, why: String },
}

/// Reads the object in a body; a kind that the envelope leaves out is the one that is wanted.
pub(crate) fn read(body: &[u8], wanted: &Named) -> Result<Value, ProtobufError> {
    let (named, raw) = envelope(body).map_err(ProtobufError::Unrecognized)?;
    let or = |given: String, wanted: &str| match given.is_empty() {
        true => wanted.to_owned(),
        false => given,
    };
    let named = Named {
        api_version: or(named.api_version, &wanted.api_version),
        kind: or(named.kind, &wanted.kind),
    };
    let undecodable = |why: String| ProtobufError::Undecodable { named: named.clone(), why };
    let Some(message) = table::message_of(&named) else {
        let Named { api_version, kind } = &named;
        return Err(undecodable(format!(
            "no kind {kind:?} is registered for version {api_version:?} in scheme \
             \"pkg/runtime/scheme.go:111\""
        )));
    };
    let mut fields = Map::new();
    object::fields(raw, message, &mut fields, 0).map_err(|why| undecodable(why.to_string()))?;
    fields.insert("apiVersion".to_owned(), Value::from(named.api_version.as_str()));
    fields.insert("kind".to_owned(), Value::from(named.kind.as_str()));
    let object = Value::Object(fields);
    // JSON within the message may nest as deep again; what is stored is read as JSON later.
    match is_deeper(&object, MAX_DEPTH) {
        true => Err(undecodable(WireError::TooDeep.to_string())),
        false => Ok(object),
    }
}

/// The kind and the message that a body holds.
fn envelope(body: &[u8]) -> Result<(Named, &[u8]), String> {
    if body.is_empty() {
        return Err("empty data".to_owned());
    }
    let Some(unknown) = body.strip_prefix(PREFIX) else {
        return Err("provided data does not appear to be a protobuf message, \
                    expected prefix [107 56 115 0]"
            .to_owned());
    };
    if unknown.is_empty() {
        return Err("empty body".to_owned());
    }
    let text = |why: WireError| why.to_string();
    let (mut named, mut raw) = (Named::default(), &unknown[..0]);
    let mut cursor = Cursor::new(unknown, "Unknown");
    while let Some(field) = cursor.next().map_err(text)? {
        match field.number {
            1 => named = type_meta(field.bytes("TypeMeta").map_err(text)?).map_err(text)?,
            2 => raw = field.bytes("Raw").map_err(text)?,
            _ => field.skip().map_err(text)?,
        }
    }
    Ok((named, raw))
}

fn type_meta(bytes: &[u8]) -> Result<Named, WireError> {
    let mut named = Named::default();
    let mut cursor = Cursor::new(bytes, "TypeMeta");
    while let Some(field) = cursor.next()? {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        match field.number {
            1 => named.api_version = text(field.bytes("APIVersion")?),
            2 => named.kind = text(field.bytes("Kind")?),
            _ => field.skip()?,
        }
    }
    Ok(named)
}

/// Whether a value nests deeper than this many levels.
fn is_deeper(value: &Value, levels: usize) -> bool {
    let Some(inside) = levels.checked_sub(1) else { return value.is_array() || value.is_object() };
    match value {
        Value::Array(items) => items.iter().any(|item| is_deeper(item, inside)),
        Value::Object(fields) => fields.values().any(|field| is_deeper(field, inside)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}
