//! Kubernetes objects, as far as we look at them.
//!
//! Invariant: a field that we do not use is ignored; what a UDN or CUDN asks for is kept whole, so
//! that `translate` can judge every word of it.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// What every object carries.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Metadata {
    #[serde(deserialize_with = "null_is_default")]
    pub name: String,
    /// Empty for objects of the whole cluster.
    #[serde(deserialize_with = "null_is_default")]
    pub namespace: String,
    #[serde(deserialize_with = "null_is_default")]
    pub uid: String,
    #[serde(deserialize_with = "texts")]
    pub labels: BTreeMap<String, String>,
    #[serde(deserialize_with = "texts")]
    pub annotations: BTreeMap<String, String>,
    #[serde(deserialize_with = "null_is_default")]
    pub finalizers: Vec<String>,
    #[serde(deserialize_with = "null_is_default")]
    pub owner_references: Vec<OwnerReference>,
    /// Set while the object is being deleted.
    pub deletion_timestamp: Option<String>,
}

/// For whom an object was made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct OwnerReference {
    pub api_version: String,
    pub kind: String,
    pub name: String,
    pub uid: String,
    #[serde(deserialize_with = "null_is_default")]
    pub controller: bool,
    #[serde(deserialize_with = "null_is_default")]
    pub block_owner_deletion: bool,
}

/// A namespace.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Namespace {
    #[serde(deserialize_with = "null_is_default")]
    pub metadata: Metadata,
}

/// A node.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Node {
    #[serde(deserialize_with = "null_is_default")]
    pub metadata: Metadata,
}

/// A UDN.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct UserDefinedNetwork {
    #[serde(deserialize_with = "null_is_default")]
    pub metadata: Metadata,
    pub spec: Value,
}

/// A CUDN.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ClusterUserDefinedNetwork {
    #[serde(deserialize_with = "null_is_default")]
    pub metadata: Metadata,
    pub spec: Value,
}

/// A NAD.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Definition {
    #[serde(deserialize_with = "null_is_default")]
    pub metadata: Metadata,
    #[serde(deserialize_with = "null_is_default")]
    pub spec: DefinitionSpec,
}

/// What a NAD says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct DefinitionSpec {
    /// CNI configuration as JSON text.
    #[serde(deserialize_with = "null_is_default")]
    pub config: String,
}

/// A service.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Service {
    #[serde(deserialize_with = "null_is_default")]
    pub metadata: Metadata,
    #[serde(deserialize_with = "null_is_default")]
    pub spec: ServiceSpec,
}

/// Where a service is reached.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ServiceSpec {
    #[serde(rename = "clusterIP", deserialize_with = "null_is_default")]
    pub cluster_ip: String,
    #[serde(rename = "clusterIPs", deserialize_with = "null_is_default")]
    pub cluster_ips: Vec<String>,
}

/// A pod.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Pod {
    #[serde(deserialize_with = "null_is_default")]
    pub metadata: Metadata,
    #[serde(deserialize_with = "null_is_default")]
    pub spec: PodSpec,
    #[serde(deserialize_with = "null_is_default")]
    pub status: PodStatus,
}

/// Where a pod runs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodSpec {
    /// Empty until the pod is scheduled.
    #[serde(deserialize_with = "null_is_default")]
    pub node_name: String,
    #[serde(deserialize_with = "null_is_default")]
    pub host_network: bool,
}

/// How a pod fares.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct PodStatus {
    #[serde(deserialize_with = "null_is_default")]
    pub phase: String,
}

impl Metadata {
    /// Whether the object is being deleted.
    pub fn is_leaving(&self) -> bool {
        self.deletion_timestamp.is_some()
    }

    pub fn annotation(&self, key: &str) -> Option<&str> {
        self.annotations.get(key).map(String::as_str)
    }

    /// The owner that has the say over this object.
    pub fn controller(&self) -> Option<&OwnerReference> {
        self.owner_references.iter().find(|owner| owner.controller)
    }
}

impl Pod {
    /// Whether the pod has ended; its addresses are free again.
    pub fn is_completed(&self) -> bool {
        matches!(self.status.phase.as_str(), "Succeeded" | "Failed")
    }

    /// Whether the pod takes part in networks at all.
    pub fn is_on_networks(&self) -> bool {
        !self.is_completed() && !self.spec.host_network
    }
}

/// Reads `null` as the default, as Go does.
fn null_is_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Option::<T>::deserialize(deserializer).map(Option::unwrap_or_default)
}

/// Reads a map of texts; an entry that is `null` is not there.
fn texts<'de, D>(deserializer: D) -> Result<BTreeMap<String, String>, D::Error>
where
    D: Deserializer<'de>,
{
    let map = Option::<BTreeMap<String, Option<String>>>::deserialize(deserializer)?;
    let entries = map.unwrap_or_default().into_iter();
    Ok(entries.filter_map(|(key, text)| Some((key, text?))).collect())
}
