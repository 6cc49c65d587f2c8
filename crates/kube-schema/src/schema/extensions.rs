//! Whether Kubernetes' own keywords fit the schema they stand in.
//!
//! Reads a schema; returns what the server would refuse, in its words.
//! Invariant: only the shape of rules is checked here; compiling them comes later.

use serde_json::Value;

use super::{Additional, Kind, ListType, MapType, Rule, Schema};
use crate::field_error::FieldError;
use crate::path::Path;
use crate::rules::field_path;

pub(super) fn check(schema: &Schema, at: &Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if schema.nullable {
        let why = "nullable cannot be true at the root";
        errors.push(FieldError::forbidden(at.field("nullable"), why));
    }
    node(&mut errors, schema, at, true);
    errors
}

fn node(errors: &mut Vec<FieldError>, schema: &Schema, at: &Path, is_root: bool) {
    match &schema.additional {
        Additional::Unset | Additional::Any(true) => {}
        Additional::Any(false) | Additional::Of(_) if !schema.properties.is_empty() => {
            let why = "additionalProperties and properties are mutual exclusive";
            errors.push(FieldError::forbidden(at.field("additionalProperties"), why));
        }
        Additional::Any(false) => {}
        Additional::Of(values) => node(errors, values, &at.field("additionalProperties"), false),
    }
    for (name, property) in &schema.properties {
        let at = at.field("properties").key(name);
        if is_root && ["apiVersion", "kind", "metadata"].contains(&name.as_str()) {
            forbid_defaults(errors, property, &at, name);
        }
        node(errors, property, &at, false);
    }
    let lists = [("allOf", &schema.all_of), ("oneOf", &schema.one_of), ("anyOf", &schema.any_of)];
    for (name, branches) in lists {
        for (place, branch) in branches.iter().enumerate() {
            node(errors, branch, &at.field(name).index(place), false);
        }
    }
    if let Some(branch) = &schema.not {
        node(errors, branch, &at.field("not"), false);
    }
    if let Some(items) = &schema.items {
        node(errors, items, &at.field("items"), false);
    }
    map_type(errors, schema, at);
    list_type(errors, schema, at);
    for (place, rule) in schema.rules.iter().enumerate() {
        let at = at.field("x-kubernetes-validations").index(place);
        check_rule(errors, schema, rule, &at);
    }
}

fn forbid_defaults(errors: &mut Vec<FieldError>, schema: &Schema, at: &Path, top: &str) {
    if schema.default.is_some() {
        let why = format!("must not be set in top-level {top}");
        errors.push(FieldError::forbidden(at.field("default"), why));
    }
    for (name, property) in &schema.properties {
        forbid_defaults(errors, property, &at.field("properties").key(name), top);
    }
}

fn map_type(errors: &mut Vec<FieldError>, schema: &Schema, at: &Path) {
    if schema.map_type.is_some() {
        let why = "must be object if x-kubernetes-map-type is specified";
        want_kind(errors, schema, Kind::Object, &at.field("type"), why);
    }
}

fn want_kind(errors: &mut Vec<FieldError>, schema: &Schema, want: Kind, at: &Path, why: &str) {
    match schema.kind {
        None => errors.push(FieldError::required(at.clone(), why)),
        Some(kind) if kind != want => {
            errors.push(FieldError::invalid(at.clone(), kind.name(), why));
        }
        Some(_) => {}
    }
}

fn list_type(errors: &mut Vec<FieldError>, schema: &Schema, at: &Path) {
    let here = at.field("x-kubernetes-list-type");
    let why = "must be map if x-kubernetes-list-map-keys is non-empty";
    match schema.list_type {
        None if !schema.list_map_keys.is_empty() => errors.push(FieldError::required(here, why)),
        None => {}
        Some(list_type) => {
            let kind_why = "must be array if x-kubernetes-list-type is specified";
            want_kind(errors, schema, Kind::Array, &at.field("type"), kind_why);
            let name = list_type.name();
            if schema.items.as_ref().is_some_and(|items| items.nullable)
                && list_type != ListType::Atomic
            {
                let why = format!("cannot be nullable when x-kubernetes-list-type is {name}");
                errors.push(FieldError::forbidden(at.field("items").field("nullable"), why));
            }
            match list_type {
                ListType::Map => list_map(errors, schema, at),
                ListType::Set | ListType::Atomic if !schema.list_map_keys.is_empty() => {
                    errors.push(FieldError::invalid(here, name, why));
                }
                ListType::Set => set_items(errors, schema, at),
                ListType::Atomic => {}
            }
        }
    }
}

