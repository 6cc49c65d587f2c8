//! Writes what a real kube-apiserver says of the kinds it has without a CRD.
//!
//! Starts the server of the lab and reads its discovery and OpenAPI documents; returns the file
//! that `kube-embedded` serves built-in kinds by.
//! Invariant: the same server gives the same file, and descriptions never get into it.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail};
use serde_json::{Map, Value, json};
use udn_lab::kubernetes::Cluster;

use super::GeneratedFile;
use crate::workspace::Workspace;

const PATH: &str = "crates/kube-embedded/kinds/native.json";

/// The resources that are kept, by the path of their group version.
const KEPT: &[(&str, &str)] = &[
    (
        "api/v1",
        "bindings configmaps endpoints events limitranges namespaces nodes persistentvolumeclaims \
         persistentvolumes pods podtemplates replicationcontrollers resourcequotas secrets \
         serviceaccounts services",
    ),
    (
        "apis/admissionregistration.k8s.io/v1",
        "mutatingwebhookconfigurations validatingadmissionpolicies \
         validatingadmissionpolicybindings validatingwebhookconfigurations",
    ),
    ("apis/apiextensions.k8s.io/v1", "customresourcedefinitions"),
    ("apis/apps/v1", "controllerrevisions daemonsets deployments replicasets statefulsets"),
    ("apis/authentication.k8s.io/v1", "selfsubjectreviews tokenreviews"),
    (
        "apis/authorization.k8s.io/v1",
        "localsubjectaccessreviews selfsubjectaccessreviews selfsubjectrulesreviews \
         subjectaccessreviews",
    ),
    ("apis/batch/v1", "cronjobs jobs"),
    ("apis/coordination.k8s.io/v1", "leases"),
    ("apis/discovery.k8s.io/v1", "endpointslices"),
    ("apis/events.k8s.io/v1", "events"),
    ("apis/networking.k8s.io/v1", "networkpolicies"),
    ("apis/policy/v1", "poddisruptionbudgets"),
    ("apis/rbac.authorization.k8s.io/v1", "clusterrolebindings clusterroles rolebindings roles"),
    ("apis/scheduling.k8s.io/v1", "priorityclasses"),
];

/// Kinds that only subresources take, with the group version whose document has them.
const BESIDE: &[(&str, &str)] = &[
    ("api/v1", "io.k8s.api.policy.v1.Eviction"),
    ("apis/apps/v1", "io.k8s.api.autoscaling.v1.Scale"),
    ("api/v1", "io.k8s.api.authentication.v1.TokenRequest"),
];

const REFERENCE: &str = "#/components/schemas/";

/// Asks a server and returns the file.
pub(super) fn write(_workspace: &Workspace) -> Result<Vec<GeneratedFile>> {
    let cluster = Cluster::builder().without_controllers().start().context("starting a server")?;
    let mut resources = Vec::new();
    let mut schemas = BTreeMap::new();
    for (path, kept) in KEPT {
        let discovery = read(&cluster, &format!("/{path}"))?;
        let document = read(&cluster, &format!("/openapi/v3/{path}"))?;
        let found = document.pointer("/components/schemas").and_then(Value::as_object);
        let found = found.with_context(|| format!("{path} has no schemas"))?;
        for plural in kept.split_whitespace() {
            let resource = resource(&discovery, path, plural, found)?;
            let root = resource["schema"].as_str().context("a resource names its schema")?;
            keep(&mut schemas, found, root)?;
            resources.push(resource);
        }
        for (_, name) in BESIDE.iter().filter(|(group, _)| group == path) {
            keep(&mut schemas, found, name)?;
        }
    }
    Ok(vec![GeneratedFile { path: PATH.to_owned(), text: text(&resources, &schemas) }])
}

fn read(cluster: &Cluster, path: &str) -> Result<Value> {
    let output = cluster.kubectl().args(["get", "--raw", path]).output().context("kubectl")?;
    if !output.status.success() {
        bail!("the server does not give {path}: {}", String::from_utf8_lossy(&output.stderr));
    }
    serde_json::from_slice(&output.stdout).with_context(|| format!("reading {path}"))
}

