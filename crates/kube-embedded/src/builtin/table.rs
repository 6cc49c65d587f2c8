//! The table of built-in kinds: what discovery says of them, and whose rules they follow.
//!
//! Reads the generated file; returns kinds ready to be served.
//! Invariant: the table is read once and lives as long as the program.

use std::sync::{Arc, LazyLock};

use kube_schema::{Scope, StrictError};
use serde::Deserialize;
use serde_json::Value;

use super::schemas::{LazySchema, NATIVE};
use super::{
    BuiltIn, Strategy, Subresource, admission, cluster, config, decode, definitions, endpoints,
    events, leases, pipeline, pods, rbac, reviews, services, workloads,
};
use crate::kinds::{FieldValidation, Judge, Judged, Kind};
use crate::refusal::Refusal;
use crate::store::types;

#[derive(Deserialize)]
struct File<'a> {
    #[serde(borrow)]
    resources: Vec<Row<'a>>,
}

/// A resource as discovery tells it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Row<'a> {
    group: &'a str,
    version: &'a str,
    kind: &'a str,
    plural: &'a str,
    singular: &'a str,
    namespaced: bool,
    short_names: Vec<String>,
    categories: Vec<String>,
    #[serde(borrow)]
    verbs: Vec<&'a str>,
    #[serde(borrow)]
    subresources: Vec<Below<'a>>,
    schema: &'a str,
}

#[derive(Deserialize)]
struct Below<'a> {
    name: &'a str,
    group: &'a str,
    version: &'a str,
    kind: &'a str,
    #[serde(borrow)]
    verbs: Vec<&'a str>,
}

static KINDS: LazyLock<Vec<Kind>> = LazyLock::new(|| {
    let file: File<'static> = serde_json::from_str(NATIVE).expect("the generated file is JSON");
    file.resources.into_iter().map(kind).collect()
});

/// Every built-in kind, once per served version.
pub(crate) fn kinds() -> Vec<Kind> {
    KINDS.clone()
}

fn kind(row: Row<'static>) -> Kind {
    let strategy = strategy(row.group, row.plural);
    let has_status = row.subresources.iter().any(|below| below.name == "status");
    // The table lives as long as the program, and so may what it points to.
    let built_in: &'static BuiltIn = Box::leak(Box::new(BuiltIn {
        verbs: row.verbs.leak(),
        subresources: subresources(row.subresources).leak(),
        strategy,
        schema: row.schema,
    }));
    let api_version = match row.group {
        "" => row.version.to_owned(),
        group => format!("{group}/{}", row.version),
    };
    Kind {
        group: row.group.to_owned(),
        version: row.version.to_owned(),
        kind: row.kind.to_owned(),
        list_kind: format!("{}List", row.kind),
        plural: row.plural.to_owned(),
        singular: row.singular.to_owned(),
        short_names: row.short_names,
        categories: row.categories,
        scope: if row.namespaced { Scope::Namespaced } else { Scope::Cluster },
        schema: Arc::new(LazySchema::native(row.schema)),
        columns: Vec::new(),
        has_status,
        scale: None,
        deprecation: (row.kind == "Endpoints").then(|| ENDPOINTS.to_owned()),
        selectable: Vec::new(),
        storage_version: row.version.to_owned(),
        judge: Judge::BuiltIn(built_in),
        types: types(&api_version, row.kind),
    }
}

/// What users of the one deprecated kind are told.
const ENDPOINTS: &str =
    "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice";

fn subresources(all: Vec<Below<'static>>) -> Vec<Subresource> {
    all.into_iter()
        .map(|below| {
            let Below { name, group, version, kind, verbs } = below;
            Subresource { name, group, version, kind, verbs: verbs.leak() }
        })
        .collect()
}

/// The rules of a resource.
fn strategy(group: &str, plural: &str) -> Strategy {
    match (group, plural) {
        ("", "namespaces") => cluster::NAMESPACE,
        ("", "nodes") => cluster::NODE,
        ("", "pods") => pods::POD,
        ("", "services") => services::SERVICE,
        ("", "endpoints") => endpoints::ENDPOINTS,
        ("discovery.k8s.io", "endpointslices") => endpoints::SLICE,
        ("", "configmaps") => config::CONFIG_MAP,
        ("", "secrets") => config::SECRET,
        ("", "serviceaccounts") => config::SERVICE_ACCOUNT,
        ("", "events") => events::CORE,
        ("events.k8s.io", "events") => events::EVENTS,
        ("coordination.k8s.io", "leases") => leases::LEASE,
        ("rbac.authorization.k8s.io", "roles") => rbac::ROLE,
        ("rbac.authorization.k8s.io", "clusterroles") => rbac::CLUSTER_ROLE,
        ("rbac.authorization.k8s.io", "rolebindings") => rbac::ROLE_BINDING,
        ("rbac.authorization.k8s.io", "clusterrolebindings") => rbac::CLUSTER_ROLE_BINDING,
        ("admissionregistration.k8s.io", "mutatingwebhookconfigurations") => admission::MUTATING,
        ("admissionregistration.k8s.io", "validatingwebhookconfigurations") => {
            admission::VALIDATING
        }
        ("admissionregistration.k8s.io", "validatingadmissionpolicies") => definitions::POLICY,
        ("admissionregistration.k8s.io", "validatingadmissionpolicybindings") => {
            definitions::BINDING
        }
        ("apiextensions.k8s.io", _) => definitions::DEFINITION,
        ("authorization.k8s.io" | "authentication.k8s.io", _) => reviews::REVIEW,
        _ => workloads::strategy(plural),
    }
}

/// Decodes an object of a schema that no resource has, such as `io.k8s.api.policy.v1.Eviction`.
pub(crate) fn judge_named(
    object: &Value,
    schema: &str,
    field_validation: FieldValidation,
) -> Result<Judged, Refusal> {
    let kind = schema.rsplit('.').next().unwrap_or(schema);
    let version = schema.rsplit('.').nth(1).unwrap_or("");
    let decoded =
        decode::decode(object, schema).map_err(|why| pipeline::undecodable(kind, version, &why))?;
    let unknown: Vec<StrictError> =
        decoded.unknown.into_iter().map(StrictError::unknown_field).collect();
    let warnings = pipeline::strictness(&unknown, field_validation, kind, version)?;
    Ok(Judged { object: decoded.object, warnings })
}

/// Decodes an object of a schema that no resource has; the error is the text of Go's decoder.
pub(crate) fn decode_named(object: &Value, schema: &str) -> Result<Value, String> {
    decode::decode(object, schema).map(|decoded| decoded.object)
}
