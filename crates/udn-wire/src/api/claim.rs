//! IPAMClaims: addresses that outlive a pod.
//!
//! Invariant: an address that was claimed is written as its pod carries it, with a prefix length.

use serde::{Deserialize, Serialize};

use super::status::Condition;

/// The `spec` of an IPAMClaim.
// compat: k8snetworkplumbingwg/ipamclaims, pkg/crd/ipamclaims/v1alpha1/types.go
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ClaimSpec {
    /// The network's name, as NADs carry it.
    pub network: String,
    /// The name of the interface in the pod; KubeVirt leaves it empty.
    pub interface: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ip_request: Option<Vec<String>>,
}

/// The `status` of an IPAMClaim.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ClaimStatus {
    /// Addresses with the prefix length of their subnets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ips: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner_pod: Option<OwnerPod>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conditions: Option<Vec<Condition>>,
}

/// The pod that uses a claim.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct OwnerPod {
    pub name: String,
}
