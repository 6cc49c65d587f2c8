//! Reads the types of columns.
//!
//! Invariant: a limit that does not fit its type is refused, not ignored.

use serde_json::Value;

use super::SchemaError;
use super::read::{Object, count, integer, length, members, real, require, text};
use crate::codec::{Shape, shape_from_json};
use crate::schema::{BaseType, Bounds, ColumnType, Reference, Strength};
use crate::value::{Atom, AtomKind, Datum};

pub(super) fn parse_type(json: &Value, place: &str) -> Result<ColumnType, SchemaError> {
    if json.is_string() {
        return Ok(ColumnType::scalar(parse_base_type(json, place)?));
    }
    let fields = members(json, place, &["key", "value", "min", "max"])?;
    let key = parse_base_type(require(fields, "key", place)?, &format!("{place}.key"))?;
    let value = match fields.get("value") {
        None => None,
        Some(json) => Some(parse_base_type(json, &format!("{place}.value"))?),
    };
    let min = match fields.get("min") {
        None => 1,
        Some(json) => count(json, &format!("{place}.min"))?,
    };
    let max = match fields.get("max") {
        None => Some(1),
        Some(Value::String(word)) if word == "unlimited" => None,
        Some(json) => Some(count(json, &format!("{place}.max"))?),
    };
    if min > 1 || max.is_some_and(|max| max < 1 || max < min) {
        return Err(SchemaError::new(place, "min must be 0 or 1, and max at least 1"));
    }
    Ok(ColumnType { key, value, min, max })
}

fn parse_base_type(json: &Value, place: &str) -> Result<BaseType, SchemaError> {
    if let Value::String(name) = json {
        return Ok(BaseType::from(parse_kind(name, place)?));
    }
    let allowed = [
        "type",
        "enum",
        "minInteger",
        "maxInteger",
        "minReal",
        "maxReal",
        "minLength",
        "maxLength",
        "refTable",
        "refType",
    ];
    let fields = members(json, place, &allowed)?;
    let kind = parse_kind(text(require(fields, "type", place)?, place)?, place)?;
    let bounds = parse_bounds(kind, fields, place)?;
    let enumeration = match fields.get("enum") {
        None => None,
        Some(_)
            if *BaseType::new(bounds.clone(), None).bounds() != *BaseType::from(kind).bounds() =>
        {
            return Err(SchemaError::new(place, "an enum cannot be combined with other limits"));
        }
        Some(json) => Some(parse_enumeration(kind, json, place)?),
    };
    Ok(BaseType::new(bounds, enumeration))
}

fn parse_kind(name: &str, place: &str) -> Result<AtomKind, SchemaError> {
    let kinds =
        [AtomKind::Integer, AtomKind::Real, AtomKind::Boolean, AtomKind::String, AtomKind::Uuid];
    let kind = kinds.into_iter().find(|kind| kind.name() == name);
    kind.ok_or_else(|| SchemaError::new(place, format!("{name:?} is not an atomic type")))
}

fn parse_bounds(kind: AtomKind, fields: &Object, place: &str) -> Result<Bounds, SchemaError> {
    let fitting: &[&str] = match kind {
        AtomKind::Integer => &["minInteger", "maxInteger"],
        AtomKind::Real => &["minReal", "maxReal"],
        AtomKind::Boolean => &[],
        AtomKind::String => &["minLength", "maxLength"],
        AtomKind::Uuid => &["refTable", "refType"],
    };
    let foreign =
        |name: &&String| *name != "type" && *name != "enum" && !fitting.contains(&name.as_str());
    if let Some(name) = fields.keys().find(foreign) {
        return Err(SchemaError::new(place, format!("{name} does not apply to {kind}")));
    }
    let bounds = match kind {
        AtomKind::Integer => Bounds::Integer {
            min: integer(fields, "minInteger", place)?.unwrap_or(i64::MIN),
            max: integer(fields, "maxInteger", place)?.unwrap_or(i64::MAX),
        },
        AtomKind::Real => Bounds::Real {
            min: real(fields, "minReal", place)?,
            max: real(fields, "maxReal", place)?,
        },
        AtomKind::Boolean => Bounds::Boolean,
        AtomKind::String => Bounds::String {
            min: length(fields, "minLength", place)?.unwrap_or(0),
            max: length(fields, "maxLength", place)?.unwrap_or(u64::MAX),
        },
        AtomKind::Uuid => Bounds::Uuid { reference: parse_reference(fields, place)? },
    };
    if is_empty_range(&bounds) {
        return Err(SchemaError::new(place, "the lower limit exceeds the upper limit"));
    }
    Ok(bounds)
}

fn is_empty_range(bounds: &Bounds) -> bool {
    match bounds {
        Bounds::Integer { min, max } => min > max,
        Bounds::Real { min: Some(min), max: Some(max) } => min > max,
        Bounds::String { min, max } => min > max,
        Bounds::Real { .. } | Bounds::Boolean | Bounds::Uuid { .. } => false,
    }
}

fn parse_reference(fields: &Object, place: &str) -> Result<Option<Reference>, SchemaError> {
    let strength = match fields.get("refType") {
        None => Strength::Strong,
        Some(Value::String(word)) if word == "strong" => Strength::Strong,
        Some(Value::String(word)) if word == "weak" => Strength::Weak,
        Some(_) => return Err(SchemaError::new(place, "refType must be \"strong\" or \"weak\"")),
    };
    let Some(table) = fields.get("refTable") else {
        return if fields.contains_key("refType") {
            Err(SchemaError::new(place, "refType without refTable"))
        } else {
            Ok(None)
        };
    };
    let table = text(table, place)?;
    Ok(Some(Reference { table: table.into(), strength }))
}

fn parse_enumeration(kind: AtomKind, json: &Value, place: &str) -> Result<Datum, SchemaError> {
    let plain = ColumnType { min: 1, ..ColumnType::set(BaseType::from(kind)) };
    let shape = shape_from_json(&plain, json);
    let atoms = match shape {
        Ok(Shape::Set(atoms)) if atoms.is_empty() => {
            return Err(SchemaError::new(place, "an enum must allow something"));
        }
        Ok(Shape::Set(atoms)) if atoms.iter().any(|atom| matches!(atom, Atom::Named(_))) => {
            return Err(SchemaError::new(place, "an enum cannot allow a name"));
        }
        Ok(Shape::Set(atoms)) => atoms,
        Ok(Shape::Map(_)) => return Err(SchemaError::new(place, "an enum is a set")),
        Err(fault) => return Err(SchemaError::new(place, fault.to_string())),
    };
    Datum::distinct_set(atoms).map_err(|error| SchemaError::new(place, error.to_string()))
}
