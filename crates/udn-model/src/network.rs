//! A network: what the user asked for, whichever manifest said it.
//!
//! Invariant: a [`Network`] was checked when it was translated; every crate may rely on it.

use std::net::IpAddr;

use serde::Serialize;

use crate::address::{Family, MacAddress, PerFamily, Subnet, Subnets};
use crate::manifest::Manifest;
use crate::names::{NetworkName, ObjectName};
use crate::numbers::{Mtu, Vlan};
use crate::settings::Features;

mod layer3;
mod platform;
#[cfg(test)]
mod tests;

pub use layer3::Layer3;
pub use platform::PlatformAddresses;

/// One network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Network {
    pub name: NetworkName,
    pub origin: Origin,
    pub topology: Topology,
    /// Where pods of all nodes are; empty when the network hands out no addresses, and on a layer-3
    /// network, where each node has subnets of its own.
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
    Manifest(Manifest),
    /// NADs that somebody wrote, or whose maker this controller does not look at.
    Nads,
    /// The cluster's settings: the default network, which nobody asks for.
    Settings,
}

/// How a network is built: its layer, and with it the roles that it can have there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Topology {
    /// One switch for the whole cluster.
    Layer2(Role),
    /// A switch with subnets of its own on each node, and a router that joins them.
    Layer3(Layer3),
    /// A VLAN, or the untagged frames, of a network outside; it is never the pods' main network.
    Localnet(Localnet),
}

/// Whether a network is the pods' main one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Role {
    /// The pods' main network, with a way out on every node.
    Primary(Primary),
    /// Beside the pods' main network.
    Secondary,
}

/// What only a primary network has.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Primary {
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
    pub fn role(&self) -> &Role {
        match &self.topology {
            Topology::Layer2(role) | Topology::Layer3(Layer3 { role, .. }) => role,
            Topology::Localnet(_) => &Role::Secondary,
        }
    }

    /// Whether it is the pods' main network.
    pub fn is_primary(&self) -> bool {
        self.primary().is_some()
    }

    /// What a primary network has; `None` for a secondary one.
    pub fn primary(&self) -> Option<&Primary> {
        match self.role() {
            Role::Primary(primary) => Some(primary),
            Role::Secondary => None,
        }
    }

    pub fn localnet(&self) -> Option<&Localnet> {
        match &self.topology {
            Topology::Localnet(localnet) => Some(localnet),
            Topology::Layer2(_) | Topology::Layer3(_) => None,
        }
    }

    pub fn layer3(&self) -> Option<&Layer3> {
        match &self.topology {
            Topology::Layer3(layer3) => Some(layer3),
            Topology::Layer2(_) | Topology::Localnet(_) => None,
        }
    }

    /// Whether it is the cluster's default network.
    pub fn is_default(&self) -> bool {
        self.origin == Origin::Settings
    }

    /// All ranges in which pods may have their addresses, in the listed order.
    pub fn ranges(&self) -> impl Iterator<Item = Subnet> {
        let cut = self.layer3().map_or(&[][..], |layer3| &layer3.subnets);
        self.subnets.iter().chain(cut.iter().map(|it| it.subnet))
    }

    /// The families of its ranges, IPv4 first.
    pub fn families(&self) -> impl Iterator<Item = Family> {
        let has = |family: &Family| self.ranges().any(|it| it.family() == *family);
        Family::BOTH.into_iter().filter(has)
    }

    /// Whether workloads are kept from being routers and DHCP servers of the network. Where the
    /// gateway is ours they always are.
    pub fn has_router_guard(&self, features: Features) -> bool {
        match self.role() {
            Role::Primary(_) => true,
            Role::Secondary => features.secondary_router_guard,
        }
    }

    /// Whether the network hands out addresses.
    pub fn has_ipam(&self) -> bool {
        self.ranges().next().is_some()
    }

    /// The gateway and management addresses that all nodes have in common, in the order of the
    /// subnets; none on a network without a gateway, and none where each node has its own.
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
