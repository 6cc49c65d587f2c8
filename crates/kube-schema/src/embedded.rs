//! Resources inside of resources: `x-kubernetes-embedded-resource`.
//!
//! Reads an object and its schema; coerces and checks the kinds and metadata of what is embedded.
//! Invariant: the root of an object is never looked at here, only what stands inside it.

use serde_json::{Map, Value};

use crate::definition::Scope;
use crate::field_error::FieldError;
use crate::metadata::check::{self, NameRule};
use crate::metadata::{Metadata, coerce, names};
use crate::path::{Path, Step};
use crate::schema::Schema;

/// Coerces embedded metadata; returns paths of unknown fields, or the first mistake.
pub(crate) fn coerce(object: &mut Value, schema: &Schema) -> Result<Vec<Path>, FieldError> {
    let mut coercer = Coercer { at: Path::root(), unknown: Vec::new(), is_lenient: false };
    coercer.value(object, schema)?;
    coercer.unknown.sort_by_cached_key(Path::to_string);
    Ok(coercer.unknown)
}

/// Coerces embedded metadata of a stored object, dropping what does not fit.
pub(crate) fn coerce_leniently(object: &mut Value, schema: &Schema) {
    let mut coercer = Coercer { at: Path::root(), unknown: Vec::new(), is_lenient: true };
    let done = coercer.value(object, schema);
    debug_assert!(done.is_ok(), "what does not fit was dropped");
}

struct Coercer {
    at: Path,
    unknown: Vec<Path>,
    is_lenient: bool,
}

impl Coercer {
    fn value(&mut self, value: &mut Value, schema: &Schema) -> Result<(), FieldError> {
        match value {
            Value::Object(fields) => {
                if schema.embedded_resource && !self.at.is_root() {
                    self.resource(fields)?;
                }
                for (name, value) in fields.iter_mut() {
                    let step = match schema.properties.contains_key(name) {
                        true => Step::Field(name.clone()),
                        false => Step::Key(name.clone()),
                    };
                    if let Some(schema) = schema.of_field(name) {
                        self.below(step, value, schema)?;
                    }
                }
            }
            Value::Array(items) => {
                if let Some(schema) = schema.items.as_deref() {
                    for (place, item) in items.iter_mut().enumerate() {
                        self.below(Step::Index(place), item, schema)?;
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
        Ok(())
    }

    fn below(&mut self, step: Step, value: &mut Value, schema: &Schema) -> Result<(), FieldError> {
        self.at.push(step);
        let done = self.value(value, schema);
        self.at.pop();
        done
    }

    fn resource(&mut self, fields: &mut Map<String, Value>) -> Result<(), FieldError> {
        for name in ["apiVersion", "kind"] {
            let wrong = fields.get(name).filter(|value| !value.is_string()).cloned();
            match wrong {
                Some(_) if self.is_lenient => drop(fields.remove(name)),
                Some(value) => {
                    let at = self.at.field(name);
                    return Err(FieldError::invalid(at, value, "must be a string"));
                }
                None => {}
            }
        }
        let Some(metadata) = fields.get("metadata") else {
            return Ok(());
        };
        let at = self.at.field("metadata");
        let kept = match coerce::coerce(metadata) {
            Ok(coerced) => {
                self.unknown.extend(coerced.unknown.iter().map(|path| at.join(path)));
                coerced.metadata
            }
            Err(_) if self.is_lenient => coerce::coerce_leniently(metadata),
            Err(why) => return Err(FieldError::invalid(at, metadata.clone(), why)),
        };
        fields.insert("metadata".to_owned(), Value::Object(kept));
        Ok(())
    }
}

/// Checks kinds and metadata of embedded resources.
pub(crate) fn check(object: &Value, schema: &Schema) -> Vec<FieldError> {
    let mut errors = Vec::new();
    check_value(&mut errors, object, schema, &Path::root());
    errors
}

fn check_value(errors: &mut Vec<FieldError>, value: &Value, schema: &Schema, at: &Path) {
    match value {
        Value::Object(fields) => {
            if schema.embedded_resource {
                check_resource(errors, fields, value, at);
            }
            for (name, value) in fields {
                if let Some(property) = schema.properties.get(name) {
                    check_value(errors, value, property, &at.field(name));
                } else if let Some(values) = schema.of_values() {
                    check_value(errors, value, values, &at.key(name));
                }
            }
        }
        Value::Array(items) => {
            if let Some(schema) = schema.items.as_deref() {
                for (place, item) in items.iter().enumerate() {
                    check_value(errors, item, schema, &at.index(place));
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn check_resource(
    errors: &mut Vec<FieldError>,
    fields: &Map<String, Value>,
    resource: &Value,
    at: &Path,
) {
    for name in ["apiVersion", "kind"] {
        if !fields.contains_key(name) {
            errors.push(FieldError::required(at.field(name), ""));
        }
    }
    errors
        .extend(fields.get("apiVersion").and_then(|it| wrong_version(it, at.field("apiVersion"))));
    errors.extend(fields.get("kind").and_then(|it| wrong_kind(it, at.field("kind"))));
    if fields.contains_key("metadata") {
        let metadata = Metadata::of(resource);
        let scope = match metadata.text("namespace") {
            "" => Scope::Cluster,
            _ => Scope::Namespaced,
        };
        let at = at.field("metadata");
        let found = check::object(metadata, scope, NameRule::PathSegment, &at);
        let needs_no_name = metadata.text("name").is_empty();
        let name_at = at.field("name");
        errors.extend(found.into_iter().filter(|it| !(needs_no_name && it.path == name_at)));
    }
}

fn wrong_version(value: &Value, at: Path) -> Option<FieldError> {
    let Some(text) = value.as_str() else {
        return Some(FieldError::invalid(at, value.clone(), "must be a string"));
    };
    match text.matches('/').count() {
        _ if text.is_empty() => Some(FieldError::invalid(at, text, "must not be empty")),
        0 | 1 => None,
        _ => {
            let why = format!("unexpected GroupVersion string: {text}");
            Some(FieldError::invalid(at, text, why))
        }
    }
}

fn wrong_kind(value: &Value, at: Path) -> Option<FieldError> {
    let Some(text) = value.as_str() else {
        return Some(FieldError::invalid(at, value.clone(), "must be a string"));
    };
    if text.is_empty() {
        return Some(FieldError::invalid(at, text, "must not be empty"));
    }
    let wrong = names::old_label(&text.to_lowercase());
    let why = format!("may have mixed case, but should otherwise match: {}", wrong.join(","));
    (!wrong.is_empty()).then(|| FieldError::invalid(at, text, why))
}

#[cfg(test)]
mod tests;