/// One resource with its subresources, as a line of the file.
fn resource(
    discovery: &Value,
    path: &str,
    plural: &str,
    schemas: &Map<String, Value>,
) -> Result<Value> {
    let (group, version) = group_version(path);
    let listed = || discovery["resources"].as_array().into_iter().flatten();
    let own = listed().find(|it| it["name"] == plural);
    let own = own.with_context(|| format!("{path} has no {plural}"))?;
    let kind = own["kind"].as_str().context("a resource has a kind")?;
    let subresources: Vec<Value> = listed()
        .filter_map(|it| {
            let name = it["name"].as_str()?.strip_prefix(plural)?.strip_prefix('/')?;
            Some(json!({
                "name": name,
                "group": it.get("group").cloned().unwrap_or_else(|| Value::from(group)),
                "version": it.get("version").cloned().unwrap_or_else(|| Value::from(version)),
                "kind": it["kind"],
                "verbs": it["verbs"],
            }))
        })
        .collect();
    let is_it = |schema: &Value| {
        let kinds = schema["x-kubernetes-group-version-kind"].as_array().into_iter().flatten();
        kinds
            .filter(|it| it["kind"] == kind && it["group"] == group)
            .any(|it| it["version"] == version)
    };
    let schema = schemas.iter().find(|(_, schema)| is_it(schema));
    let (schema, _) = schema.with_context(|| format!("{kind} has no schema"))?;
    let list = |name: &str| own.get(name).cloned().unwrap_or_else(|| json!([]));
    Ok(json!({
        "group": group, "version": version, "kind": kind,
        "plural": plural, "singular": own["singularName"], "namespaced": own["namespaced"],
        "shortNames": list("shortNames"), "categories": list("categories"),
        "verbs": own["verbs"], "subresources": subresources, "schema": schema,
    }))
}

fn group_version(path: &str) -> (&str, &str) {
    match path.split('/').collect::<Vec<_>>()[..] {
        [_, group, version] => (group, version),
        _ => ("", path.rsplit('/').next().unwrap_or(path)),
    }
}

/// Keeps a schema and everything it refers to.
fn keep(kept: &mut BTreeMap<String, Value>, found: &Map<String, Value>, root: &str) -> Result<()> {
    let mut pending = vec![root.to_owned()];
    while let Some(name) = pending.pop() {
        if kept.contains_key(&name) {
            continue;
        }
        let schema = found.get(&name).with_context(|| format!("there is no schema {name}"))?;
        let mut schema = schema.clone();
        strip(&mut schema, Place::Schema);
        let mut references = BTreeSet::new();
        gather(&schema, &mut references);
        pending.extend(references);
        kept.insert(name, schema);
    }
    Ok(())
}

/// Whether the keys of an object are keywords or names of fields.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Schema,
    Properties,
}

fn strip(value: &mut Value, place: Place) {
    match value {
        Value::Object(fields) => {
            if place == Place::Schema {
                for name in ["description", "example", "externalDocs"] {
                    fields.remove(name);
                }
            }
            for (name, value) in fields.iter_mut() {
                let is_fields = place == Place::Schema && name == "properties";
                strip(value, if is_fields { Place::Properties } else { Place::Schema });
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| strip(item, Place::Schema)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn gather(value: &Value, references: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            let name = fields.get("$ref").and_then(Value::as_str);
            references.extend(name.and_then(|it| it.strip_prefix(REFERENCE)).map(str::to_owned));
            fields.values().for_each(|value| gather(value, references));
        }
        Value::Array(items) => items.iter().for_each(|item| gather(item, references)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// One resource and one schema a line.
fn text(resources: &[Value], schemas: &BTreeMap<String, Value>) -> String {
    let resources: Vec<String> = resources.iter().map(Value::to_string).collect();
    let schemas: Vec<String> =
        schemas.iter().map(|(name, schema)| format!("\"{name}\":{schema}")).collect();
    format!(
        "{{\"resources\":[\n{}\n],\"schemas\":{{\n{}\n}}}}\n",
        resources.join(",\n"),
        schemas.join(",\n")
    )
}
