//! The OpenAPI schemas of built-in kinds.
//!
//! Reads the generated documents; returns schemas without references, each made when first asked.
//! Invariant: a schema that holds itself ends in an object that may hold anything.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::{LazyLock, OnceLock};

use kube_schema::Schema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

pub(super) const NATIVE: &str = include_str!("../../kinds/native.json");

const REFERENCE: &str = "#/components/schemas/";

#[derive(Deserialize)]
struct Documents {
    schemas: BTreeMap<String, Value>,
}

static DOCUMENTS: LazyLock<Documents> =
    LazyLock::new(|| serde_json::from_str(NATIVE).expect("the generated file is JSON"));

/// The OpenAPI documents of built-in kinds by name, with references and without descriptions.
pub(crate) fn documents() -> &'static BTreeMap<String, Value> {
    &DOCUMENTS.schemas
}

/// A schema that is made when it is first looked at.
#[derive(Debug)]
pub(crate) struct LazySchema {
    schema: OnceLock<Schema>,
    name: &'static str,
}

impl LazySchema {
    /// The schema of a built-in kind, by its name.
    pub(super) fn native(name: &'static str) -> Self {
        Self { schema: OnceLock::new(), name }
    }
}

impl From<Schema> for LazySchema {
    fn from(schema: Schema) -> Self {
        Self { schema: OnceLock::from(schema), name: "" }
    }
}

impl Deref for LazySchema {
    type Target = Schema;

    fn deref(&self) -> &Schema {
        self.schema.get_or_init(|| {
            let document = resolved(self.name, &mut Vec::new());
            Schema::native(&document).expect("generated schemas are readable")
        })
    }
}

/// A document with its references replaced by what they refer to.
fn resolved(name: &str, above: &mut Vec<String>) -> Value {
    if above.iter().any(|it| it == name) {
        return json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    }
    if let Some(schema) = special(name) {
        return schema;
    }
    let Some(document) = documents().get(name) else {
        return json!({"x-kubernetes-preserve-unknown-fields": true});
    };
    above.push(name.to_owned());
    let schema = expanded(document, above);
    above.pop();
    schema
}

/// Types whose documents do not say in a schema's words what they are.
fn special(name: &str) -> Option<Value> {
    let (_, short) = name.rsplit_once('.')?;
    match short {
        "IntOrString" => Some(json!({"x-kubernetes-int-or-string": true})),
        "Quantity" => Some(json!({"x-kubernetes-int-or-string": true})),
        "RawExtension" | "FieldsV1" | "JSON" => {
            Some(json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}))
        }
        "JSONSchemaPropsOrArray" | "JSONSchemaPropsOrBool" | "JSONSchemaPropsOrStringArray" => {
            Some(json!({"x-kubernetes-preserve-unknown-fields": true}))
        }
        _ => None,
    }
}

fn expanded(document: &Value, above: &mut Vec<String>) -> Value {
    let Some(fields) = document.as_object() else { return document.clone() };
    let mut schema = Map::new();
    let wrapped = fields.get("allOf").and_then(|it| it.get(0));
    let reference = fields.get("$ref").or_else(|| wrapped.and_then(|it| it.get("$ref")));
    if let Some(name) = reference.and_then(Value::as_str).and_then(|it| it.strip_prefix(REFERENCE))
        && let Value::Object(referred) = resolved(name, above)
    {
        schema = referred;
    }
    for (keyword, value) in fields {
        let value = match keyword.as_str() {
            "$ref" | "allOf" | "x-kubernetes-group-version-kind" | "x-kubernetes-unions" => {
                continue;
            }
            "properties" => {
                let properties = value.as_object().into_iter().flatten();
                properties.map(|(name, it)| (name.clone(), expanded(it, above))).collect()
            }
            "items" | "additionalProperties" if value.is_object() => expanded(value, above),
            "enum" => continue,
            _ => value.clone(),
        };
        schema.insert(keyword.clone(), value);
    }
    Value::Object(schema)
}
