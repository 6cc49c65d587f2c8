//! NodeNetworkReports: what a node says of its networks.
//!
//! Invariant: a report does not grow with networks that are in order.

use serde::{Deserialize, Serialize};

/// The `status` of a NodeNetworkReport.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ReportStatus {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub physical_networks: Option<Vec<PhysicalNetwork>>,
    /// Those that the node's bridge mappings name, and that it cannot use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unusable_physical_networks: Option<Vec<UnusablePhysicalNetwork>>,
    /// The resourceVersion of NADs up to which everything is programmed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub programmed_up_to: Option<String>,
    /// The first of the networks that are not, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_programmed: Option<Vec<NotProgrammed>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_programmed_count: Option<i32>,
}

/// A physical network that the node has.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PhysicalNetwork {
    /// The key in the node's bridge mappings.
    pub name: String,
    pub bridge: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mtu: Option<i32>,
    /// What the uplink lets through, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vlans: Option<Vec<VlanRange>>,
}

/// A physical network that the node cannot use.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct UnusablePhysicalNetwork {
    /// The key in the node's bridge mappings.
    pub name: String,
    pub reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// VLANs from first to last.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct VlanRange {
    pub first: i32,
    pub last: i32,
}

/// A network that is not programmed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NotProgrammed {
    pub network: String,
    pub reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}
