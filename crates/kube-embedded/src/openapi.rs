//! OpenAPI documents: what `kubectl explain`, `apply` and `create` ask before they act.
//!
//! Reads all served kinds; returns the index and documents of `/openapi/v3`, and `/openapi/v2`.
//! Invariant: every reference in a document leads to a schema of the same document.

mod fingerprint;
mod names;
mod native;
mod operations;
mod schema;
mod shared;
mod swagger;

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::discovery;
use crate::kinds::Kind;
use names::{component, reference};

/// `/openapi/v3`: where the document of each version is.
///
/// The address of a document changes with its content, so that clients may keep it.
pub(crate) fn index(kinds: &[Arc<Kind>]) -> Value {
    let versions: BTreeSet<(&str, &str)> =
        kinds.iter().map(|kind| (kind.group.as_str(), kind.version.as_str())).collect();
    let paths: Map<String, Value> = versions
        .into_iter()
        .filter_map(|(group, version)| {
            let path = names::version_path(group, version);
            let hash = fingerprint::of(&document(kinds, group, version)?);
            let url = format!("/openapi/v3/{path}?hash={hash}");
            Some((path, json!({"serverRelativeURL": url})))
        })
        .collect();
    json!({"paths": paths})
}

/// `/openapi/v3/api/v1` and `/openapi/v3/apis/<group>/<version>`.
pub(crate) fn document(kinds: &[Arc<Kind>], group: &str, version: &str) -> Option<Value> {
    let served = kinds.iter().filter(|kind| kind.group == group && kind.version == version);
    let served: Vec<&Kind> = served.map(Arc::as_ref).collect();
    if served.is_empty() {
        return None;
    }
    let mut paths = Map::new();
    let mut schemas = shared::schemas(group, version);
    for kind in served {
        paths.extend(operations::paths(kind));
        for part in discovery::subresources(kind) {
            let name =
                names::schema(part.group, part.version, part.kind, kind.built_in().is_some());
            schemas.entry(name).or_insert_with(|| placeholder(&part));
        }
        if let Some(built_in) = kind.built_in() {
            native::add_referred(built_in.schema, &mut schemas);
        }
        schemas.insert(component(kind), kind_schema(kind));
        schemas.insert(names::list_component(kind), list_schema(kind));
    }
    Some(json!({
        "openapi": "3.0.0",
        "info": {"title": "Kubernetes", "version": "v1.35.4"},
        "paths": paths,
        "components": {"schemas": schemas},
    }))
}

/// `/openapi/v2`.
pub(crate) fn swagger(kinds: &[Arc<Kind>]) -> Value {
    let versions: BTreeSet<(&str, &str)> =
        kinds.iter().map(|kind| (kind.group.as_str(), kind.version.as_str())).collect();
    let documents = versions.into_iter();
    let documents = documents.filter_map(|(group, version)| document(kinds, group, version));
    swagger::merge(documents)
}

/// The schema of a kind, with metadata that all kinds share.
fn kind_schema(kind: &Kind) -> Value {
    let native = kind.built_in().and_then(|built_in| native::document(built_in.schema));
    let mut document = native.unwrap_or_else(|| schema::document(&kind.schema));
    document["type"] = Value::from("object");
    let mut properties = match document["properties"].take() {
        Value::Object(properties) => properties,
        _ => Map::new(),
    };
    properties.extend(shared::type_fields());
    properties.insert(
        "metadata".to_owned(),
        json!({
            "description": "Name, namespace, labels and the rest that all objects have.",
            "default": {},
            "allOf": [reference(shared::OBJECT_META)],
        }),
    );
    document["properties"] = Value::from(properties);
    document["x-kubernetes-group-version-kind"] =
        json!([{"group": kind.group, "version": kind.version, "kind": kind.kind}]);
    document
}

fn list_schema(kind: &Kind) -> Value {
    let mut properties = shared::type_fields();
    properties.insert(
        "items".to_owned(),
        json!({
            "description": format!("The {}.", kind.plural),
            "type": "array",
            "items": reference(&component(kind)),
        }),
    );
    properties.insert(
        "metadata".to_owned(),
        json!({
            "description": "How far the list goes, and at which version it was read.",
            "default": {},
            "allOf": [reference(shared::LIST_META)],
        }),
    );
    json!({
        "description": format!("{} is a list of {}", kind.list_kind, kind.kind),
        "type": "object",
        "required": ["items"],
        "properties": properties,
        "x-kubernetes-group-version-kind":
            [{"group": kind.group, "version": kind.version, "kind": kind.list_kind}],
    })
}

/// Stands for the kind of a subresource that is not served on its own.
fn placeholder(part: &discovery::Below<'_>) -> Value {
    json!({
        "description": format!("What {} takes.", part.name),
        "type": "object",
        "properties": shared::type_fields(),
        "x-kubernetes-group-version-kind":
            [{"group": part.group, "version": part.version, "kind": part.kind}],
        "x-kubernetes-preserve-unknown-fields": true,
    })
}

#[cfg(test)]
mod tests;
