//! A node's way out, as the node tells it: `k8s.ovn.org/l3-gateway-config`.
//!
//! Invariant: a gateway that is switched off is `None`, whatever else the text says.

use std::net::IpAddr;

use serde::{Deserialize, Serialize};
use udn_model::{Gateway, GatewayMode, InterfaceAddress, NodeName, Vlan};

use super::told_badly;
use crate::addresses::{parse_address, parse_interface_address};
use crate::go_json;
use crate::keys::NODE_GATEWAY;
use crate::refusal::Unreadable;

/// A gateway and how it is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GatewayConfig {
    pub mode: GatewayMode,
    pub gateway: Gateway,
}

#[derive(Debug, Serialize, Deserialize)]
struct Networks {
    default: Entry,
}

/// The entry in the order of the wire.
// compat: pkg/util/node_annotations.go, l3GatewayConfigJSON
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
struct Entry {
    mode: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    bridge_id: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    interface_id: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    mac_address: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    ip_addresses: Option<Vec<String>>,
    #[serde(skip_serializing_if = "String::is_empty")]
    ip_address: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_hops: Option<Vec<String>>,
    #[serde(skip_serializing_if = "String::is_empty")]
    next_hop: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    node_port_enable: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    vlan_id: String,
}

impl GatewayConfig {
    /// Reads the annotation; `None` when the gateway is switched off.
    pub fn decode(text: &str) -> Result<Option<Self>, Unreadable> {
        let refuse = |what| told_badly(NODE_GATEWAY, what);
        let networks: Networks =
            serde_json::from_str(text).map_err(|error| refuse(error.to_string()))?;
        networks.default.read().map_err(refuse)
    }

    /// The text for a node without a gateway.
    pub fn encode_none() -> String {
        go_json::to_text(&Networks { default: Entry::default() })
    }

    /// The text for a node.
    pub fn encode(&self, node: &NodeName) -> String {
        let Gateway { bridge, mac, addresses, next_hops, vlan, serves_node_ports } = &self.gateway;
        let addresses: Vec<String> = addresses.iter().map(InterfaceAddress::to_string).collect();
        let next_hops: Vec<String> = next_hops.iter().map(IpAddr::to_string).collect();
        let default = Entry {
            mode: mode_text(self.mode).to_owned(),
            bridge_id: bridge.clone(),
            interface_id: format!("{bridge}_{node}"),
            mac_address: mac.to_string(),
            ip_address: only(&addresses),
            ip_addresses: Some(addresses).filter(|list| !list.is_empty()),
            next_hop: only(&next_hops),
            next_hops: Some(next_hops).filter(|list| !list.is_empty()),
            node_port_enable: serves_node_ports.to_string(),
            vlan_id: vlan.map_or(0, Vlan::get).to_string(),
        };
        go_json::to_text(&Networks { default })
    }
}

impl Entry {
    fn read(self) -> Result<Option<GatewayConfig>, String> {
        let Some(mode) = parse_mode(&self.mode)? else { return Ok(None) };
        let addresses = listed(self.ip_addresses, self.ip_address);
        let next_hops = listed(self.next_hops, self.next_hop);
        let gateway = Gateway {
            bridge: self.bridge_id,
            mac: self
                .mac_address
                .parse()
                .map_err(|not_a_mac| format!("mac-address: {not_a_mac}"))?,
            addresses: read_all(&addresses, parse_interface_address)?,
            next_hops: read_all(&next_hops, parse_address)?,
            vlan: parse_vlan(&self.vlan_id)?,
            serves_node_ports: self.node_port_enable == "true",
        };
        Ok(Some(GatewayConfig { mode, gateway }))
    }
}

fn read_all<T>(texts: &[String], parse: fn(&str) -> Result<T, String>) -> Result<Vec<T>, String> {
    texts.iter().map(|text| parse(text)).collect()
}

/// The list, which may stand as a single text instead.
fn listed(many: Option<Vec<String>>, one: String) -> Vec<String> {
    let many = many.unwrap_or_default();
    if many.is_empty() && !one.is_empty() { vec![one] } else { many }
}

/// The single thing of a list of one.
fn only(list: &[String]) -> String {
    if let [one] = list { one.clone() } else { String::new() }
}

fn mode_text(mode: GatewayMode) -> &'static str {
    match mode {
        GatewayMode::Shared => "shared",
        GatewayMode::Local => "local",
    }
}

fn parse_mode(text: &str) -> Result<Option<GatewayMode>, String> {
    match text {
        "" => Ok(None),
        "shared" => Ok(Some(GatewayMode::Shared)),
        "local" => Ok(Some(GatewayMode::Local)),
        other => Err(format!("mode \"{}\" is not known", other.escape_default())),
    }
}

fn parse_vlan(text: &str) -> Result<Option<Vlan>, String> {
    if matches!(text, "" | "0") {
        return Ok(None);
    }
    let vlan = text.parse().ok().and_then(Vlan::new);
    let refusal = || format!("vlan-id \"{}\" is not within 1 to 4094", text.escape_default());
    vlan.map(Some).ok_or_else(refusal)
}
