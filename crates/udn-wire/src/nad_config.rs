//! The `spec.config` of a NAD: a network in CNI's words.
//!
//! Reads JSON text; returns a [`NetConf`], and from it a network. Writes the same text as the
//! other project for the same network.
//! Invariant: keys that we do not know are ignored, as the wire does.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::go_json;
use crate::keys::{CNI_TYPE, CNI_VERSION};
use crate::refusal::Refusal;

mod layer3;
mod network;
#[cfg(test)]
mod tests;

pub use network::ReadNetwork;

/// What a NAD is to us.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NadConfig {
    /// Another plugin's.
    Foreign,
    /// Another name for the default network.
    DefaultNetwork,
    Network(Box<NetConf>),
}

/// The configuration of a network in the wire's own words, not judged yet.
///
/// An empty text, zero and `false` mean that the key is absent.
// The fields stand in the lexical order of their keys, which is the order on the wire.
// compat: pkg/cni/types/types.go, NetConf
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NetConf {
    #[serde(rename = "allowPersistentIPs", skip_serializing_if = "is_absent")]
    pub allow_persistent_ips: bool,
    #[serde(skip_serializing_if = "is_absent")]
    pub cni_version: String,
    #[serde(rename = "defaultGatewayIPs", skip_serializing_if = "is_absent")]
    pub default_gateway_ips: String,
    #[serde(skip_serializing_if = "is_absent")]
    pub evpn: Option<EvpnConf>,
    #[serde(skip_serializing_if = "is_absent")]
    pub exclude_subnets: String,
    #[serde(skip_serializing_if = "is_absent")]
    pub infrastructure_subnets: String,
    #[serde(skip_serializing_if = "is_absent")]
    pub join_subnet: String,
    #[serde(skip_serializing_if = "is_absent")]
    pub mtu: i64,
    #[serde(skip_serializing_if = "is_absent")]
    pub name: String,
    #[serde(skip_serializing_if = "is_absent")]
    pub net_attach_def_name: String,
    #[serde(rename = "outboundSNAT", skip_serializing_if = "is_absent")]
    pub outbound_snat: String,
    #[serde(skip_serializing_if = "is_absent")]
    pub physical_network_name: String,
    #[serde(skip_serializing_if = "is_absent")]
    pub reserved_subnets: String,
    #[serde(skip_serializing_if = "is_absent")]
    pub role: String,
    #[serde(skip_serializing_if = "is_absent")]
    pub subnets: String,
    #[serde(skip_serializing_if = "is_absent")]
    pub topology: String,
    #[serde(skip_serializing_if = "is_absent")]
    pub transit_subnet: String,
    #[serde(skip_serializing_if = "is_absent")]
    pub transport: String,
    #[serde(rename = "type", skip_serializing_if = "is_absent")]
    pub cni_type: String,
    #[serde(skip_serializing_if = "is_absent")]
    pub uplink: String,
    #[serde(rename = "vlanID", skip_serializing_if = "is_absent")]
    pub vlan_id: i64,
}

/// How BGP knows the network.
// compat: pkg/cni/types/types.go, EVPNConfig; these keys stand in the order of the fields there
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct EvpnConf {
    #[serde(skip_serializing_if = "is_absent")]
    pub vtep: String,
    #[serde(rename = "macVRF", skip_serializing_if = "is_absent")]
    pub mac_vrf: Option<VrfConf>,
    #[serde(rename = "ipVRF", skip_serializing_if = "is_absent")]
    pub ip_vrf: Option<VrfConf>,
}

/// One of its two tables.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VrfConf {
    #[serde(skip_serializing_if = "is_absent")]
    pub vni: i64,
    #[serde(skip_serializing_if = "is_absent")]
    pub route_target: String,
    /// The VLAN on the VTEP's bridge, once it is granted.
    #[serde(skip_serializing_if = "is_absent")]
    pub vid: i64,
}

impl Default for NetConf {
    /// A configuration of ours that says nothing yet.
    fn default() -> Self {
        let text = String::new;
        Self {
            allow_persistent_ips: false,
            cni_version: CNI_VERSION.to_owned(),
            default_gateway_ips: text(),
            evpn: None,
            exclude_subnets: text(),
            infrastructure_subnets: text(),
            join_subnet: text(),
            mtu: 0,
            name: text(),
            net_attach_def_name: text(),
            outbound_snat: text(),
            physical_network_name: text(),
            reserved_subnets: text(),
            role: text(),
            subnets: text(),
            topology: text(),
            transit_subnet: text(),
            transport: text(),
            cni_type: CNI_TYPE.to_owned(),
            uplink: text(),
            vlan_id: 0,
        }
    }
}

impl NadConfig {
    /// Reads the text of a NAD.
    pub fn decode(text: &str) -> Result<Self, Refusal> {
        let unreadable = |error: serde_json::Error| {
            Refusal::invalid(format!(
                "the configuration cannot be read: {error}; write it as JSON, as CNI has it"
            ))
        };
        let mut value: Value = serde_json::from_str(text).map_err(unreadable)?;
        lift_plugin(&mut value);
        drop_nulls(&mut value);
        let text = |key| value.get(key).and_then(Value::as_str).unwrap_or("");
        if text("type") != CNI_TYPE {
            return Ok(Self::Foreign);
        }
        refuse_ipam(&value)?;
        let config = NetConf::deserialize(&value).map_err(unreadable)?;
        if config.topology.is_empty() {
            return Ok(Self::DefaultNetwork);
        }
        Ok(Self::Network(Box::new(config)))
    }
}

impl NetConf {
    /// The text of a NAD.
    pub fn encode(&self) -> String {
        go_json::to_text(self)
    }
}

/// Puts the first plugin of a list in the list's place; the name stands on the list.
// compat: pkg/config/cni.go, ParseNetConf reads the first plugin only
fn lift_plugin(value: &mut Value) {
    let Some(Value::Array(plugins)) = value.get_mut("plugins") else { return };
    let Some(mut plugin) = plugins.first_mut().map(Value::take) else { return };
    for key in ["name", "cniVersion"] {
        if let (Some(inner), Some(outer)) = (plugin.as_object_mut(), value.get(key)) {
            inner.insert(key.to_owned(), outer.clone());
        }
    }
    *value = plugin;
}

/// To Go, a `null` is a key that is not there.
fn drop_nulls(value: &mut Value) {
    if let Value::Object(fields) = value {
        fields.retain(|_, field| !field.is_null());
    }
}

/// CNI's own address management is not used here; an empty object asks for none.
fn refuse_ipam(value: &Value) -> Result<(), Refusal> {
    let names_plugin = |ipam: &Value| match ipam {
        Value::Object(ipam) => ipam.get("type").is_some_and(|it| !it.is_null() && it != ""),
        _other => true,
    };
    if value.get("ipam").is_some_and(names_plugin) {
        let message = "ipam is not used here; remove the key and list `subnets` instead";
        return Err(Refusal::invalid(message));
    }
    Ok(())
}

fn is_absent<T: Default + PartialEq>(field: &T) -> bool {
    *field == T::default()
}
