//! Values that a schema takes.

use serde_json::{Map, Value, json};

/// Every field is there, every list has one item.
pub(crate) fn largest(schema: &Value) -> Value {
    match schema["type"].as_str().unwrap() {
        "object" => object(schema),
        "array" => json!([largest(&schema["items"])]),
        "integer" => json!(schema["maximum"].as_i64().unwrap_or(7)),
        "boolean" => json!(true),
        "string" => match schema["enum"].as_array() {
            Some(words) => words[0].clone(),
            None => json!("text"),
        },
        other => panic!("no sample for type {other}"),
    }
}

fn object(schema: &Value) -> Value {
    if schema["additionalProperties"].is_object() {
        return json!({"key": largest(&schema["additionalProperties"])});
    }
    let fields = schema["properties"].as_object().unwrap().iter();
    Value::Object(fields.map(|(name, it)| (name.clone(), largest(it))).collect::<Map<_, _>>())
}

/// The same without one of the fields that may be absent, for each such field.
pub(crate) fn smaller(schema: &Value) -> Vec<Value> {
    let mut optional = Vec::new();
    find_optional(schema, "", &mut optional);
    let without = |(parent, field): &(String, String)| {
        let mut sample = largest(schema);
        let parent = sample.pointer_mut(parent).unwrap().as_object_mut().unwrap();
        parent.remove(field).unwrap();
        sample
    };
    optional.iter().map(without).collect()
}

/// Where the sample has fields that are not required.
fn find_optional(schema: &Value, here: &str, found: &mut Vec<(String, String)>) {
    if schema["items"].is_object() {
        find_optional(&schema["items"], &format!("{here}/0"), found);
    }
    let required = schema["required"].as_array();
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        if !required.is_some_and(|names| names.iter().any(|it| it == name)) {
            found.push((here.to_owned(), name.clone()));
        }
        find_optional(field, &format!("{here}/{name}"), found);
    }
}
