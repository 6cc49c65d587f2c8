//! Whether a schema is structural: every value has one place that says what it is.
//!
//! Reads a schema; returns what the server would refuse, in its words and sorted as it sorts.
//! Invariant: `allOf`, `anyOf`, `oneOf` and `not` only restrict, they never add structure.

use super::{Additional, Kind, Schema};
use crate::field_error::FieldError;
use crate::path::Path;

/// How deep in the schema a node is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Root,
    Item,
    Field,
}

pub(super) fn check(schema: &Schema, at: &Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    invariants(&mut errors, schema, Level::Root, at);
    completeness(&mut errors, schema, schema, at, at);
    errors.sort_by_cached_key(FieldError::to_string);
    errors
}

fn invariants(errors: &mut Vec<FieldError>, schema: &Schema, level: Level, at: &Path) {
    match &schema.items {
        Some(items) => invariants(errors, items, Level::Item, &at.field("items")),
        None if schema.kind == Some(Kind::Array) => {
            errors.push(FieldError::required(at.field("items"), "must be specified"));
        }
        None => {}
    }
    for (name, property) in &schema.properties {
        invariants(errors, property, Level::Field, &at.field("properties").key(name));
    }
    additional(errors, schema, level, at);
    if schema.int_or_string {
        let why = "must be false if x-kubernetes-int-or-string is true";
        let flags = [
            (schema.preserve_unknown_fields, "x-kubernetes-preserve-unknown-fields"),
            (schema.embedded_resource, "x-kubernetes-embedded-resource"),
        ];
        for (_, name) in flags.into_iter().filter(|(set, _)| *set) {
            errors.push(FieldError::invalid(at.field(name), serde_json::Value::Bool(true), why));
        }
    }
    junctors(errors, schema, is_int_or_string(&schema.any_of), starts_int_or_string(schema), at);
    kind(errors, schema, level, at);
    metadata(errors, schema, level, at);
}

fn additional(errors: &mut Vec<FieldError>, schema: &Schema, level: Level, at: &Path) {
    let here = at.field("additionalProperties");
    if schema.additional == Additional::Unset {
        return;
    }
    if level == Level::Root {
        errors.push(FieldError::forbidden(here.clone(), "must not be used at the root"));
    }
    if schema.embedded_resource {
        let why = "must not be used if x-kubernetes-embedded-resource is set";
        errors.push(FieldError::forbidden(here.clone(), why));
    }
    if let Additional::Of(values) = &schema.additional {
        invariants(errors, values, Level::Field, &here);
    }
}

fn kind(errors: &mut Vec<FieldError>, schema: &Schema, level: Level, at: &Path) {
    let here = at.field("type");
    let embedded = "must be object if x-kubernetes-embedded-resource is true";
    let is_free = schema.int_or_string || schema.preserve_unknown_fields;
    match schema.kind {
        None if schema.embedded_resource => errors.push(FieldError::required(here, embedded)),
        None if !is_free => {
            let why = match level {
                Level::Root => "must not be empty at the root",
                Level::Item => "must not be empty for specified array items",
                Level::Field => "must not be empty for specified object fields",
            };
            errors.push(FieldError::required(here, why));
        }
        Some(kind) if schema.embedded_resource && kind != Kind::Object => {
            errors.push(FieldError::invalid(here, kind.name(), embedded));
        }
        Some(kind) if level == Level::Root && kind != Kind::Object => {
            errors.push(FieldError::invalid(here, kind.name(), "must be object at the root"));
        }
        None | Some(_) => {}
    }
    let is_bare = schema.properties.is_empty() && !schema.preserve_unknown_fields;
    if schema.embedded_resource && is_bare {
        let why = "must not be empty if x-kubernetes-embedded-resource is true \
                   without x-kubernetes-preserve-unknown-fields";
        errors.push(FieldError::required(at.field("properties"), why));
    }
}

fn metadata(errors: &mut Vec<FieldError>, schema: &Schema, level: Level, at: &Path) {
    let is_resource = level == Level::Root || schema.embedded_resource;
    let here = at.field("properties");
    let name_of = |property: &Schema| property.kind.map_or("", Kind::name);
    for name in ["kind", "apiVersion"] {
        let wrong = schema.properties.get(name).filter(|it| it.kind != Some(Kind::String));
        if let Some(property) = wrong.filter(|_| is_resource) {
            let at = here.key(name).field("type");
            errors.push(FieldError::invalid(at, name_of(property), "must be string"));
        }
    }
    let Some(property) = schema.properties.get("metadata") else {
        return;
    };
    if is_resource && property.kind != Some(Kind::Object) {
        let at = here.key("metadata").field("type");
        errors.push(FieldError::invalid(at, name_of(property), "must be object"));
    }
    if level == Level::Root && !only_names(property) {
        let why = "must not specify anything other than name and generateName, \
                   but metadata is implicitly specified";
        errors.push(FieldError::forbidden(here.key("metadata"), why));
    }
}

