//! Judges a value by the plain keywords of its schema, with kube-openapi's wording.
//!
//! Reads a value, its schema and what it was before; returns field errors.
//! Invariant: an error of a part that did not change is not told (validation ratcheting).

mod branches;
mod fault;
mod number;
mod text;

use serde_json::{Map, Value};

use crate::correlate::Pair;
use crate::field_error::FieldError;
use crate::formats;
use crate::number::Number;
use crate::path::Path;
use crate::schema::{Additional, Kind, Schema};
use fault::{Fault, Place};

/// Judges `value`; `base` is where it stands in its object.
pub(crate) fn validate(
    value: &Value,
    schema: &Schema,
    pair: Option<&Pair<'_>>,
    base: &Path,
) -> Vec<FieldError> {
    let found = judge(value, schema, &Place::Root, pair);
    fault::to_field_errors(found.faults, base)
}

/// What was found, and how many checks passed: the measure of the best branch.
#[derive(Debug, Default)]
struct Findings {
    faults: Vec<Fault>,
    matches: usize,
}

impl Findings {
    fn is_valid(&self) -> bool {
        self.faults.is_empty()
    }

    fn merge(&mut self, other: Findings) {
        self.faults.extend(other.faults);
        self.matches += other.matches;
    }

    fn push(&mut self, fault: Option<Fault>) {
        self.faults.extend(fault);
    }
}

/// Judges a value and forgives what did not change.
fn judge(value: &Value, schema: &Schema, place: &Place<'_>, pair: Option<&Pair<'_>>) -> Findings {
    let found = judge_strictly(value, schema, place, pair);
    match pair {
        Some(pair) if !found.is_valid() && pair.is_unchanged() => {
            Findings { faults: Vec::new(), matches: found.matches }
        }
        Some(_) | None => found,
    }
}

fn judge_strictly(
    value: &Value,
    schema: &Schema,
    place: &Place<'_>,
    pair: Option<&Pair<'_>>,
) -> Findings {
    let mut found = Findings::default();
    let format = formats::checker(&schema.format);
    if value.is_null() {
        return judge_null(schema, place);
    }
    if has_type(schema) || format.is_some() {
        match wrong_type(value, schema, format.is_some(), place) {
            Some(fault) => found.faults.push(fault),
            None => found.matches += 1,
        }
        found.matches += 1;
    }
    found.merge(branches::judge(value, schema, place, pair));
    found.matches += 1;
    match value {
        Value::String(text) => {
            found.push(text::judge(text, schema, place));
            found.matches += 1;
            if let Some(is_valid) = format {
                let fault = || Fault::wrong_type(place, &schema.format, text);
                found.push((!is_valid(text)).then(fault));
                found.matches += 1;
            }
        }
        Value::Number(number) => {
            found.faults.extend(number::judge(Number::of(number), schema, place));
            found.matches += 2;
        }
        Value::Array(items) => {
            found.merge(judge_items(items, schema, place, pair));
            found.matches += 2;
        }
        Value::Null | Value::Bool(_) | Value::Object(_) => {}
    }
    found.push(wrong_choice(value, schema, place));
    found.matches += 1;
    if let Value::Object(fields) = value {
        found.merge(judge_fields(fields, schema, place, pair));
        found.matches += 1;
    }
    found.matches += 1;
    found
}

fn judge_null(schema: &Schema, place: &Place<'_>) -> Findings {
    let mut found = Findings::default();
    match has_type(schema) && !schema.nullable {
        true => found.faults.push(Fault::wrong_type(place, &type_names(schema), "null")),
        false => found.matches += 1,
    }
    found.push(wrong_choice(&Value::Null, schema, place));
    found
}

fn has_type(schema: &Schema) -> bool {
    schema.kind.is_some() || schema.int_or_string
}

fn type_names(schema: &Schema) -> String {
    match (schema.int_or_string, schema.kind) {
        (true, _) => "integer,string".to_owned(),
        (false, Some(kind)) => kind.name().to_owned(),
        (false, None) => String::new(),
    }
}

fn allows(schema: &Schema, kind: Kind) -> bool {
    match schema.int_or_string {
        true => matches!(kind, Kind::Integer | Kind::String),
        false => schema.kind == Some(kind),
    }
}

