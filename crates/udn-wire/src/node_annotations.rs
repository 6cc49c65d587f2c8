//! What stands on a node: its number, and what the node told about itself.
//!
//! Reads and writes single annotations of a Node.
//! Invariant: each is read by itself; one that is bad hides no other.

use std::collections::BTreeSet;
use std::net::IpAddr;

use serde::{Deserialize, Serialize};
use udn_model::{ChassisName, Family, InterfaceAddress, NodeId, PerFamily, Subnet};

use crate::addresses::{parse_address, parse_interface_address};
use crate::go_json;
use crate::keys::{
    NODE_CHASSIS, NODE_ENCAP_IPS, NODE_HOST_CIDRS, NODE_ID, NODE_LAYER2_VERSION,
    NODE_PRIMARY_ADDRESS,
};
use crate::refusal::Unreadable;

mod gateway;
#[cfg(test)]
mod tests;

pub use gateway::GatewayConfig;

/// The layer-2 topology with a transit router.
// compat: pkg/types/const.go, Layer2TopologyVersion
pub const TRANSIT_ROUTER_VERSION: &str = "2.0";

pub fn decode_id(text: &str) -> Result<NodeId, Unreadable> {
    let id = text.parse().ok().and_then(NodeId::new);
    id.ok_or_else(|| {
        let text = text.escape_default();
        let remedy = "remove the annotation and the cluster controller writes it again";
        Unreadable::new(NODE_ID, format!("\"{text}\" is not a number from 2 to 4999; {remedy}"))
    })
}

pub fn encode_id(id: NodeId) -> String {
    id.to_string()
}

/// Any text that is not empty: OVN takes any for a chassis.
pub fn decode_chassis(text: &str) -> Result<ChassisName, Unreadable> {
    if text.is_empty() {
        return Err(told_badly(NODE_CHASSIS, "is empty".to_owned()));
    }
    Ok(ChassisName::new(text))
}

pub fn encode_chassis(chassis: &ChassisName) -> String {
    chassis.to_string()
}

/// The addresses of the host itself.
pub fn decode_host_cidrs(text: &str) -> Result<Vec<InterfaceAddress>, Unreadable> {
    decode_list(NODE_HOST_CIDRS, text, parse_interface_address)
}

/// Sorted as texts, as the wire has it.
pub fn encode_host_cidrs(addresses: &[InterfaceAddress]) -> String {
    let sorted: BTreeSet<String> = addresses.iter().map(ToString::to_string).collect();
    go_json::to_text(&sorted)
}

/// Where tunnels to the node end.
pub fn decode_encap_ips(text: &str) -> Result<Vec<IpAddr>, Unreadable> {
    decode_list(NODE_ENCAP_IPS, text, parse_address)
}

pub fn encode_encap_ips(addresses: &[IpAddr]) -> String {
    go_json::to_text(&addresses)
}

/// The node's address on its external bridge, for each family.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct PrimaryAddress {
    #[serde(skip_serializing_if = "Option::is_none")]
    ipv4: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ipv6: Option<String>,
}

pub fn decode_primary_address(text: &str) -> Result<PerFamily<InterfaceAddress>, Unreadable> {
    let refuse = |what| told_badly(NODE_PRIMARY_ADDRESS, what);
    let told: PrimaryAddress =
        serde_json::from_str(text).map_err(|error| refuse(error.to_string()))?;
    let mut addresses = PerFamily::default();
    for (family, text) in [(Family::V4, told.ipv4), (Family::V6, told.ipv6)] {
        let Some(text) = text.filter(|text| !text.is_empty()) else { continue };
        let address = parse_interface_address(&text).map_err(refuse)?;
        if Family::of(address.addr()) != family {
            return Err(refuse(format!("{address} is not {family}")));
        }
        addresses.put(family, address);
    }
    Ok(addresses)
}

pub fn encode_primary_address(addresses: &PerFamily<InterfaceAddress>) -> String {
    let text = |address: Option<InterfaceAddress>| address.map(|it| it.to_string());
    go_json::to_text(&PrimaryAddress { ipv4: text(addresses.v4), ipv6: text(addresses.v6) })
}

/// The subnets of which the node uses addresses towards itself.
pub fn encode_masquerade_subnets(subnets: &PerFamily<Subnet>) -> String {
    let text = |subnet: Option<Subnet>| subnet.map(|it| it.to_string());
    go_json::to_text(&PrimaryAddress { ipv4: text(subnets.v4), ipv6: text(subnets.v6) })
}

/// Whether the node builds layer-2 networks with a transit router.
pub fn decode_layer2_version(text: &str) -> Result<bool, Unreadable> {
    match text {
        TRANSIT_ROUTER_VERSION => Ok(true),
        "" | "1.0" => Ok(false),
        other => {
            let message = format!("version \"{}\" is not known", other.escape_default());
            Err(told_badly(NODE_LAYER2_VERSION, message))
        }
    }
}

fn decode_list<T>(
    key: &'static str,
    text: &str,
    parse: fn(&str) -> Result<T, String>,
) -> Result<Vec<T>, Unreadable> {
    let texts: Vec<String> =
        serde_json::from_str(text).map_err(|error| told_badly(key, error.to_string()))?;
    let things = texts.iter().map(|text| parse(text));
    things.collect::<Result<_, _>>().map_err(|problem| told_badly(key, problem))
}

fn told_badly(key: &'static str, what: String) -> Unreadable {
    let remedy = "remove the annotation and the node writes it again";
    Unreadable::new(key, format!("{what}; {remedy}"))
}
