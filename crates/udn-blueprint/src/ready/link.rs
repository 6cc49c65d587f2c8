//! The link between the transit router and a node's gateway router: all that follows from the id.
//!
//! Invariant: join addresses come IPv4 first, one for each family of the cluster; transit pairs one
//! for each family of the network.

use std::net::IpAddr;

use udn_model::derived::{TransitPair, join_address, transit_pair};
use udn_model::{Family, InterfaceAddress, MacAddress, NodeId, Subnet};

use super::ReadyPrimary;
use crate::input::DrawingInput;
use crate::missing::{Missing, Range};

/// The addresses of one node's link.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) id: NodeId,
    pub(crate) join: Vec<InterfaceAddress>,
    pub(crate) transit: Vec<TransitPair>,
    /// The MAC of the transit router's end.
    pub(crate) transit_mac: MacAddress,
    /// The MAC of the gateway router's end.
    pub(crate) gateway_mac: MacAddress,
}

impl Link {
    pub(crate) fn of(
        input: &DrawingInput<'_>,
        network: &ReadyPrimary<'_>,
        id: NodeId,
    ) -> Result<Self, Missing> {
        let (join, transit) = (join(input, network, id)?, transit(network, id)?);
        // compat: pkg/ovn/gateway.go, both ends are named after their first address
        let transit_mac = transit.first().map(|pair| pair.transit_router.addr());
        let gateway_mac = join.first().map(InterfaceAddress::addr);
        let mac = |ip: Option<IpAddr>| ip.map(MacAddress::from_ip).ok_or(Missing::Subnet);
        let (transit_mac, gateway_mac) = (mac(transit_mac)?, mac(gateway_mac)?);
        Ok(Self { id, join, transit, transit_mac, gateway_mac })
    }

    /// The two ends of a family.
    pub(crate) fn pair(&self, family: Family) -> Option<&TransitPair> {
        let of_pair = |pair: &&TransitPair| Family::of(pair.transit_router.addr()) == family;
        self.transit.iter().find(of_pair)
    }

    /// The join addresses that the transit router can reach, with the way there.
    // compat: pkg/ovn/gateway.go, updateClusterRouterStaticRoutes: a family that the network does
    // not use has a join address and no way
    pub(crate) fn ways_to_join(&self) -> impl Iterator<Item = (IpAddr, IpAddr)> {
        let ips = self.join.iter().map(InterfaceAddress::addr);
        ips.filter_map(|ip| Some((ip, self.pair(Family::of(ip))?.gateway_router.addr())))
    }
}

fn join(
    input: &DrawingInput<'_>,
    network: &ReadyPrimary<'_>,
    id: NodeId,
) -> Result<Vec<InterfaceAddress>, Missing> {
    let of_family = |family| {
        let subnet = network.primary.join.of(family);
        let address = subnet.and_then(|subnet| join_address(*subnet, id));
        network.or_missing(address, Missing::Address(Range::Join, family, id), family)
    };
    input.families(network.network()).filter_map(of_family).collect()
}

fn transit(network: &ReadyPrimary<'_>, id: NodeId) -> Result<Vec<TransitPair>, Missing> {
    let missing = |subnet: Subnet| Missing::Address(Range::Transit, subnet.family(), id);
    network
        .transit()
        .map(|subnet| transit_pair(subnet, id).ok_or_else(|| missing(subnet)))
        .collect()
}
