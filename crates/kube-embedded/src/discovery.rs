//! What the server serves, as clients ask for it: groups, versions, resources, and its own version.
//!
//! Reads all served kinds; returns the documents of `/api`, `/apis` and `/version`, of old and of
//! aggregated discovery.
//! Invariant: the preferred version of a group is the first, newest stable before newest beta.

mod aggregated;
mod order;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::kinds::Kind;

pub(crate) use aggregated::{core as aggregated_core, groups as aggregated_groups};
pub(crate) use order::version as rank;

/// Verbs of custom kinds, in the server's order.
const CUSTOM_VERBS: [&str; 8] =
    ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
const SUBRESOURCE_VERBS: [&str; 3] = ["get", "patch", "update"];

/// Documents beside those of groups and versions.
const PATHS: [&str; 10] = [
    "/.well-known/openid-configuration",
    "/api",
    "/apis",
    "/healthz",
    "/livez",
    "/openapi/v2",
    "/openapi/v3",
    "/openid/v1/jwks",
    "/readyz",
    "/version",
];

/// `/version`.
pub(crate) fn version() -> Value {
    json!({
        "major": "1",
        "minor": "35",
        "emulationMajor": "1",
        "emulationMinor": "35",
        "minCompatibilityMajor": "1",
        "minCompatibilityMinor": "34",
        "gitVersion": "v1.35.4+udn",
        "gitCommit": "",
        "gitTreeState": "clean",
        "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": "",
        "compiler": "rustc",
        "platform": format!("{}/{}", std::env::consts::OS, platform()),
    })
}

/// `/`: where the documents are.
pub(crate) fn paths(kinds: &[Arc<Kind>]) -> Vec<String> {
    let mut paths: Vec<String> = PATHS.map(str::to_owned).to_vec();
    for (group, versions) in by_group(kinds) {
        let start = if group.is_empty() { "/api".to_owned() } else { format!("/apis/{group}") };
        paths.extend(versions.keys().map(|version| format!("{start}/{version}")));
        paths.push(start);
    }
    paths.sort();
    paths.dedup();
    paths
}

/// `/api`, with the address clients reach the server at.
pub(crate) fn core_versions(kinds: &[Arc<Kind>], address: &str) -> Value {
    let versions: Vec<&str> = by_group(kinds).get("").map(versions_of).unwrap_or_default();
    json!({
        "kind": "APIVersions",
        "versions": versions,
        "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": address}],
    })
}

/// `/apis`.
pub(crate) fn groups(kinds: &[Arc<Kind>]) -> Value {
    let groups: Vec<Value> = ordered_groups(kinds)
        .into_iter()
        .map(|(name, versions)| group_document(name, &versions))
        .collect();
    json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups})
}

/// `/apis/<group>`.
pub(crate) fn group(kinds: &[Arc<Kind>], name: &str) -> Option<Value> {
    let groups = by_group(kinds);
    let mut document = group_document(name, groups.get(name).filter(|_| !name.is_empty())?);
    document["kind"] = Value::from("APIGroup");
    document["apiVersion"] = Value::from("v1");
    Some(document)
}

/// `/api/v1` and `/apis/<group>/<version>`.
pub(crate) fn resources(kinds: &[Arc<Kind>], group: &str, version: &str) -> Option<Value> {
    let groups = by_group(kinds);
    let kinds = groups.get(group)?.get(version)?;
    let group_version = kinds.first()?.api_version();
    let resources: Vec<Value> = kinds.iter().copied().flat_map(resource_documents).collect();
    let mut document =
        json!({"kind": "APIResourceList", "groupVersion": group_version, "resources": resources});
    if !group.is_empty() {
        document["apiVersion"] = Value::from("v1");
    }
    Some(document)
}

/// Kinds by resource name, by version.
type Versions<'a> = BTreeMap<&'a str, Vec<&'a Kind>>;

fn by_group(kinds: &[Arc<Kind>]) -> BTreeMap<&str, Versions<'_>> {
    let mut groups: BTreeMap<&str, Versions<'_>> = BTreeMap::new();
    for kind in kinds {
        let versions = groups.entry(&kind.group).or_default();
        versions.entry(&kind.version).or_default().push(kind);
    }
    for kinds in groups.values_mut().flat_map(BTreeMap::values_mut) {
        kinds.sort_by(|one, other| one.plural.cmp(&other.plural));
    }
    groups
}

