//! Kubernetes objects, as far as we look at them.
//!
//! Invariant: a field that we do not use is ignored; what a UDN or CUDN asks for is kept whole, so
//! that `translate` can judge every word of it.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::api::{ClaimSpec, ClaimStatus, NetworkStatus, ReportStatus};
use crate::keys::{LAUNCHER_LABEL, POD_KEYS};
use crate::kind::Kind;
use crate::spec_text::SpecText;
use crate::target::Target;
use crate::texts::Texts;

#[cfg(test)]
mod tests;

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
    #[serde(deserialize_with = "null_is_default")]
    pub labels: Texts,
    #[serde(deserialize_with = "null_is_default")]
    pub annotations: Texts,
    #[serde(deserialize_with = "exact_list")]
    pub finalizers: Vec<String>,
    #[serde(deserialize_with = "exact_list")]
    pub owner_references: Vec<OwnerReference>,
    /// Set while the object is being deleted.
    pub deletion_timestamp: Option<String>,
    #[serde(deserialize_with = "null_is_default")]
    pub creation_timestamp: String,
    /// Empty in a manifest.
    #[serde(deserialize_with = "null_is_default")]
    pub resource_version: String,
    /// Counts changes of the spec.
    #[serde(deserialize_with = "null_is_default")]
    pub generation: i64,
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
    pub spec: SpecText,
    #[serde(deserialize_with = "unfit_is_default")]
    pub status: NetworkStatus,
}

/// A CUDN.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ClusterUserDefinedNetwork {
    #[serde(deserialize_with = "null_is_default")]
    pub metadata: Metadata,
    pub spec: SpecText,
    #[serde(deserialize_with = "unfit_is_default")]
    pub status: NetworkStatus,
}

/// A NAD.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Nad {
    #[serde(deserialize_with = "null_is_default")]
    pub metadata: Metadata,
    #[serde(deserialize_with = "null_is_default")]
    pub spec: NadSpec,
}

/// What a NAD says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct NadSpec {
    /// CNI configuration as JSON text.
    #[serde(deserialize_with = "null_is_default")]
    pub config: String,
}

/// What a node says of its networks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct NodeNetworkReport {
    #[serde(deserialize_with = "null_is_default")]
    pub metadata: Metadata,
    #[serde(deserialize_with = "unfit_is_default")]
    pub status: ReportStatus,
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

/// An IPAMClaim.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct IpamClaim {
    #[serde(deserialize_with = "null_is_default")]
    pub metadata: Metadata,
    #[serde(deserialize_with = "unfit_is_default")]
    pub spec: ClaimSpec,
    #[serde(deserialize_with = "claim_status")]
    pub status: ClaimStatus,
}

/// A virtual machine that runs: KubeVirt's VirtualMachineInstance, of which only the owner matters.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Machine {
    #[serde(deserialize_with = "null_is_default")]
    pub metadata: Metadata,
}

/// How a pod fares.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct PodStatus {
    /// Whether the phase says that the pod has ended.
    #[serde(rename = "phase", deserialize_with = "is_ended")]
    pub has_ended: bool,
    /// Whether a container runs, as the containers' statuses say.
    #[serde(rename = "containerStatuses", deserialize_with = "any_runs")]
    pub container_runs: bool,
    #[serde(rename = "initContainerStatuses", deserialize_with = "any_runs")]
    pub init_container_runs: bool,
    #[serde(rename = "ephemeralContainerStatuses", deserialize_with = "any_runs")]
    pub ephemeral_container_runs: bool,
}

impl Metadata {
    /// Which state of the object this is; states of one server are in order.
    // compat: KEP-5504, resource versions are decimal numbers that can be compared
    pub fn version(&self) -> u64 {
        self.resource_version.parse().unwrap_or(0)
    }

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
    /// Whether the pod has ended and nothing of it runs any more; its addresses are free again.
    pub fn is_completed(&self) -> bool {
        let PodStatus { has_ended, container_runs, init_container_runs, ephemeral_container_runs } =
            &self.status;
        let runs = *container_runs || *init_container_runs || *ephemeral_container_runs;
        *has_ended && !runs
    }

    /// Whether the pod takes part in networks at all.
    pub fn is_on_networks(&self) -> bool {
        !self.is_completed() && !self.spec.host_network
    }

    /// The same pod without the labels, annotations, finalizers and owners that nobody here reads.
    #[must_use]
    pub fn trimmed(mut self) -> Self {
        let Metadata { labels, annotations, finalizers, owner_references, .. } = &mut self.metadata;
        owner_references.retain(|it| it.controller);
        owner_references.shrink_to_fit();
        let first = annotations.keys().next().map(str::to_owned);
        labels.retain(|key, _| is_read(key));
        annotations.retain(|key, _| is_read(key));
        // Who adds an annotation must know whether there are any.
        if annotations.is_empty() {
            annotations.extend(first.map(|key| (key, String::new())));
        }
        *finalizers = Vec::new();
        self
    }
}

/// Whether anybody here reads a pod's label or annotation of this name.
pub fn is_read(key: &str) -> bool {
    POD_KEYS.contains(&key) || key.starts_with(LAUNCHER_LABEL)
}

/// An object of any kind that a world holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnyObject {
    Namespace(Namespace),
    Node(Node),
    UserDefinedNetwork(UserDefinedNetwork),
    ClusterUserDefinedNetwork(ClusterUserDefinedNetwork),
    Nad(Nad),
    Service(Service),
    Pod(Pod),
    Report(NodeNetworkReport),
    Claim(IpamClaim),
    Machine(Machine),
}

