//! A network of the provider.
//!
//! Invariant: a choice that is not known is kept as it was written.

use serde::{Deserialize, Serialize};

use super::choice::choice;
use super::layer2::{Ipam, Role};

/// A physical network of the nodes, with or without a VLAN.
// compat: pkg/crd/userdefinednetwork/v1/shared.go, LocalnetConfig
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Localnet {
    /// `Secondary` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub physical_network_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mtu: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vlan: Option<VlanSpec>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subnets: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exclude_subnets: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ipam: Option<Ipam>,
}

/// Which VLAN of the physical network.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct VlanSpec {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<VlanMode>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access: Option<AccessVlan>,
}

/// One VLAN.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct AccessVlan {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<i32>,
}

choice! {
    /// How the VLAN is used.
    VlanMode { Access = "Access" }
}
