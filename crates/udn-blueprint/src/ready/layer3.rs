//! A layer-3 network and its nodes, the zone's own and others. The default network is one of them.
//!
//! Invariant: a node that is ready has a subnet of the network; its addresses come IPv4 first,
//! whatever the order in which they were told.

use udn_model::{
    ChassisName, ClusterSubnet, Family, InterfaceAddress, Layer3, MacAddress, Network, Node,
    NodeId, PerFamily, PlatformAddresses, Primary, Role, Subnet,
};

use super::node::{chassis, id};
use super::way_out::{gateway, join};
use super::{ReadyNetwork, WayOut};
use crate::input::DrawingInput;
use crate::missing::{Missing, Range};
use crate::names;

/// A layer-3 network.
#[derive(Debug)]
pub(crate) struct ReadyLayer3<'a> {
    pub(crate) base: ReadyNetwork<'a>,
    pub(crate) subnets: &'a [ClusterSubnet],
    /// What a primary network has.
    pub(crate) primary: Option<&'a Primary>,
    /// Where the cluster router is joined with the gateway routers of a primary network.
    pub(crate) join: Vec<InterfaceAddress>,
}

/// The zone's own node.
#[derive(Debug)]
pub(crate) struct OwnLayer3Node<'a> {
    pub(crate) node: &'a Node,
    pub(crate) chassis: &'a ChassisName,
    pub(crate) id: NodeId,
    /// One for each of the node's subnets.
    pub(crate) platform: Vec<PlatformAddresses>,
    pub(crate) gateway_mac: MacAddress,
    pub(crate) management_mac: MacAddress,
    pub(crate) transit: TransitEnd,
    /// Only on a primary network.
    pub(crate) way_out: Option<WayOut<'a>>,
}

/// A node of another zone.
#[derive(Debug)]
pub(crate) struct OtherLayer3Node<'a> {
    pub(crate) node: &'a Node,
    pub(crate) chassis: &'a ChassisName,
    pub(crate) id: NodeId,
    pub(crate) subnets: &'a PerFamily<Subnet>,
    pub(crate) transit: TransitEnd,
    /// Only on a primary network.
    pub(crate) join: Vec<InterfaceAddress>,
}

/// Where a node's cluster router is on the transit switch.
#[derive(Debug)]
pub(crate) struct TransitEnd {
    pub(crate) addresses: Vec<InterfaceAddress>,
    pub(crate) mac: MacAddress,
}

impl<'a> ReadyLayer3<'a> {
    pub(crate) fn of(
        input: &DrawingInput<'a>,
        network: &'a Network,
        layer3: &'a Layer3,
    ) -> Result<Self, Missing> {
        let base = ReadyNetwork::of(input, network)?;
        let primary = match &layer3.role {
            Role::Primary(primary) => Some(primary),
            Role::Secondary => None,
        };
        let join = primary.map_or(Ok(Vec::new()), |primary| cluster_join(input, &base, primary))?;
        Ok(Self { base, subnets: &layer3.subnets, primary, join })
    }
}

impl<'a> OwnLayer3Node<'a> {
    pub(crate) fn of(
        input: &DrawingInput<'a>,
        network: &ReadyLayer3<'a>,
        node: &'a Node,
    ) -> Result<Self, Vec<Missing>> {
        let gateway = network.primary.map_or(Ok(()), |_| gateway(node).map(drop));
        let name = check_name(network, node);
        let subnets = subnets(input, network, node);
        match (id(input, node), chassis(node), subnets, gateway, name) {
            (Ok(id), Ok(chassis), Ok(subnets), Ok(()), Ok(())) => {
                Self::new(input, network, (node, id, chassis), subnets).map_err(|it| vec![it])
            }
            (id, chassis, subnets, gateway, name) => {
                let missing = [id.err(), chassis.err(), subnets.err(), gateway.err(), name.err()];
                Err(missing.into_iter().flatten().collect())
            }
        }
    }

