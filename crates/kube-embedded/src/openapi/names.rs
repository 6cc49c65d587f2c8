//! Names in OpenAPI documents: of schemas, operations and paths.
//!
//! Reads kinds; returns the names the server gives.
//! Invariant: two kinds never share a name.

use serde_json::{Value, json};

use crate::kinds::Kind;

/// `api/v1` or `apis/<group>/<version>`.
pub(super) fn version_path(group: &str, version: &str) -> String {
    match group {
        "" => format!("api/{version}"),
        group => format!("apis/{group}/{version}"),
    }
}

/// The schema of a kind.
pub(super) fn component(kind: &Kind) -> String {
    schema(&kind.group, &kind.version, &kind.kind, kind.built_in().is_some())
}

pub(super) fn list_component(kind: &Kind) -> String {
    schema(&kind.group, &kind.version, &kind.list_kind, kind.built_in().is_some())
}

/// `io.k8s.api.core.v1.Pod`, or `org.example.v1.Widget` for custom kinds.
pub(super) fn schema(group: &str, version: &str, kind: &str, is_built_in: bool) -> String {
    let package = match group {
        "" => "io.k8s.api.core".to_owned(),
        "autoscaling" => "io.k8s.api.autoscaling".to_owned(),
        "apiextensions.k8s.io" => {
            "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions".to_owned()
        }
        "apiregistration.k8s.io" => "io.k8s.kube-aggregator.pkg.apis.apiregistration".to_owned(),
        group if is_built_in => {
            format!("io.k8s.api.{}", group.split('.').next().unwrap_or_default())
        }
        group => group.rsplit('.').collect::<Vec<_>>().join("."),
    };
    format!("{package}.{version}.{kind}")
}

pub(super) fn reference(schema: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{schema}")})
}

/// The group in names of operations: `Core`, `RbacAuthorization`, `ExampleOrg`.
pub(super) fn camel(group: &str) -> String {
    match group.strip_suffix(".k8s.io").unwrap_or(group) {
        "" => "Core".to_owned(),
        group => group.split(['.', '-']).map(capitalized).collect(),
    }
}

/// The tag of a version: `core_v1`.
pub(super) fn tag(kind: &Kind) -> String {
    let camel = camel(&kind.group);
    let mut letters = camel.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_lowercase).collect();
    format!("{first}{}_{}", letters.as_str(), kind.version)
}

pub(super) fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    first + letters.as_str()
}
