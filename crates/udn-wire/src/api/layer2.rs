//! A layer-2 network, and how addresses are given out on it.
//!
//! Invariant: a choice that is not known is kept as it was written.

use serde::{Deserialize, Serialize};

use super::choice::choice;

/// One network that all nodes share.
// compat: pkg/crd/userdefinednetwork/v1/shared.go, Layer2Config
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Layer2 {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mtu: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subnets: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reserved_subnets: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub infrastructure_subnets: Option<Vec<String>>,
    #[serde(rename = "defaultGatewayIPs", skip_serializing_if = "Option::is_none")]
    pub default_gateway_ips: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub join_subnets: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ipam: Option<Ipam>,
}

/// How addresses are given out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Ipam {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<IpamMode>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lifecycle: Option<Lifecycle>,
}

choice! {
    /// What a network is to a pod.
    Role { Primary = "Primary", Secondary = "Secondary" }
}

choice! {
    /// Whether workloads get addresses.
    IpamMode { Enabled = "Enabled", Disabled = "Disabled" }
}

choice! {
    /// How long addresses live, if not as long as the pod.
    Lifecycle { Persistent = "Persistent" }
}
