//! A network: what the user asked for, whichever manifest said it.
//!
//! Invariant: a [`Network`] was checked at the front door; every room may rely on it.

use std::net::IpAddr;

use serde::Serialize;

use crate::address::{Family, MacAddress, PerFamily, Subnet, Subnets};
use crate::names::{NetworkName, ObjectName};
use crate::numbers::{Mtu, Vlan};

mod platform;
#[cfg(test)]
mod tests;

pub use platform::PlatformAddresses;

/// One network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Network {
    pub name: NetworkName,
    pub origin: Origin,
    pub topology: Topology,
    /// Empty when the network hands out no addresses.
    pub subnets: Subnets,
    /// Ranges of the subnets that are never handed out.
    pub excluded: Vec<Subnet>,
    /// The size of packets on workloads' links; the cluster's default when absent.
    pub mtu: Option<Mtu>,
    /// Whether addresses may outlive the pod, through claims.
    pub has_persistent_addresses: bool,
    /// The NADs through which pods attach, in order.
    pub nads: Vec<ObjectName>,
}

/// Which manifest a network comes from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Origin {
    UserDefinedNetwork(ObjectName),
    ClusterUserDefinedNetwork(String),
    /// NADs that somebody wrote, or whose maker this controller does not look at.
    Nads,
}

/// How a network is built.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Topology {
    /// One switch for the whole cluster and a way out on every node: the pods' main network.
    PrimaryLayer2(PrimaryLayer2),
    /// One switch for the whole cluster, beside the pods' main network.
    SecondaryLayer2,
    /// A VLAN, or the untagged frames, of a network outside.
    Localnet(Localnet),
}

/// Whether a network is the pods' main one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    Primary,
    Secondary,
}

/// What only a primary layer-2 network has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PrimaryLayer2 {
    /// Where gateway routers have their own addresses.
    pub join: PerFamily<Subnet>,
    /// The gateway addresses that the user chose.
    pub chosen_gateways: PerFamily<IpAddr>,
    /// Ranges handed out only on request.
    pub reserved: Vec<Subnet>,
    /// Ranges for the network's own addresses, never handed out.
    pub infrastructure: Vec<Subnet>,
}

/// What only a localnet has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Localnet {
    /// The key in the nodes' bridge mappings.
    pub physical_network: String,
    pub vlan: Option<Vlan>,
}

impl Network {
    pub fn role(&self) -> Role {
        match self.topology {
            Topology::PrimaryLayer2(_) => Role::Primary,
            Topology::SecondaryLayer2 | Topology::Localnet(_) => Role::Secondary,
        }
    }

    pub fn is_primary(&self) -> bool {
        self.primary().is_some()
    }

    /// What a primary layer-2 network has; `None` for every other.
    pub fn primary(&self) -> Option<&PrimaryLayer2> {
        match &self.topology {
            Topology::PrimaryLayer2(primary) => Some(primary),
            Topology::SecondaryLayer2 | Topology::Localnet(_) => None,
        }
    }

    pub fn localnet(&self) -> Option<&Localnet> {
        match &self.topology {
            Topology::Localnet(localnet) => Some(localnet),
            Topology::PrimaryLayer2(_) | Topology::SecondaryLayer2 => None,
        }
    }

    /// Whether the network hands out addresses.
    pub fn has_ipam(&self) -> bool {
        !self.subnets.is_empty()
    }

    /// The gateway and management addresses, in the order of the subnets; none on a network
    /// without a gateway.
    pub fn platform_addresses(&self) -> Vec<PlatformAddresses> {
        let Some(primary) = self.primary() else { return Vec::new() };
        self.subnets.iter().map(|subnet| PlatformAddresses::choose(subnet, primary)).collect()
    }

    /// The MAC of the gateway: of its IPv4 address, else of its IPv6 address.
    pub fn gateway_mac(&self) -> Option<MacAddress> {
        let addresses = self.platform_addresses();
        let of = |family| addresses.iter().find(|it| it.subnet.family() == family);
        of(Family::V4).or_else(|| of(Family::V6)).map(|it| MacAddress::from_ip(it.gateway))
    }

    /// The MAC of the management ports: of the address in the first subnet.
    pub fn management_mac(&self) -> Option<MacAddress> {
        self.platform_addresses().first().map(|it| MacAddress::from_ip(it.management))
    }
}
