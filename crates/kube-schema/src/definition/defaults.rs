//! Whether the defaults of a schema are values the schema itself would take.
//!
//! Reads a schema and its rules; returns what the server would refuse.
//! Invariant: filling in a default that passed never makes an object invalid by itself.

use serde_json::Value;

use crate::field_error::FieldError;
use crate::path::Path;
use crate::rules::{Old, RuleTree, Walk};
use crate::schema::Schema;
use crate::{embedded, openapi, prune};

/// Checks all defaults of a schema that stands at `at`.
pub(super) fn check(schema: &Schema, rules: Option<&RuleTree>, at: &Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    node(&mut errors, schema, rules, at);
    errors
}

fn node(errors: &mut Vec<FieldError>, schema: &Schema, rules: Option<&RuleTree>, at: &Path) {
    if let Some(default) = &schema.default {
        errors.extend(check_default(default, schema, rules, &at.field("default")));
    }
    if let Some(items) = schema.items.as_deref() {
        node(errors, items, rules.and_then(RuleTree::of_items), &at.field("items"));
    }
    for (name, property) in &schema.properties {
        let rules = rules.and_then(|rules| rules.of_property(name));
        node(errors, property, rules, &at.field("properties").key(name));
    }
}

fn check_default(
    default: &Value,
    schema: &Schema,
    rules: Option<&RuleTree>,
    at: &Path,
) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut pruned = default.clone();
    prune::prune_part(&mut pruned, schema);
    if pruned != *default {
        let why = "must not have unknown fields";
        errors.push(FieldError::invalid(at.clone(), default.clone(), why));
    }
    let mut found = embedded::check(default, schema);
    found.iter_mut().for_each(|error| error.path = at.join(&error.path));
    if found.is_empty() {
        found = openapi::validate(default, schema, None, at);
    }
    if let Some(rules) = rules.filter(|_| found.is_empty()) {
        let old = Old { object: default, pair: None };
        found = Walk::run(rules, schema, default, Some(old), &mut |_| {});
        if found.is_empty() {
            found = Walk::run(rules, schema, default, None, &mut |_| {});
        }
        found.iter_mut().for_each(|error| error.path = at.join(&error.path));
    }
    errors.extend(found);
    errors
}
