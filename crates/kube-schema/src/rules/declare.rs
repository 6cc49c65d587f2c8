//! What the type checker of rules knows of a value from its schema.
//!
//! Reads a schema; returns the declaration of `self`, with the sizes that bound the estimate.
//! Invariant: a schema without a type that rules may see has no declaration.

use std::collections::BTreeMap;

use super::resource;
use crate::cel::{Declared, escape};
use crate::schema::{Kind, Schema};

// compat: apiserver/pkg/apis/cel/config.go, apiserver/pkg/cel/limits.go
const MAX_REQUEST: u64 = 3 * 1024 * 1024;
const MAX_TIME: u64 = 32;
const DATE: u64 = 12;

/// A declaration, and the fewest bytes a value of it takes in a request.
#[derive(Debug, Clone)]
pub(super) struct Typed {
    pub(super) declared: Declared,
    pub(super) min_size: u64,
}

/// Declares a value of `schema`; `is_resource` adds `apiVersion`, `kind` and `metadata`.
pub(super) fn declare(schema: &Schema, is_resource: bool) -> Option<Typed> {
    if schema.int_or_string {
        let max = schema.max_length.map_or(MAX_REQUEST - 2, |length| 4 * natural(length));
        return Some(Typed { declared: Declared::Dyn { max }, min_size: 1 });
    }
    match schema.kind? {
        Kind::Array => list(schema),
        Kind::Object if schema.of_values().is_some() => map(schema),
        Kind::Object => Some(object(schema, is_resource)),
        Kind::String => Some(text(schema)),
        Kind::Boolean => Some(Typed { declared: Declared::Bool, min_size: 4 }),
        Kind::Number => Some(Typed { declared: Declared::Double, min_size: 1 }),
        Kind::Integer => Some(Typed { declared: Declared::Int, min_size: 1 }),
    }
}

fn list(schema: &Schema) -> Option<Typed> {
    let items = schema.items.as_deref()?;
    let item = declare(items, items.embedded_resource)?;
    let max = schema.max_items.map_or((MAX_REQUEST - 2) / (item.min_size + 1), natural);
    Some(Typed { declared: Declared::list(item.declared, max), min_size: 2 })
}

fn map(schema: &Schema) -> Option<Typed> {
    let values = schema.of_values()?;
    let value = declare(values, values.embedded_resource)?;
    let max = schema.max_properties.map_or((MAX_REQUEST - 2) / (value.min_size + 6), natural);
    Some(Typed { declared: Declared::map(value.declared, max), min_size: 2 })
}

fn object(schema: &Schema, is_resource: bool) -> Typed {
    let mut min_size = 2;
    let mut fields = BTreeMap::new();
    for (name, property) in resource::properties(schema, is_resource) {
        let Some(typed) = declare(property, property.embedded_resource) else {
            continue;
        };
        if schema.required.contains(name) && property.default.is_none() {
            min_size += name.len() as u64 + typed.min_size + 4;
        }
        if let Some(escaped) = escape(name) {
            fields.insert(escaped, typed.declared);
        }
    }
    Typed { declared: Declared::object(fields), min_size }
}

fn text(schema: &Schema) -> Typed {
    let (declared, min_size) = match schema.format.as_str() {
        "byte" => {
            let max = schema.max_length.map_or(MAX_REQUEST - 2, natural);
            (Declared::Bytes { max }, 2)
        }
        "duration" => (Declared::Duration { max: MAX_TIME }, 3),
        "date" => (Declared::Timestamp { max: DATE }, DATE),
        "date-time" => (Declared::Timestamp { max: MAX_TIME }, 21),
        _ => (Declared::String { max: text_max(schema) }, 2),
    };
    Typed { declared, min_size }
}

fn text_max(schema: &Schema) -> u64 {
    if let Some(length) = schema.max_length {
        return 4 * natural(length);
    }
    let lengths = schema.enumeration.iter().filter_map(|value| value.as_str().map(str::len));
    match schema.enumeration.is_empty() {
        true => MAX_REQUEST - 2,
        false => lengths.max().unwrap_or(0) as u64,
    }
}

/// A limit of the manifest, none below zero.
pub(super) fn natural(limit: i64) -> u64 {
    u64::try_from(limit).unwrap_or(0)
}

/// How often a value of at least `min_size` bytes fits into one request.
pub(super) fn max_cardinality(min_size: u64) -> u64 {
    MAX_REQUEST / (min_size + 1)
}
