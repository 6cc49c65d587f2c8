//! A node's way out of a primary network: what its gateway router is made of, whatever the topology
//! behind it.
//!
//! Invariant: the gateway has at least one address; join and masquerade addresses come IPv4 first,
//! one for each family of the cluster or of the network.

use std::collections::BTreeSet;
use std::net::IpAddr;

use udn_model::derived::{
    FixedMasquerade, NetworkMasquerade, fixed_masquerade, join_address, network_masquerade,
};
use udn_model::{
    ChassisName, Family, Gateway, InterfaceAddress, MacAddress, Node, NodeId, Primary, Subnet,
};

use super::ReadyNetwork;
use crate::input::DrawingInput;
use crate::missing::{Missing, Range};

/// The own node's way out.
#[derive(Debug)]
pub(crate) struct WayOut<'a> {
    pub(crate) node: &'a Node,
    pub(crate) chassis: &'a ChassisName,
    pub(crate) gateway: &'a Gateway,
    pub(crate) join: Vec<InterfaceAddress>,
    pub(crate) masquerade: Vec<Masquerade>,
    /// The MAC of the gateway router's inner end.
    pub(crate) mac: MacAddress,
}

/// The masquerade addresses of one family.
#[derive(Debug)]
pub(crate) struct Masquerade {
    pub(crate) subnet: Subnet,
    pub(crate) fixed: FixedMasquerade,
    pub(crate) own: NetworkMasquerade,
}

impl<'a> WayOut<'a> {
    pub(super) fn of(
        input: &DrawingInput<'a>,
        network: &ReadyNetwork<'a>,
        primary: &Primary,
        (node, id, chassis): (&'a Node, NodeId, &'a ChassisName),
    ) -> Result<Self, Missing> {
        let gateway = gateway(node)?;
        let join = join(input, network, primary, id)?;
        // compat: pkg/ovn/gateway.go, the end is named after its first address
        let mac = join.first().map(|it| MacAddress::from_ip(it.addr())).ok_or(Missing::Subnet)?;
        let masquerade = masquerade(input, network)?;
        Ok(Self { node, chassis, gateway, join, masquerade, mac })
    }

    /// All addresses by which others know the node, in order.
    pub(crate) fn host_addresses(&self) -> BTreeSet<IpAddr> {
        let addresses = self.gateway.addresses.iter().chain(&self.node.addresses);
        addresses.map(InterfaceAddress::addr).filter(|ip| !is_link_local(*ip)).collect()
    }

    /// The addresses that the gateway router has in the name of the network.
    pub(crate) fn own_masquerade(&self) -> impl Iterator<Item = IpAddr> {
        self.masquerade.iter().map(|it| it.own.gateway_router)
    }

    /// The masquerade address of a family that the gateway router has.
    pub(crate) fn masquerade_of(&self, family: Family) -> Option<IpAddr> {
        self.own_masquerade().find(|ip| Family::of(*ip) == family)
    }
}

/// The node's gateway, once it has told one that has addresses.
pub(super) fn gateway(node: &Node) -> Result<&Gateway, Missing> {
    let gateway = node.gateway.as_ref().filter(|gateway| !gateway.addresses.is_empty());
    gateway.ok_or_else(|| Missing::Gateway(node.name.clone()))
}

/// A node's addresses in the join subnets.
pub(super) fn join(
    input: &DrawingInput<'_>,
    network: &ReadyNetwork<'_>,
    primary: &Primary,
    id: NodeId,
) -> Result<Vec<InterfaceAddress>, Missing> {
    let of_family = |family| {
        let subnet = primary.join.of(family);
        let address = subnet.and_then(|subnet| join_address(*subnet, id));
        network.or_missing(address, Missing::Address(Range::Join, family, id), family)
    };
    input.families(network.network).filter_map(of_family).collect()
}

fn masquerade(
    input: &DrawingInput<'_>,
    network: &ReadyNetwork<'_>,
) -> Result<Vec<Masquerade>, Missing> {
    let of_subnet = |subnet: Subnet| {
        let fixed = fixed_masquerade(subnet)?;
        let own = network_masquerade(subnet, network.numbers.id)?;
        Some(Masquerade { subnet, fixed, own })
    };
    let of_family = |family| {
        let found = input.settings.masquerade.of(family).copied().and_then(of_subnet);
        network.or_missing(found, Missing::Masquerade(family), family)
    };
    input.families(network.network).filter_map(of_family).collect()
}

fn is_link_local(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => ip.is_link_local(),
        IpAddr::V6(ip) => ip.is_unicast_link_local(),
    }
}