impl AnyObject {
    /// Reads an object of a known kind, as a server sends it; of pods, of which there are many,
    /// only what somebody looks at.
    pub fn decode(kind: Kind, json: &str) -> serde_json::Result<Self> {
        use serde_json::from_str;
        Ok(match kind {
            Kind::Namespace => Self::Namespace(from_str(json)?),
            Kind::Node => Self::Node(from_str(json)?),
            Kind::UserDefinedNetwork => Self::UserDefinedNetwork(from_str(json)?),
            Kind::ClusterUserDefinedNetwork => Self::ClusterUserDefinedNetwork(from_str(json)?),
            Kind::Nad => Self::Nad(from_str(json)?),
            Kind::Service => Self::Service(from_str(json)?),
            Kind::Pod => Self::Pod(from_str::<Pod>(json)?.trimmed()),
            Kind::Report => Self::Report(from_str(json)?),
            Kind::Claim => Self::Claim(from_str(json)?),
            Kind::Machine => Self::Machine(from_str(json)?),
        })
    }

    /// What it is, and its name.
    pub fn target(&self) -> Target {
        let Metadata { name, namespace, .. } = self.metadata();
        let (namespace, name) = (namespace.clone(), name.clone());
        Target { kind: self.kind(), namespace, name }
    }

    pub fn kind(&self) -> Kind {
        match self {
            Self::Namespace(_) => Kind::Namespace,
            Self::Node(_) => Kind::Node,
            Self::UserDefinedNetwork(_) => Kind::UserDefinedNetwork,
            Self::ClusterUserDefinedNetwork(_) => Kind::ClusterUserDefinedNetwork,
            Self::Nad(_) => Kind::Nad,
            Self::Service(_) => Kind::Service,
            Self::Pod(_) => Kind::Pod,
            Self::Report(_) => Kind::Report,
            Self::Claim(_) => Kind::Claim,
            Self::Machine(_) => Kind::Machine,
        }
    }

    pub fn metadata(&self) -> &Metadata {
        match self {
            Self::Namespace(it) => &it.metadata,
            Self::Node(it) => &it.metadata,
            Self::UserDefinedNetwork(it) => &it.metadata,
            Self::ClusterUserDefinedNetwork(it) => &it.metadata,
            Self::Nad(it) => &it.metadata,
            Self::Service(it) => &it.metadata,
            Self::Pod(it) => &it.metadata,
            Self::Report(it) => &it.metadata,
            Self::Claim(it) => &it.metadata,
            Self::Machine(it) => &it.metadata,
        }
    }

    pub fn metadata_mut(&mut self) -> &mut Metadata {
        match self {
            Self::Namespace(it) => &mut it.metadata,
            Self::Node(it) => &mut it.metadata,
            Self::UserDefinedNetwork(it) => &mut it.metadata,
            Self::ClusterUserDefinedNetwork(it) => &mut it.metadata,
            Self::Nad(it) => &mut it.metadata,
            Self::Service(it) => &mut it.metadata,
            Self::Pod(it) => &mut it.metadata,
            Self::Report(it) => &mut it.metadata,
            Self::Claim(it) => &mut it.metadata,
            Self::Machine(it) => &mut it.metadata,
        }
    }
}

/// Reads what is not of the type as the default: a status is written by programs, not by people.
fn unfit_is_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + serde::de::DeserializeOwned,
{
    let value = Value::deserialize(deserializer)?;
    Ok(serde_json::from_value(value).unwrap_or_default())
}

/// Reads the status of a claim: its addresses count even where a condition makes no sense.
fn claim_status<'de, D>(deserializer: D) -> Result<ClaimStatus, D::Error>
where
    D: Deserializer<'de>,
{
    let value = Value::deserialize(deserializer)?;
    let field = |name: &str| value.get(name).cloned().unwrap_or_default();
    let parts = || ClaimStatus {
        ips: serde_json::from_value(field("ips")).unwrap_or_default(),
        owner_pod: serde_json::from_value(field("ownerPod")).unwrap_or_default(),
        conditions: None,
    };
    Ok(serde_json::from_value(value.clone()).unwrap_or_else(|_| parts()))
}

/// Reads `null` as the default, as Go does.
fn null_is_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Option::<T>::deserialize(deserializer).map(Option::unwrap_or_default)
}

/// Reads a list without spare capacity: one that is read grows by fours, and objects are many.
fn exact_list<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    let mut list: Vec<T> = null_is_default(deserializer)?;
    list.shrink_to_fit();
    Ok(list)
}

/// Reads a pod's phase, of which only matters whether it is one of the last.
fn is_ended<'de, D>(deserializer: D) -> Result<bool, D::Error>
where
    D: Deserializer<'de>,
{
    let phase = Option::<Cow<'de, str>>::deserialize(deserializer)?;
    Ok(matches!(phase.as_deref(), Some("Succeeded" | "Failed")))
}

/// Reads statuses of containers, of which only matters whether one runs: there are many pods.
fn any_runs<'de, D>(deserializer: D) -> Result<bool, D::Error>
where
    D: Deserializer<'de>,
{
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Status {
        #[serde(deserialize_with = "null_is_default")]
        state: State,
    }
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct State {
        running: Option<serde::de::IgnoredAny>,
    }
    let statuses = Option::<Vec<Status>>::deserialize(deserializer)?;
    Ok(statuses.into_iter().flatten().any(|status| status.state.running.is_some()))
}
