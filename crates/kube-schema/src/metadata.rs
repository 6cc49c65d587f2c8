//! The metadata of an object: what the server reads, keeps and checks of it.
//!
//! Reads and writes the `metadata` of JSON objects.
//! Invariant: metadata that was coerced has only fields the server knows, all of the right type.

pub(crate) mod check;
pub(crate) mod coerce;
pub mod names;

use serde_json::{Map, Value};

use crate::definition::Scope;
use crate::field_error::FieldError;
use crate::path::Path;

/// Checks the metadata of an object that is to be created, whatever its kind.
pub fn check_created(object: &Value, scope: Scope, rule: check::NameRule) -> Vec<FieldError> {
    check::object(Metadata::of(object), scope, rule, &Path::of_fields(["metadata"]))
}

/// Checks what an update changes of the metadata of an object, whatever its kind.
pub fn check_updated(object: &Value, old: &Value) -> Vec<FieldError> {
    check::update(Metadata::of(object), Metadata::of(old), &Path::of_fields(["metadata"]))
}

/// A look at the metadata of an object; wrong types read as nothing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Metadata<'a>(Option<&'a Map<String, Value>>);

impl<'a> Metadata<'a> {
    pub(crate) fn of(object: &'a Value) -> Self {
        Self(object.get("metadata").and_then(Value::as_object))
    }

    pub(crate) fn field(self, name: &str) -> Option<&'a Value> {
        self.0.and_then(|fields| fields.get(name))
    }

    pub(crate) fn text(self, name: &str) -> &'a str {
        self.field(name).and_then(Value::as_str).unwrap_or("")
    }

    pub(crate) fn integer(self, name: &str) -> i64 {
        self.field(name).and_then(Value::as_i64).unwrap_or(0)
    }

    /// A map of texts, such as `labels`.
    pub(crate) fn texts(self, name: &str) -> impl Iterator<Item = (&'a str, &'a str)> {
        let entries = self.field(name).and_then(Value::as_object).into_iter().flatten();
        entries.map(|(key, value)| (key.as_str(), value.as_str().unwrap_or("")))
    }

    pub(crate) fn list(self, name: &str) -> &'a [Value] {
        self.field(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }
}

/// The metadata of an object for writing; made if it is missing or of another type.
pub(crate) fn of_mut(object: &mut Map<String, Value>) -> &mut Map<String, Value> {
    let metadata = object.entry("metadata").or_insert(Value::Null);
    if !metadata.is_object() {
        *metadata = Value::Object(Map::new());
    }
    metadata.as_object_mut().expect("it was just made an object")
}

/// Sets a text of metadata, or removes it if the text is empty.
pub(crate) fn set(object: &mut Map<String, Value>, name: &str, text: &str) {
    let metadata = of_mut(object);
    match text.is_empty() {
        true => drop(metadata.remove(name)),
        false => drop(metadata.insert(name.to_owned(), Value::from(text))),
    }
}