fn wrong_type(
    value: &Value,
    schema: &Schema,
    has_format: bool,
    place: &Place<'_>,
) -> Option<Fault> {
    let (kind, native) = match value {
        Value::Bool(_) => (Kind::Boolean, ""),
        Value::String(_) => (Kind::String, ""),
        Value::Array(_) => (Kind::Array, ""),
        Value::Object(_) | Value::Null => (Kind::Object, ""),
        Value::Number(number) => match Number::of(number) {
            Number::Int(_) => (Kind::Integer, "int64"),
            Number::Float(_) => (Kind::Number, "float64"),
        },
    };
    let fits = allows(schema, kind)
        || match (kind, value.as_f64()) {
            (Kind::Number, Some(real)) => {
                number::is_json_integer(real) && allows(schema, Kind::Integer)
            }
            (Kind::Integer, _) => allows(schema, Kind::Number),
            _ => false,
        };
    let is_text_or_list = matches!(kind, Kind::String | Kind::Array);
    let is_numeric = allows(schema, Kind::Number) || allows(schema, Kind::Integer);
    match has_format {
        true if !is_text_or_list && !fits => {
            return Some(Fault::wrong_type(place, &schema.format, native));
        }
        true if is_text_or_list && !is_numeric => return None,
        true | false => {}
    }
    (!fits).then(|| Fault::wrong_type(place, &type_names(schema), kind.name()))
}

fn judge_items(
    items: &[Value],
    schema: &Schema,
    place: &Place<'_>,
    pair: Option<&Pair<'_>>,
) -> Findings {
    let mut found = Findings::default();
    if let Some(schema) = schema.items.as_deref() {
        for (index, item) in items.iter().enumerate() {
            let pair = pair.and_then(|pair| pair.item(index));
            let place = Place::Index { parent: place, index };
            found.merge(judge(item, schema, &place, pair.as_ref()));
        }
    }
    let size = items.len() as i64;
    if let Some(limit) = schema.min_items.filter(|limit| size < *limit) {
        found.faults.push(Fault::too_few(place, size, limit, "items"));
    }
    if let Some(limit) = schema.max_items.filter(|limit| size > *limit) {
        found.faults.push(Fault::too_many(place, size, limit, "items"));
    }
    found
}

fn judge_fields(
    fields: &Map<String, Value>,
    schema: &Schema,
    place: &Place<'_>,
    pair: Option<&Pair<'_>>,
) -> Findings {
    let mut found = Findings::default();
    let size = fields.len() as i64;
    if let Some(limit) = schema.min_properties.filter(|limit| size < *limit) {
        found.faults.push(Fault::too_few(place, size, limit, "properties"));
    }
    if let Some(limit) = schema.max_properties.filter(|limit| size > *limit) {
        found.faults.push(Fault::too_many(place, size, limit, "properties"));
    }
    let others = fields.iter().filter(|(name, _)| !schema.properties.contains_key(*name));
    match &schema.additional {
        Additional::Any(false) => {
            found.faults.extend(others.map(|(name, _)| Fault::forbidden_property(place, name)));
        }
        Additional::Of(values) => {
            for (key, value) in others {
                let pair = pair_of_field(pair, place, key);
                let place = Place::Value { parent: place, key };
                found.merge(judge(value, values, &place, pair.as_ref()));
            }
        }
        Additional::Unset | Additional::Any(true) => {}
    }
    for (name, property) in &schema.properties {
        if let Some(value) = fields.get(name) {
            let pair = pair_of_field(pair, place, name);
            let place = Place::Property { parent: place, name };
            found.merge(judge(value, property, &place, pair.as_ref()));
        }
    }
    for name in schema.required.iter().filter(|name| !fields.contains_key(*name)) {
        found.faults.push(Fault::required(place, name));
    }
    found
}

/// The pair of a field; the kind of a resource is never forgiven.
fn pair_of_field<'a>(pair: Option<&Pair<'a>>, place: &Place<'_>, name: &str) -> Option<Pair<'a>> {
    match (place, name) {
        (Place::Root, "kind" | "apiVersion") => None,
        _ => pair?.field(name),
    }
}

fn wrong_choice(value: &Value, schema: &Schema, place: &Place<'_>) -> Option<Fault> {
    let choices = &schema.enumeration;
    let is_fine = choices.is_empty() || choices.iter().any(|choice| is_choice(value, choice));
    (!is_fine).then(|| Fault::not_supported(place, value, choices))
}

/// Whether a value, converted to the type of a choice as Go converts, is that choice.
fn is_choice(value: &Value, choice: &Value) -> bool {
    match (value, choice) {
        (_, Value::Null) => false,
        (Value::Number(number), Value::Number(choice)) => {
            match (Number::of(number), Number::of(choice)) {
                (Number::Float(real), Number::Int(choice)) => real as i64 == choice,
                (number, Number::Float(choice)) => number.as_float() == choice,
                (Number::Int(int), Number::Int(choice)) => int == choice,
            }
        }
        (Value::Number(number), Value::String(choice)) => match Number::of(number) {
            Number::Int(int) => {
                let symbol = u32::try_from(int).ok().and_then(char::from_u32);
                choice.chars().eq([symbol.unwrap_or(char::REPLACEMENT_CHARACTER)])
            }
            Number::Float(_) => false,
        },
        _ => value == choice,
    }
}

#[cfg(test)]
mod tests;
