//! A layer-3 network.
//!
//! Invariant: subnets stay in the order in which they were listed.

use serde::{Deserialize, Serialize};

use super::layer2::Role;

/// One network per node, with routes between them.
// compat: pkg/crd/userdefinednetwork/v1/shared.go, Layer3Config
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Layer3 {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mtu: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subnets: Option<Vec<Layer3Subnet>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub join_subnets: Option<Vec<String>>,
}

/// A subnet, and how large a part of it each node gets.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Layer3Subnet {
    pub cidr: String,
    /// The length of the prefix of a node's part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_subnet: Option<i32>,
}
