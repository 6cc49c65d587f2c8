//! Schemas that every document has: metadata, options, answers.
//!
//! Reads the texts beside this file; returns schemas by name.
//! Invariant: the schemas refer to each other only.

use serde_json::{Map, Value, json};

pub(super) const OBJECT_META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
pub(super) const LIST_META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta";
pub(super) const DELETE_OPTIONS: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions";
pub(super) const STATUS: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.Status";
pub(super) const PATCH: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.Patch";

/// The schemas, for a document of one version.
pub(super) fn schemas(group: &str, version: &str) -> Map<String, Value> {
    let text = include_str!("shared.json");
    let mut schemas: Map<String, Value> = serde_json::from_str(text).expect("the file is JSON");
    // Options are decoded in the version they are sent to.
    schemas[DELETE_OPTIONS]["x-kubernetes-group-version-kind"] =
        json!([{"group": group, "version": version, "kind": "DeleteOptions"}]);
    schemas
}

/// `apiVersion` and `kind`.
pub(super) fn type_fields() -> Map<String, Value> {
    let field = |description: &str| json!({"description": description, "type": "string"});
    [
        ("apiVersion", "The group and version that the object is written in."),
        ("kind", "What kind of object it is."),
    ]
    .into_iter()
    .map(|(name, description)| (name.to_owned(), field(description)))
    .collect()
}
