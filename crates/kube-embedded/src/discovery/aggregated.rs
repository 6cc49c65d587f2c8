//! Aggregated discovery: every group with every resource in one document.
//!
//! Reads all served kinds; returns `APIGroupDiscoveryList`s for `/api` and `/apis`.
//! Invariant: it lists what the old documents list, in the same order.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{
    Below, Versions, add_names, by_group, ordered_groups, subresources, verbs, versions_of,
};
use crate::kinds::Kind;

/// `/api`.
pub(crate) fn core(kinds: &[Arc<Kind>]) -> Value {
    list(by_group(kinds).get("").map(|versions| item(None, versions)).into_iter().collect())
}

/// `/apis`.
pub(crate) fn groups(kinds: &[Arc<Kind>]) -> Value {
    let groups = ordered_groups(kinds).into_iter();
    list(groups.map(|(name, versions)| item(Some(name), &versions)).collect())
}

fn list(items: Vec<Value>) -> Value {
    json!({
        "kind": "APIGroupDiscoveryList",
        "apiVersion": "apidiscovery.k8s.io/v2",
        "metadata": {},
        "items": items,
    })
}

fn item(name: Option<&str>, versions: &Versions<'_>) -> Value {
    let documents: Vec<Value> = versions_of(versions)
        .into_iter()
        .map(|version| {
            let kinds = versions.get(version).into_iter().flatten();
            let resources: Vec<Value> = kinds.map(|kind| resource(kind)).collect();
            json!({"version": version, "resources": resources, "freshness": "Current"})
        })
        .collect();
    let metadata = name.map_or(json!({}), |name| json!({"name": name}));
    json!({"metadata": metadata, "versions": documents})
}

fn resource(kind: &Kind) -> Value {
    let own = Below {
        name: "",
        group: &kind.group,
        version: &kind.version,
        kind: &kind.kind,
        verbs: verbs(kind),
    };
    let mut document = json!({
        "resource": kind.plural,
        "responseKind": response_kind(kind, &own),
        "scope": if kind.is_namespaced() { "Namespaced" } else { "Cluster" },
        "singularResource": kind.singular,
        "verbs": own.verbs,
    });
    add_names(&mut document, kind);
    let below: Vec<Value> = subresources(kind)
        .iter()
        .map(|part| {
            let response = response_kind(kind, part);
            json!({"subresource": part.name, "responseKind": response, "verbs": part.verbs})
        })
        .collect();
    if !below.is_empty() {
        document["subresources"] = Value::from(below);
    }
    document
}

/// What the server answers with; built-in kinds leave out the version they stand in.
fn response_kind(kind: &Kind, part: &Below<'_>) -> Value {
    match kind.built_in().is_some() && part.is_of_version(kind) {
        true => json!({"group": "", "version": "", "kind": part.kind}),
        false => json!({"group": part.group, "version": part.version, "kind": part.kind}),
    }
}
