//! OpenAPI 2, for clients that do not know version 3.
//!
//! Reads documents of version 3; returns one of version 2.
//! Invariant: a definition says nothing that version 2 has no word for.

use serde_json::{Map, Value, json};

const METHODS: [&str; 5] = ["get", "put", "post", "patch", "delete"];

/// One document of several.
pub(super) fn merge(documents: impl Iterator<Item = Value>) -> Value {
    let (mut paths, mut definitions) = (Map::new(), Map::new());
    for mut document in documents {
        let mut items = object(document["paths"].take());
        items.values_mut().for_each(convert_item);
        paths.extend(items);
        let mut schemas = object(document["components"]["schemas"].take());
        schemas.values_mut().for_each(convert_schema);
        definitions.extend(schemas);
    }
    json!({
        "swagger": "2.0",
        "info": {"title": "Kubernetes", "version": "v1.35.4"},
        "paths": paths,
        "definitions": definitions,
    })
}

fn convert_item(item: &mut Value) {
    convert_parameters(&mut item["parameters"]);
    for method in METHODS {
        if let Some(operation) = item.get_mut(method) {
            convert_operation(operation);
        }
    }
}

fn convert_operation(operation: &mut Value) {
    operation["produces"] = json!(["application/json", "application/yaml"]);
    convert_parameters(&mut operation["parameters"]);
    let body = operation.as_object_mut().and_then(|operation| operation.remove("requestBody"));
    if let Some(body) = body {
        let content = object(body["content"].clone());
        let consumes: Vec<&String> = content.keys().collect();
        operation["consumes"] = json!(consumes);
        let schema = schema_of(&content);
        let parameter =
            json!({"name": "body", "in": "body", "required": body["required"], "schema": schema});
        if let Some(parameters) = operation["parameters"].as_array_mut() {
            parameters.push(parameter);
        }
    }
    let responses = operation["responses"].as_object_mut().into_iter().flatten();
    for (_, response) in responses {
        let content = response.as_object_mut().and_then(|response| response.remove("content"));
        if let Some(content) = content {
            response["schema"] = schema_of(&object(content));
        }
    }
}

/// In version 2 the type of a parameter stands beside its name.
fn convert_parameters(parameters: &mut Value) {
    for parameter in parameters.as_array_mut().into_iter().flatten() {
        let Some(fields) = parameter.as_object_mut() else { continue };
        fields.extend(object(fields.get("schema").cloned().unwrap_or_default()));
        fields.remove("schema");
    }
}

fn schema_of(content: &Map<String, Value>) -> Value {
    let mut schema = content.values().next().map_or(Value::Null, |one| one["schema"].clone());
    convert_schema(&mut schema);
    schema
}

/// Drops what version 2 does not know, and points references at definitions.
fn convert_schema(schema: &mut Value) {
    let Some(fields) = schema.as_object_mut() else { return };
    let branch = fields.remove("allOf").and_then(|branches| branches.get(0).cloned());
    if let Some(reference) = branch.as_ref().and_then(|branch| branch.get("$ref")) {
        fields.insert("$ref".to_owned(), reference.clone());
        fields.remove("default");
    }
    for name in ["anyOf", "oneOf", "not", "nullable"] {
        fields.remove(name);
    }
    if let Some(Value::String(target)) = fields.get_mut("$ref") {
        *target = target.replace("#/components/schemas/", "#/definitions/");
    }
    for name in ["items", "additionalProperties"] {
        fields.get_mut(name).into_iter().for_each(convert_schema);
    }
    let properties = fields.get_mut("properties").and_then(Value::as_object_mut);
    properties.into_iter().flat_map(Map::values_mut).for_each(convert_schema);
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}
