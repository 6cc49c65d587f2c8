//! Removes from an object what its schema does not know, and nulls that nothing allows.
//!
//! Reads an object and its schema; returns the paths of what was removed as unknown.
//! Invariant: pruning a pruned object removes nothing.

use serde_json::{Map, Value};

use crate::path::{Path, Step};
use crate::schema::{Additional, Schema};

const META_FIELDS: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// Removes unknown fields from the root of a resource; paths are sorted as texts.
pub(crate) fn prune(object: &mut Value, schema: &Schema) -> Vec<Path> {
    let mut pruner = Pruner::default();
    match schema.preserve_unknown_fields {
        true => pruner.skip(object, schema, true),
        false => pruner.prune(object, Some(schema), true),
    }
    pruner.unknown.sort_by_cached_key(Path::to_string);
    pruner.unknown
}

/// Removes unknown fields from a part of an object.
pub(crate) fn prune_part(value: &mut Value, schema: &Schema) {
    Pruner::default().prune_any(value, Some(schema));
}

/// Removes nulls that are neither allowed nor replaced by a default.
pub(crate) fn prune_nulls(value: &mut Value, schema: Option<&Schema>) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, value| {
                let schema = schema.and_then(|schema| schema.of_field(name));
                let is_stray = value.is_null()
                    && schema.is_some_and(|schema| !schema.nullable && schema.default.is_none());
                if !is_stray {
                    prune_nulls(value, schema);
                }
                !is_stray
            });
        }
        Value::Array(items) => {
            let schema = schema.and_then(|schema| schema.items.as_deref());
            items.iter_mut().for_each(|item| prune_nulls(item, schema));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[derive(Default)]
struct Pruner {
    at: Path,
    unknown: Vec<Path>,
}

impl Pruner {
    fn prune(&mut self, value: &mut Value, schema: Option<&Schema>, is_resource: bool) {
        if let Some(schema) = schema.filter(|schema| schema.preserve_unknown_fields) {
            self.skip(value, schema, is_resource);
            return;
        }
        match value {
            Value::Object(fields) => self.prune_fields(fields, schema, is_resource),
            Value::Array(items) => {
                let schema = schema.and_then(|schema| schema.items.as_deref());
                for (place, item) in items.iter_mut().enumerate() {
                    self.below(Step::Index(place), |pruner| pruner.prune_any(item, schema));
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    fn prune_any(&mut self, value: &mut Value, schema: Option<&Schema>) {
        let is_resource = schema.is_some_and(|schema| schema.embedded_resource);
        self.prune(value, schema, is_resource);
    }

    fn prune_fields(
        &mut self,
        fields: &mut Map<String, Value>,
        schema: Option<&Schema>,
        is_resource: bool,
    ) {
        fields.retain(|name, value| {
            let step = Step::Field(name.clone());
            let Some(schema) = schema else {
                self.below(step, Self::record);
                return false;
            };
            if is_resource && META_FIELDS.contains(&name.as_str()) {
                return true;
            }
            let has_place =
                schema.properties.contains_key(name) || schema.additional != Additional::Unset;
            match has_place {
                true => {
                    let schema = schema.of_field(name);
                    self.below(step, |pruner| pruner.prune_any(value, schema));
                }
                false => self.below(step, Self::record),
            }
            has_place
        });
    }

    /// Walks what may hold unknown fields for parts that may not.
    fn skip(&mut self, value: &mut Value, schema: &Schema, is_resource: bool) {
        match value {
            Value::Object(fields) => {
                for (name, value) in fields.iter_mut() {
                    if is_resource && META_FIELDS.contains(&name.as_str()) {
                        continue;
                    }
                    let has_place = schema.properties.contains_key(name)
                        || schema.additional != Additional::Unset;
                    if has_place {
                        let schema = schema.of_field(name);
                        let step = Step::Field(name.clone());
                        self.below(step, |pruner| pruner.prune_any(value, schema));
                    }
                }
            }
            Value::Array(items) => {
                let Some(schema) = schema.items.as_deref() else {
                    return;
                };
                for (place, item) in items.iter_mut().enumerate() {
                    let is_resource = schema.embedded_resource;
                    self.below(Step::Index(place), |pruner| {
                        pruner.skip(item, schema, is_resource);
                    });
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    fn below(&mut self, step: Step, work: impl FnOnce(&mut Self)) {
        self.at.push(step);
        work(self);
        self.at.pop();
    }

    fn record(&mut self) {
        self.unknown.push(self.at.clone());
    }
}
