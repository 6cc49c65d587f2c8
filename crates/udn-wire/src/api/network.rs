//! What UDNs and CUDNs ask for.
//!
//! Invariant: a UDN has no field that only a CUDN has.

use serde::{Deserialize, Serialize};

use super::choice::choice;
use super::layer2::Layer2;
use super::layer3::Layer3;
use super::localnet::Localnet;
use super::selector::LabelSelector;

/// The `spec` of a UDN.
// compat: pkg/crd/userdefinednetwork/v1/udn.go
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct UserDefinedNetworkSpec {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topology: Option<Topology>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer2: Option<Layer2>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer3: Option<Layer3>,
}

/// The `spec` of a CUDN.
// compat: pkg/crd/userdefinednetwork/v1/cudn.go
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ClusterUserDefinedNetworkSpec {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace_selector: Option<LabelSelector>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<NetworkSpec>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uplinks: Option<Vec<String>>,
}

/// The network that a CUDN asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct NetworkSpec {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topology: Option<Topology>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer2: Option<Layer2>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer3: Option<Layer3>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub localnet: Option<Localnet>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transport: Option<Transport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_overlay: Option<NoOverlay>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evpn: Option<Evpn>,
}

choice! {
    /// How a network is built.
    Topology {
        Layer2 = "Layer2",
        Layer3 = "Layer3",
        /// CUDNs only.
        Localnet = "Localnet",
    }
}

choice! {
    /// How packets travel between nodes, if not in Geneve.
    Transport { NoOverlay = "NoOverlay", Evpn = "EVPN" }
}

/// What goes with transport `NoOverlay`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct NoOverlay {
    #[serde(rename = "outboundSNAT", skip_serializing_if = "Option::is_none")]
    pub outbound_snat: Option<OutboundSnat>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub routing: Option<Routing>,
}

choice! {
    /// Whether workloads leave with a node's address.
    OutboundSnat { Enabled = "Enabled", Disabled = "Disabled" }
}

choice! {
    /// Who tells the routers where the subnets are.
    Routing { Managed = "Managed", Unmanaged = "Unmanaged" }
}

/// What goes with transport `EVPN`.
// compat: pkg/crd/userdefinednetwork/v1/evpn.go
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Evpn {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vtep: Option<String>,
    #[serde(rename = "macVRF", skip_serializing_if = "Option::is_none")]
    pub mac_vrf: Option<Vrf>,
    #[serde(rename = "ipVRF", skip_serializing_if = "Option::is_none")]
    pub ip_vrf: Option<Vrf>,
}

/// A network as BGP knows it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Vrf {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vni: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub route_target: Option<String>,
}