/// All groups with a name, as the server orders them.
fn ordered_groups(kinds: &[Arc<Kind>]) -> Vec<(&str, Versions<'_>)> {
    let groups = by_group(kinds).into_iter().filter(|(name, _)| !name.is_empty());
    let mut groups: Vec<_> = groups.collect();
    groups.sort_by_key(|(name, _)| order::group(name));
    groups
}

/// The names of versions, the preferred one first.
fn versions_of<'a>(versions: &Versions<'a>) -> Vec<&'a str> {
    let mut names: Vec<&str> = versions.keys().copied().collect();
    names.sort_by_key(|name| Reverse(order::version(name)));
    names
}

fn group_document(name: &str, versions: &Versions<'_>) -> Value {
    let versions: Vec<Value> = versions_of(versions)
        .into_iter()
        .map(|version| json!({"groupVersion": format!("{name}/{version}"), "version": version}))
        .collect();
    json!({"name": name, "preferredVersion": versions.first(), "versions": versions})
}

fn resource_documents(kind: &Kind) -> Vec<Value> {
    let mut main = json!({
        "name": kind.plural,
        "singularName": kind.singular,
        "namespaced": kind.is_namespaced(),
        "kind": kind.kind,
        "verbs": verbs(kind),
    });
    add_names(&mut main, kind);
    let below = subresources(kind).into_iter().map(|part| {
        let mut document = json!({
            "name": format!("{}/{}", kind.plural, part.name),
            "singularName": "",
            "namespaced": kind.is_namespaced(),
            "kind": part.kind,
            "verbs": part.verbs,
        });
        if !part.is_of_version(kind) {
            document["group"] = Value::from(part.group);
            document["version"] = Value::from(part.version);
        }
        document
    });
    [main].into_iter().chain(below).collect()
}

fn add_names(document: &mut Value, kind: &Kind) {
    if !kind.short_names.is_empty() {
        document["shortNames"] = json!(kind.short_names);
    }
    if !kind.categories.is_empty() {
        document["categories"] = json!(kind.categories);
    }
}

/// The verbs of a kind, in the server's order.
pub(crate) fn verbs(kind: &Kind) -> &'static [&'static str] {
    kind.built_in().map_or(&CUSTOM_VERBS, |built_in| built_in.verbs)
}

/// A subresource as discovery lists it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Below<'a> {
    pub(crate) name: &'a str,
    pub(crate) group: &'a str,
    pub(crate) version: &'a str,
    pub(crate) kind: &'a str,
    pub(crate) verbs: &'a [&'a str],
}

impl Below<'_> {
    /// Whether it takes a kind of the version it stands in.
    fn is_of_version(&self, kind: &Kind) -> bool {
        self.group == kind.group && self.version == kind.version
    }
}

/// The subresources of a kind, in the server's order.
pub(crate) fn subresources(kind: &Kind) -> Vec<Below<'_>> {
    let own = Below {
        name: "status",
        group: &kind.group,
        version: &kind.version,
        kind: &kind.kind,
        verbs: &SUBRESOURCE_VERBS,
    };
    let scale = Below { name: "scale", group: "autoscaling", version: "v1", kind: "Scale", ..own };
    let Some(built_in) = kind.built_in() else {
        let status = kind.has_status.then_some(own);
        return status.into_iter().chain(kind.scale.as_ref().map(|_| scale)).collect();
    };
    let listed = built_in.subresources.iter().map(|part| {
        let (group, version) = (part.group, part.version);
        Below { name: part.name, group, version, kind: part.kind, verbs: part.verbs }
    });
    let mut all: Vec<Below<'_>> = listed.collect();
    let is_missing = |all: &[Below<'_>], name| !all.iter().any(|part| part.name == name);
    if kind.has_status && is_missing(&all, "status") {
        all.push(own);
    }
    if kind.scale.is_some() && is_missing(&all, "scale") {
        all.push(scale);
    }
    all.sort_by(|one, other| one.name.cmp(other.name));
    all
}

/// The processor as Go names it.
fn platform() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    }
}

#[cfg(test)]
pub(crate) mod sample;
#[cfg(test)]
mod tests;
