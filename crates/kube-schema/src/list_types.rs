//! Whether lists that are sets or maps hold everything once.
//!
//! Reads an object and its schema; returns an error for the second of equal items.
//! Invariant: an item is told once, however often it is repeated.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::field_error::FieldError;
use crate::go_text;
use crate::number::Number;
use crate::path::{Path, Step};
use crate::schema::{ListType, Schema};

/// Checks all sets and list-maps of an object.
pub(crate) fn check(object: &Value, schema: &Schema) -> Vec<FieldError> {
    let mut checker = Checker::default();
    checker.value(object, schema);
    checker.errors
}

#[derive(Default)]
struct Checker {
    at: Path,
    errors: Vec<FieldError>,
}

impl Checker {
    fn value(&mut self, value: &Value, schema: &Schema) {
        match value {
            Value::Object(fields) => {
                for (name, value) in fields {
                    if let Some(values) = schema.of_values() {
                        self.below(Step::Key(name.clone()), value, values);
                    }
                    if let Some(property) = schema.properties.get(name) {
                        self.below(Step::Field(name.clone()), value, property);
                    }
                }
            }
            Value::Array(items) => {
                match schema.list_type {
                    Some(ListType::Set) => self.set(items),
                    Some(ListType::Map) => self.map(items, &schema.list_map_keys),
                    Some(ListType::Atomic) | None => {}
                }
                if let Some(schema) = schema.items.as_deref() {
                    for (place, item) in items.iter().enumerate() {
                        self.below(Step::Index(place), item, schema);
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    fn below(&mut self, step: Step, value: &Value, schema: &Schema) {
        self.at.push(step);
        self.value(value, schema);
        self.at.pop();
    }

    fn set(&mut self, items: &[Value]) {
        for place in repeated(items.iter().map(Some)) {
            self.errors.push(FieldError::duplicate(self.at.index(place), items[place].clone()));
        }
    }

    fn map(&mut self, items: &[Value], keys: &[String]) {
        let stray = items.iter().position(|item| !(item.is_object() || item.is_null()));
        if let Some(place) = stray {
            let why = "must be an object for an array of list-type map";
            let at = self.at.index(place);
            self.errors.push(FieldError::invalid(at, items[place].clone(), why));
            return;
        }
        let places = match keys {
            // compat: with one key an absent key differs from an empty object of keys
            [key] => repeated(items.iter().map(|item| item.get(key))),
            _ => {
                let parts: Vec<Value> =
                    items.iter().map(|item| Value::Object(keys_of(item, keys))).collect();
                repeated(parts.iter().map(Some))
            }
        };
        for place in places {
            let value = Value::Object(keys_of(&items[place], keys));
            self.errors.push(FieldError::duplicate(self.at.index(place), value));
        }
    }
}

fn keys_of(item: &Value, keys: &[String]) -> Map<String, Value> {
    let found = keys.iter().filter_map(|key| Some((key.clone(), item.get(key)?.clone())));
    found.collect()
}

/// The places where a value stands for the second time.
fn repeated<'a>(items: impl Iterator<Item = Option<&'a Value>>) -> Vec<usize> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut places = Vec::new();
    for (place, item) in items.enumerate() {
        let times = seen.entry(identity(item)).or_insert(0);
        *times += 1;
        if *times == 2 {
            places.push(place);
        }
    }
    places
}

/// A text that is the same for values Go calls equal.
fn identity(value: Option<&Value>) -> String {
    match value {
        None => "absent".to_owned(),
        Some(value @ (Value::Object(_) | Value::Array(_))) => format!("c{}", go_text::json(value)),
        Some(Value::Number(number)) => match Number::of(number) {
            Number::Int(int) => format!("i{int}"),
            Number::Float(real) => format!("f{}", go_text::float(real + 0.0)),
        },
        Some(value @ (Value::Null | Value::Bool(_) | Value::String(_))) => {
            format!("s{}", go_text::json(value))
        }
    }
}

#[cfg(test)]
mod tests;
