//! The link between the transit router of a layer-2 network and a node's gateway router: all that
//! follows from the id.
//!
//! Invariant: join addresses come IPv4 first, one for each family of the cluster; transit pairs one
//! for each family of the network.

use std::net::IpAddr;

use udn_model::derived::{TransitPair, transit_pair};
use udn_model::{Family, InterfaceAddress, MacAddress, NodeId, Subnet};

use super::PrimaryLayer2;
use super::way_out::join;
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
}

impl Link {
    pub(crate) fn of(
        input: &DrawingInput<'_>,
        network: &PrimaryLayer2<'_>,
        id: NodeId,
    ) -> Result<Self, Missing> {
        let join = join(input, &network.base, network.primary, id)?;
        let transit = transit(network, id)?;
        // compat: pkg/ovn/gateway.go, the end is named after its first address
        let first = transit.first().map(|pair| pair.transit_router.addr());
        let transit_mac = first.map(MacAddress::from_ip).ok_or(Missing::Subnet)?;
        Ok(Self { id, join, transit, transit_mac })
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

fn transit(network: &PrimaryLayer2<'_>, id: NodeId) -> Result<Vec<TransitPair>, Missing> {
    let missing = |subnet: Subnet| Missing::Address(Range::Transit, subnet.family(), id);
    network
        .transit()
        .map(|subnet| transit_pair(subnet, id).ok_or_else(|| missing(subnet)))
        .collect()
}
