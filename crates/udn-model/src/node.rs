//! A node, as far as it has told about itself.
//!
//! Invariant: what a node has not told is `None`, never a guess.

use std::net::IpAddr;

use serde::Serialize;

use crate::address::{Family, InterfaceAddress, MacAddress};
use crate::names::{ChassisName, NodeName};
use crate::numbers::Vlan;

/// One node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Node {
    pub name: NodeName,
    pub chassis: Option<ChassisName>,
    pub gateway: Option<Gateway>,
    /// All addresses of the host itself.
    pub addresses: Vec<InterfaceAddress>,
    /// Where tunnels to this node end.
    pub tunnel_addresses: Vec<IpAddr>,
    /// Whether its layer-2 networks are built with a transit router.
    pub uses_transit_router: bool,
}

/// A node's way out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Gateway {
    /// The external bridge.
    pub bridge: String,
    pub mac: MacAddress,
    /// The node's own addresses on the bridge, in the order it told them.
    pub addresses: Vec<InterfaceAddress>,
    pub next_hops: Vec<IpAddr>,
    /// The tag of frames that leave, if the network outside wants one.
    pub vlan: Option<Vlan>,
    /// Whether services are reachable on the node's ports.
    pub serves_node_ports: bool,
}

impl Gateway {
    /// The node's first address of a family.
    pub fn address(&self, family: Family) -> Option<InterfaceAddress> {
        self.addresses.iter().copied().find(|it| Family::of(it.addr()) == family)
    }
}

/// Where traffic for outside leaves the network.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum GatewayMode {
    /// Through the gateway router, straight onto the external bridge.
    #[default]
    Shared,
    /// Through the management port and the host's routing.
    Local,
}
