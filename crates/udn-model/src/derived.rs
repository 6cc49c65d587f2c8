//! Addresses that are computed from granted numbers and never stored.
//!
//! Invariant: every process computes the same address from the same numbers.

use std::net::IpAddr;

use crate::address::{InterfaceAddress, Subnet};
use crate::numbers::{NetworkId, NodeId};

#[cfg(test)]
mod tests;

/// The two ends of the link between the transit router and a node's gateway router.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TransitPair {
    pub transit_router: InterfaceAddress,
    pub gateway_router: InterfaceAddress,
}

/// The addresses that every masquerade subnet has, whatever the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FixedMasquerade {
    pub host: IpAddr,
    pub next_hop: IpAddr,
    /// The source of packets that a service leads back to where they come from.
    pub hairpin: IpAddr,
}

/// The masquerade addresses of one network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NetworkMasquerade {
    pub gateway_router: IpAddr,
    pub management: IpAddr,
}

/// The address of a node's gateway router in the join subnet.
pub fn join_address(join: Subnet, node: NodeId) -> Option<InterfaceAddress> {
    join.interface_address(node.get().into())
}

/// A node's pair of transit addresses: the /31 or /127 at twice the node's id.
// compat: pkg/ovn/transit_router.go
pub fn transit_pair(transit: Subnet, node: NodeId) -> Option<TransitPair> {
    let offset = 2 * u128::from(node.get());
    let length = transit.family().longest_prefix() - 1;
    let end = |offset| {
        let ip = transit.address(offset)?;
        InterfaceAddress::new(ip, length).ok()
    };
    Some(TransitPair { transit_router: end(offset)?, gateway_router: end(offset + 1)? })
}

// compat: pkg/config/config.go, the masquerade addresses by offset
pub fn fixed_masquerade(masquerade: Subnet) -> Option<FixedMasquerade> {
    let at = |offset| masquerade.address(offset);
    Some(FixedMasquerade { host: at(2)?, next_hop: at(4)?, hairpin: at(5)? })
}

// compat: pkg/generator/udn/masquerade_ips.go
pub fn network_masquerade(masquerade: Subnet, network: NetworkId) -> Option<NetworkMasquerade> {
    let offset = 10 + 2 * u128::from(network.get());
    Some(NetworkMasquerade {
        gateway_router: masquerade.address(offset - 1)?,
        management: masquerade.address(offset)?,
    })
}
