//! The annotations that a node writes about itself.
//!
//! Invariant: it shares no key with the cluster controller.

use std::collections::BTreeMap;
use std::net::IpAddr;

use udn_model::{ChassisName, Family, Gateway, GatewayMode, InterfaceAddress, NodeName, PerFamily};
use udn_wire::keys::{
    NODE_CHASSIS, NODE_ENCAP_IPS, NODE_GATEWAY, NODE_HOST_CIDRS, NODE_LAYER2_VERSION,
    NODE_PRIMARY_ADDRESS,
};
use udn_wire::node_annotations::{
    GatewayConfig, TRANSIT_ROUTER_VERSION, encode_chassis, encode_encap_ips, encode_host_cidrs,
    encode_primary_address,
};

#[cfg(test)]
mod tests;

/// What a node tells about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeReport {
    pub node: NodeName,
    pub chassis: ChassisName,
    /// Absent on a node without an external bridge.
    pub gateway: Option<Gateway>,
    pub gateway_mode: GatewayMode,
    /// All addresses of the host itself.
    pub addresses: Vec<InterfaceAddress>,
    /// Where tunnels to this node end.
    pub tunnel_addresses: Vec<IpAddr>,
}

/// The annotations that a node writes about itself.
pub fn node_report(report: &NodeReport) -> BTreeMap<String, String> {
    let NodeReport { node, chassis, gateway, gateway_mode, addresses, tunnel_addresses } = report;
    let told = gateway.as_ref().map(|gateway| {
        GatewayConfig { mode: *gateway_mode, gateway: gateway.clone() }.encode(node)
    });
    let texts = [
        (NODE_CHASSIS, encode_chassis(chassis)),
        (NODE_GATEWAY, told.unwrap_or_else(GatewayConfig::encode_none)),
        (NODE_HOST_CIDRS, encode_host_cidrs(addresses)),
        (NODE_PRIMARY_ADDRESS, encode_primary_address(&primary(gateway.as_ref()))),
        (NODE_ENCAP_IPS, encode_encap_ips(tunnel_addresses)),
        (NODE_LAYER2_VERSION, TRANSIT_ROUTER_VERSION.to_owned()),
    ];
    texts.into_iter().map(|(key, text)| (key.to_owned(), text)).collect()
}

fn primary(gateway: Option<&Gateway>) -> PerFamily<InterfaceAddress> {
    let of = |family| gateway.and_then(|gateway| gateway.address(family));
    PerFamily { v4: of(Family::V4), v6: of(Family::V6) }
}