fn only_names(metadata: &Schema) -> bool {
    let mut rest = metadata.clone();
    let is_name = |name: &String| name == "name" || name == "generateName";
    if rest.properties.keys().all(is_name) {
        rest.properties.clear();
    }
    (rest.kind, rest.default) = (None, None);
    rest == Schema::default()
}

fn is_int_or_string(any_of: &[Schema]) -> bool {
    any_of == [Schema::of_kind(Kind::Integer), Schema::of_kind(Kind::String)]
}

fn starts_int_or_string(schema: &Schema) -> bool {
    schema.all_of.first().is_some_and(|first| is_int_or_string(&first.any_of))
}

/// Checks what stands under `allOf` and its kin.
fn junctors(
    errors: &mut Vec<FieldError>,
    schema: &Schema,
    skip_any_of: bool,
    skip_in_first: bool,
    at: &Path,
) {
    for (place, branch) in schema.any_of.iter().enumerate().filter(|_| !skip_any_of) {
        nested(errors, branch, false, &at.field("anyOf").index(place));
    }
    for (place, branch) in schema.all_of.iter().enumerate() {
        nested(errors, branch, skip_in_first && place == 0, &at.field("allOf").index(place));
    }
    for (place, branch) in schema.one_of.iter().enumerate() {
        nested(errors, branch, false, &at.field("oneOf").index(place));
    }
    if let Some(branch) = &schema.not {
        nested(errors, branch, false, &at.field("not"));
    }
}

fn nested(errors: &mut Vec<FieldError>, branch: &Schema, skip_any_of: bool, at: &Path) {
    junctors(errors, branch, skip_any_of, false, at);
    if let Some(items) = &branch.items {
        nested(errors, items, false, &at.field("items"));
    }
    for (name, property) in &branch.properties {
        nested(errors, property, false, &at.field("properties").key(name));
    }
    let restates = [
        (branch.kind.is_some(), "type", "must be empty to be structural"),
        (
            !matches!(branch.additional, Additional::Unset | Additional::Any(false)),
            "additionalProperties",
            "must be undefined to be structural",
        ),
        (branch.default.is_some(), "default", "must be undefined to be structural"),
        (!branch.title.is_empty(), "title", "must be empty to be structural"),
        (!branch.description.is_empty(), "description", "must be empty to be structural"),
        (branch.nullable, "nullable", "must be false to be structural"),
        (
            branch.preserve_unknown_fields,
            "x-kubernetes-preserve-unknown-fields",
            "must be false to be structural",
        ),
        (
            branch.embedded_resource,
            "x-kubernetes-embedded-resource",
            "must be false to be structural",
        ),
        (branch.int_or_string, "x-kubernetes-int-or-string", "must be false to be structural"),
        (
            !branch.list_map_keys.is_empty(),
            "x-kubernetes-list-map-keys",
            "must be empty to be structural",
        ),
        (
            branch.list_type.is_some(),
            "x-kubernetes-list-type",
            "must be undefined to be structural",
        ),
        (branch.map_type.is_some(), "x-kubernetes-map-type", "must be undefined to be structural"),
        (!branch.rules.is_empty(), "x-kubernetes-validations", "must be empty to be structural"),
    ];
    for (_, name, why) in restates.into_iter().filter(|(restated, ..)| *restated) {
        errors.push(FieldError::forbidden(at.field(name), why));
    }
    if branch.properties.contains_key("metadata") {
        let at = at.field("properties").key("metadata");
        errors.push(FieldError::forbidden(at, "must not be specified in a nested context"));
    }
}

/// Checks that what a branch restricts is also defined outside of branches.
fn completeness(
    errors: &mut Vec<FieldError>,
    branch: &Schema,
    spine: &Schema,
    spine_at: &Path,
    at: &Path,
) {
    let lists = [("allOf", &branch.all_of), ("anyOf", &branch.any_of), ("oneOf", &branch.one_of)];
    for (name, branches) in lists {
        for (place, inner) in branches.iter().enumerate() {
            let at = at.field(name).index(place);
            nested_completeness(errors, inner, spine, spine_at, &at);
        }
    }
    if let Some(inner) = &branch.not {
        nested_completeness(errors, inner, spine, spine_at, &at.field("not"));
    }
}

fn nested_completeness(
    errors: &mut Vec<FieldError>,
    branch: &Schema,
    spine: &Schema,
    spine_at: &Path,
    at: &Path,
) {
    let missing = |spine_at: Path, at: &Path| {
        FieldError::required(spine_at, format!("because it is defined in {at}"))
    };
    completeness(errors, branch, spine, spine_at, at);
    if let Some(items) = &branch.items {
        let (spine_at, at) = (spine_at.field("items"), at.field("items"));
        match &spine.items {
            Some(inner) => nested_completeness(errors, items, inner, &spine_at, &at),
            None => errors.push(missing(spine_at, &at)),
        }
    }
    for (name, property) in &branch.properties {
        let at = at.field("properties").key(name);
        let spine_at = spine_at.field("properties").key(name);
        match spine.properties.get(name) {
            Some(inner) => nested_completeness(errors, property, inner, &spine_at, &at),
            None => errors.push(missing(spine_at, &at)),
        }
    }
}