    fn new(
        input: &DrawingInput<'a>,
        network: &ReadyLayer3<'a>,
        told: (&'a Node, NodeId, &'a ChassisName),
        subnets: &PerFamily<Subnet>,
    ) -> Result<Self, Missing> {
        let platform = PlatformAddresses::on_node(subnets);
        let first = platform.first().ok_or(Missing::Subnet)?;
        let way_out = network.primary.map(|it| WayOut::of(input, &network.base, it, told));
        let (node, id, chassis) = told;
        Ok(Self {
            node,
            chassis,
            id,
            gateway_mac: MacAddress::from_ip(first.gateway),
            management_mac: MacAddress::from_ip(first.management),
            platform,
            transit: TransitEnd::of(input, network, id)?,
            way_out: way_out.transpose()?,
        })
    }
}

impl<'a> OtherLayer3Node<'a> {
    pub(crate) fn of(
        input: &DrawingInput<'a>,
        network: &ReadyLayer3<'a>,
        node: &'a Node,
    ) -> Result<Self, Vec<Missing>> {
        match (id(input, node), chassis(node), subnets(input, network, node)) {
            (Ok(id), Ok(chassis), Ok(subnets)) => {
                let transit = TransitEnd::of(input, network, id).map_err(|it| vec![it])?;
                let join = network.primary.map(|it| join(input, &network.base, it, id));
                let join = join.transpose().map_err(|it| vec![it])?.unwrap_or_default();
                Ok(Self { node, chassis, id, subnets, transit, join })
            }
            (id, chassis, subnets) => {
                let missing = [id.err(), chassis.err(), subnets.err()];
                Err(missing.into_iter().flatten().collect())
            }
        }
    }
}

impl TransitEnd {
    // compat: pkg/clustermanager/node, the cluster's transit subnets serve all layer-3 networks
    fn of(
        input: &DrawingInput<'_>,
        network: &ReadyLayer3<'_>,
        id: NodeId,
    ) -> Result<Self, Missing> {
        let of_family = |family| {
            let subnet = input.settings.transit.of(family);
            let address = subnet.and_then(|it| it.interface_address(id.get().into()));
            let missing = Missing::Address(Range::TransitSwitch, family, id);
            network.base.or_missing(address, missing, family)
        };
        let families = input.families(network.base.network);
        let addresses: Vec<_> = families.filter_map(of_family).collect::<Result<_, _>>()?;
        let mac = addresses.first().map(|it| MacAddress::from_ip(it.addr()));
        Ok(Self { mac: mac.ok_or(Missing::Subnet)?, addresses })
    }

    /// The address of a family.
    pub(crate) fn of_family(&self, family: Family) -> Option<InterfaceAddress> {
        self.addresses.iter().copied().find(|it| Family::of(it.addr()) == family)
    }
}

/// The first addresses of the join subnets are the cluster router's.
fn cluster_join(
    input: &DrawingInput<'_>,
    network: &ReadyNetwork<'_>,
    primary: &Primary,
) -> Result<Vec<InterfaceAddress>, Missing> {
    let of_family = |family| {
        let address = primary.join.of(family).and_then(|it| it.interface_address(1));
        network.or_missing(address, Missing::Join(family), family)
    };
    let found: Vec<_> =
        input.families(network.network).filter_map(of_family).collect::<Result<_, _>>()?;
    if found.is_empty() { Err(Missing::Subnet) } else { Ok(found) }
}

/// The node's subnets in the network. Of a network with both families a node may have one alone:
/// what it has works.
fn subnets<'a>(
    input: &DrawingInput<'a>,
    network: &ReadyLayer3<'_>,
    node: &Node,
) -> Result<&'a PerFamily<Subnet>, Missing> {
    let found = input.grants.node_subnets(&network.base.network.name, &node.name);
    let found = found.filter(|subnets| !subnets.is_empty());
    found.ok_or_else(|| Missing::NodeSubnet(node.name.clone()))
}

/// A node's switch and the join switch may not have the same name.
fn check_name(network: &ReadyLayer3<'_>, node: &Node) -> Result<(), Missing> {
    let is_taken = network.primary.is_some() && node.name.as_str() == names::JOIN_SWITCH;
    if is_taken { Err(Missing::NodeName(node.name.clone())) } else { Ok(()) }
}
