//! Writes a schema back as the JSON of an OpenAPI document.
//!
//! Reads a [`Schema`]; returns its JSON.
//! Invariant: what a schema does not say is left out.

use kube_schema::{Additional, MapType, Reason, Rule, Schema};
use serde_json::{Map, Value, json};

pub(super) fn document(schema: &Schema) -> Value {
    let mut fields = Map::new();
    write_text(schema, &mut fields);
    write_limits(schema, &mut fields);
    write_parts(schema, &mut fields);
    write_extensions(schema, &mut fields);
    Value::from(fields)
}

fn write_text(schema: &Schema, fields: &mut Map<String, Value>) {
    let kind = schema.kind.map_or("", |kind| kind.name());
    let pattern = schema.pattern.as_ref().map_or("", |pattern| pattern.as_str());
    let texts = [
        ("title", schema.title.as_str()),
        ("description", &schema.description),
        ("type", kind),
        ("format", &schema.format),
        ("pattern", pattern),
        ("x-kubernetes-patch-strategy", &schema.patch_strategy),
        ("x-kubernetes-patch-merge-key", &schema.patch_merge_key),
    ];
    for (name, text) in texts.into_iter().filter(|(_, text)| !text.is_empty()) {
        fields.insert(name.to_owned(), Value::from(text));
    }
}

fn write_limits(schema: &Schema, fields: &mut Map<String, Value>) {
    let floats = [
        ("minimum", schema.minimum),
        ("maximum", schema.maximum),
        ("multipleOf", schema.multiple_of),
    ];
    let integers = [
        ("minLength", schema.min_length),
        ("maxLength", schema.max_length),
        ("minItems", schema.min_items),
        ("maxItems", schema.max_items),
        ("minProperties", schema.min_properties),
        ("maxProperties", schema.max_properties),
    ];
    let flags = [
        ("nullable", schema.nullable),
        ("exclusiveMinimum", schema.exclusive_minimum),
        ("exclusiveMaximum", schema.exclusive_maximum),
        ("x-kubernetes-preserve-unknown-fields", schema.preserve_unknown_fields),
        ("x-kubernetes-int-or-string", schema.int_or_string),
        ("x-kubernetes-embedded-resource", schema.embedded_resource),
    ];
    let floats = floats.into_iter().filter_map(|(name, value)| Some((name, number(value?))));
    let integers = integers.into_iter().filter_map(|(name, value)| Some((name, value?.into())));
    let flags = flags.into_iter().filter_map(|(name, is)| is.then_some((name, is.into())));
    let all = floats.chain(integers).chain(flags);
    fields.extend(all.map(|(name, value): (&str, Value)| (name.to_owned(), value)));
}

fn write_parts(schema: &Schema, fields: &mut Map<String, Value>) {
    let mut write = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    if let Some(default) = &schema.default {
        write("default", default.clone());
    }
    if !schema.enumeration.is_empty() {
        write("enum", Value::from(schema.enumeration.clone()));
    }
    if !schema.required.is_empty() {
        write("required", Value::from(schema.required.clone()));
    }
    if !schema.properties.is_empty() {
        let properties = schema.properties.iter();
        let properties = properties.map(|(name, schema)| (name.clone(), document(schema)));
        write("properties", Value::from(properties.collect::<Map<_, _>>()));
    }
    match &schema.additional {
        Additional::Unset => {}
        Additional::Any(is_allowed) => drop(write("additionalProperties", (*is_allowed).into())),
        Additional::Of(values) => drop(write("additionalProperties", document(values))),
    }
    if let Some(items) = &schema.items {
        write("items", document(items));
    }
    if let Some(not) = &schema.not {
        write("not", document(not));
    }
    let branches =
        [("allOf", &schema.all_of), ("anyOf", &schema.any_of), ("oneOf", &schema.one_of)];
    for (name, schemas) in branches.into_iter().filter(|(_, schemas)| !schemas.is_empty()) {
        write(name, schemas.iter().map(document).collect());
    }
    if schema.int_or_string && schema.any_of.is_empty() && schema.all_of.is_empty() {
        write("anyOf", json!([{"type": "integer"}, {"type": "string"}]));
    }
}

fn write_extensions(schema: &Schema, fields: &mut Map<String, Value>) {
    let mut write = |name: &str, value: Value| {
        fields.insert(format!("x-kubernetes-{name}"), value);
    };
    if let Some(list_type) = schema.list_type {
        write("list-type", Value::from(list_type.name()));
    }
    if !schema.list_map_keys.is_empty() {
        write("list-map-keys", Value::from(schema.list_map_keys.clone()));
    }
    if let Some(map_type) = schema.map_type {
        write("map-type", Value::from(map_type_name(map_type)));
    }
    if !schema.rules.is_empty() {
        write("validations", schema.rules.iter().map(rule).collect());
    }
}

fn map_type_name(map_type: MapType) -> &'static str {
    match map_type {
        MapType::Granular => "granular",
        MapType::Atomic => "atomic",
    }
}

fn rule(rule: &Rule) -> Value {
    let reason = match rule.reason {
        None => "",
        Some(Reason::Invalid) => "FieldValueInvalid",
        Some(Reason::Forbidden) => "FieldValueForbidden",
        Some(Reason::Required) => "FieldValueRequired",
        Some(Reason::Duplicate) => "FieldValueDuplicate",
    };
    let texts = [
        ("rule", rule.rule.as_str()),
        ("message", &rule.message),
        ("messageExpression", &rule.message_expression),
        ("reason", reason),
        ("fieldPath", &rule.field_path),
    ];
    let texts = texts.into_iter().filter(|(_, text)| !text.is_empty());
    let mut fields: Map<String, Value> =
        texts.map(|(name, text)| (name.to_owned(), Value::from(text))).collect();
    if let Some(is_optional) = rule.optional_old_self {
        fields.insert("optionalOldSelf".to_owned(), Value::from(is_optional));
    }
    Value::from(fields)
}

/// A number as manifests write it: without `.0`.
fn number(float: f64) -> Value {
    // Every whole number of this size is exact in both types.
    let is_whole = float.fract() == 0.0 && float.abs() < 9e15;
    if is_whole { Value::from(float as i64) } else { Value::from(float) }
}
