//! A node on a primary network, the zone's own or another.
//!
//! Invariant: the own node has a gateway with at least one address.

use std::collections::BTreeSet;
use std::net::IpAddr;

use udn_model::derived::{
    FixedMasquerade, NetworkMasquerade, fixed_masquerade, network_masquerade,
};
use udn_model::{ChassisName, Family, Gateway, InterfaceAddress, Node, NodeId, Subnet};

use super::{Link, ReadyPrimary};
use crate::input::DrawingInput;
use crate::missing::Missing;

/// The zone's own node.
#[derive(Debug)]
pub(crate) struct OwnNode<'a> {
    pub(crate) node: &'a Node,
    pub(crate) chassis: &'a ChassisName,
    pub(crate) gateway: &'a Gateway,
    pub(crate) link: Link,
    /// One per family of the cluster, IPv4 first.
    pub(crate) masquerade: Vec<Masquerade>,
}

/// A node of another zone.
#[derive(Debug)]
pub(crate) struct OtherNode<'a> {
    pub(crate) node: &'a Node,
    pub(crate) chassis: &'a ChassisName,
    pub(crate) link: Link,
}

/// The masquerade addresses of one family.
#[derive(Debug)]
pub(crate) struct Masquerade {
    pub(crate) subnet: Subnet,
    pub(crate) fixed: FixedMasquerade,
    pub(crate) own: NetworkMasquerade,
}

impl<'a> OwnNode<'a> {
    pub(crate) fn of(
        input: &DrawingInput<'a>,
        network: &ReadyPrimary<'a>,
        node: &'a Node,
    ) -> Result<Self, Vec<Missing>> {
        let gateway = node.gateway.as_ref().filter(|gateway| !gateway.addresses.is_empty());
        let gateway = gateway.ok_or_else(|| Missing::Gateway(node.name.clone()));
        match (id(input, node), chassis(node), gateway) {
            (Ok(id), Ok(chassis), Ok(gateway)) => {
                let link = Link::of(input, network, id).map_err(|missing| vec![missing])?;
                let masquerade = masquerade(input, network).map_err(|missing| vec![missing])?;
                Ok(Self { node, chassis, gateway, link, masquerade })
            }
            (id, chassis, gateway) => {
                let missing = [id.err(), chassis.err(), gateway.err()];
                Err(missing.into_iter().flatten().collect())
            }
        }
    }

    /// All addresses by which others know the node, in order.
    pub(crate) fn host_addresses(&self) -> BTreeSet<IpAddr> {
        let addresses = self.gateway.addresses.iter().chain(&self.node.addresses);
        addresses.map(InterfaceAddress::addr).filter(|ip| !is_link_local(*ip)).collect()
    }

    /// The masquerade addresses of a family.
    pub(crate) fn masquerade_of(&self, family: Family) -> Option<&Masquerade> {
        self.masquerade.iter().find(|it| it.subnet.family() == family)
    }
}

impl<'a> OtherNode<'a> {
    pub(crate) fn of(
        input: &DrawingInput<'a>,
        network: &ReadyPrimary<'a>,
        node: &'a Node,
    ) -> Result<Self, Vec<Missing>> {
        let is_upgraded = match node.uses_transit_router {
            true => Ok(()),
            false => Err(Missing::TransitRouter(node.name.clone())),
        };
        match (id(input, node), chassis(node), is_upgraded) {
            (Ok(id), Ok(chassis), Ok(())) => {
                let link = Link::of(input, network, id).map_err(|missing| vec![missing])?;
                Ok(Self { node, chassis, link })
            }
            (id, chassis, is_upgraded) => {
                let missing = [id.err(), chassis.err(), is_upgraded.err()];
                Err(missing.into_iter().flatten().collect())
            }
        }
    }
}

fn is_link_local(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => ip.is_link_local(),
        IpAddr::V6(ip) => ip.is_unicast_link_local(),
    }
}

fn id(input: &DrawingInput<'_>, node: &Node) -> Result<NodeId, Missing> {
    input.grants.nodes.get(&node.name).copied().ok_or_else(|| Missing::NodeId(node.name.clone()))
}

fn chassis(node: &Node) -> Result<&ChassisName, Missing> {
    node.chassis.as_ref().ok_or_else(|| Missing::Chassis(node.name.clone()))
}

fn masquerade(
    input: &DrawingInput<'_>,
    network: &ReadyPrimary<'_>,
) -> Result<Vec<Masquerade>, Missing> {
    let of_subnet = |subnet: Subnet| {
        let fixed = fixed_masquerade(subnet)?;
        let own = network_masquerade(subnet, network.base.numbers.id)?;
        Some(Masquerade { subnet, fixed, own })
    };
    let of_family = |family| {
        let found = input.settings.masquerade.of(family).copied().and_then(of_subnet);
        network.or_missing(found, Missing::Masquerade(family), family)
    };
    input.families(network.network()).filter_map(of_family).collect()
}
