//! The numbers that were given out, and what was published of them.
//!
//! Invariant: a published number never changes while its holder lives.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::address::{InterfaceAddress, MacAddress, PerFamily, Subnet};
use crate::claim::{ClaimGrant, PublishedClaim};
use crate::names::{AttachmentKey, NetworkName, NodeName, ObjectName};
use crate::numbers::{NetworkId, NodeId, PortKey, TunnelKey};

/// The subnets of nodes in layer-3 networks.
pub type NodeSubnetsByNetwork = BTreeMap<NetworkName, BTreeMap<NodeName, PerFamily<Subnet>>>;

/// All numbers in force.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Grants {
    pub networks: BTreeMap<NetworkName, NetworkGrant>,
    pub nodes: BTreeMap<NodeName, NodeId>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub node_subnets: NodeSubnetsByNetwork,
    pub attachments: BTreeMap<NetworkName, BTreeMap<AttachmentKey, AttachmentGrant>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub claims: BTreeMap<ObjectName, ClaimGrant>,
}

/// What one network holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NetworkGrant {
    pub id: NetworkId,
    /// For a primary layer-2 network the switch's and the transit router's; otherwise none.
    pub tunnel_keys: Vec<TunnelKey>,
    /// Between the transit router and the gateway routers; one per family of the network.
    pub transit: PerFamily<Subnet>,
}

/// What one attachment holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AttachmentGrant {
    /// One per subnet of the network, in its order; none without IPAM.
    pub addresses: Vec<InterfaceAddress>,
    pub mac: MacAddress,
    /// The port's key; only on layer-2 networks.
    pub port_key: Option<PortKey>,
}

/// What is durable already.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Published {
    pub networks: BTreeMap<NetworkName, PublishedNetwork>,
    pub nodes: BTreeMap<NodeName, NodeId>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub node_subnets: NodeSubnetsByNetwork,
    pub attachments: BTreeMap<NetworkName, BTreeMap<AttachmentKey, AttachmentGrant>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub claims: BTreeMap<ObjectName, PublishedClaim>,
}

/// What is durable of one network's numbers; a crash may have left some of them out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct PublishedNetwork {
    pub id: Option<NetworkId>,
    pub tunnel_keys: Option<Vec<TunnelKey>>,
    pub transit: PerFamily<Subnet>,
}

impl Grants {
    /// The subnets of a node in a layer-3 network.
    pub fn node_subnets(
        &self,
        network: &NetworkName,
        node: &NodeName,
    ) -> Option<&PerFamily<Subnet>> {
        self.node_subnets.get(network)?.get(node)
    }

    pub fn attachment(
        &self,
        network: &NetworkName,
        key: &AttachmentKey,
    ) -> Option<&AttachmentGrant> {
        self.attachments.get(network)?.get(key)
    }
}