fn set_items(errors: &mut Vec<FieldError>, schema: &Schema, at: &Path) {
    let why = "must be atomic as item of a list with x-kubernetes-list-type=set";
    let Some(items) = &schema.items else {
        return;
    };
    let at = at.field("items");
    let is_atomic_list = matches!(items.list_type, None | Some(ListType::Atomic));
    if items.kind == Some(Kind::Array) && !is_atomic_list {
        errors.push(FieldError::invalid(at.field("x-kubernetes-list-type"), Value::Null, why));
    }
    if items.kind == Some(Kind::Object) && items.map_type != Some(MapType::Atomic) {
        errors.push(FieldError::invalid(at.field("x-kubernetes-map-type"), Value::Null, why));
    }
}

fn list_map(errors: &mut Vec<FieldError>, schema: &Schema, at: &Path) {
    let here = at.field("x-kubernetes-list-map-keys");
    if schema.list_map_keys.is_empty() {
        let why = "must not be empty if x-kubernetes-list-type is map";
        errors.push(FieldError::required(here.clone(), why));
    }
    let Some(items) = &schema.items else {
        let why = "must have a schema if x-kubernetes-list-type is map";
        errors.push(FieldError::required(at.field("items"), why));
        return;
    };
    let items_at = at.field("items");
    if items.kind != Some(Kind::Object) {
        let why = "must be object if parent array's x-kubernetes-list-type is map";
        let name = items.kind.map_or("", Kind::name);
        errors.push(FieldError::invalid(items_at.field("type"), name, why));
        return;
    }
    let keys = || Value::from(schema.list_map_keys.clone());
    for (place, key) in schema.list_map_keys.iter().enumerate() {
        if schema.list_map_keys[..place].contains(key) {
            let why = "must not contain duplicate entries";
            errors.push(FieldError::invalid(here.clone(), keys(), why));
        }
        match items.properties.get(key) {
            None => {
                let why = "entries must all be names of item properties";
                errors.push(FieldError::invalid(here.clone(), keys(), why));
            }
            Some(property) => list_map_key(errors, items, key, property, &items_at),
        }
    }
}

fn list_map_key(
    errors: &mut Vec<FieldError>,
    items: &Schema,
    key: &str,
    property: &Schema,
    items_at: &Path,
) {
    let at = items_at.field("properties").key(key);
    if matches!(property.kind, Some(Kind::Array | Kind::Object)) {
        let why = "must be a scalar type if parent array's x-kubernetes-list-type is map";
        errors.push(FieldError::invalid(at.field("type"), "object", why));
    }
    if property.nullable {
        let why = "this property is in x-kubernetes-list-map-keys, so it cannot be nullable";
        errors.push(FieldError::forbidden(at.field("nullable"), why));
    }
    if property.default.is_none() && !items.required.iter().any(|name| name == key) {
        let why = "this property is in x-kubernetes-list-map-keys, \
                   so it must have a default or be a required property";
        errors.push(FieldError::required(at.field("default"), why));
    }
}

fn check_rule(errors: &mut Vec<FieldError>, schema: &Schema, rule: &Rule, at: &Path) {
    let (text, message) = (rule.rule.trim(), rule.message.trim());
    let message_at = at.field("message");
    if text.is_empty() {
        errors.push(FieldError::required(at.field("rule"), "rule is not specified"));
    } else if !rule.message.is_empty() && message.is_empty() {
        let why = "must be non-empty if specified";
        errors.push(FieldError::invalid(message_at, &*rule.message, why));
    } else if has_line_breaks(message) {
        errors.push(FieldError::invalid(
            message_at,
            &*rule.message,
            "must not contain line breaks",
        ));
    } else if has_line_breaks(text) && message.is_empty() {
        let why = "message must be specified if rule contains line breaks";
        errors.push(FieldError::required(message_at, why));
    }
    if !rule.message_expression.is_empty() && rule.message_expression.trim().is_empty() {
        let why = "messageExpression must be non-empty if specified";
        errors.push(FieldError::required(at.field("messageExpression"), why));
    }
    if !rule.field_path.is_empty() {
        check_field_path(errors, schema, &rule.field_path, &at.field("fieldPath"));
    }
}

fn has_line_breaks(text: &str) -> bool {
    text.contains(['\n', '\r'])
}

fn check_field_path(errors: &mut Vec<FieldError>, schema: &Schema, text: &str, at: &Path) {
    if text.trim().is_empty() {
        let why = "must be non-empty if specified";
        errors.push(FieldError::invalid(at.clone(), text, why));
    }
    if has_line_breaks(text) {
        errors.push(FieldError::invalid(at.clone(), text, "must not contain line breaks"));
    }
    if field_path::read(text, schema).is_err() {
        errors.push(FieldError::invalid(at.clone(), text, "must be a valid path"));
    }
}
