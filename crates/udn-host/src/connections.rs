//! What is left of pods' connections when their addresses go, and in which conntrack zones.
//!
//! Reads the ports of pods and the zones that ovn-controller has given away; returns addresses, each with
//! the zones that know it. A connection that was open to a pod would be open to whoever has its address
//! next, and what was translated for it still is.
//! Invariant: addresses of different networks may be equal, so nothing of another network is touched, and
//! an address that a pod of the network still has stays.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use udn_blueprint::names::{Prefix, cluster_router, gateway_router, transit_router};
use udn_model::{NetworkName, NodeName};

use crate::flow::ZONE;

#[cfg(test)]
mod tests;

/// Before the name of a port or router in the entry that tells its zone.
// compat: OVN, controller/ct-zone.c
const ENTRY: &str = "ct-zone-";
/// After the name of a router, which has a zone for each direction of translation.
const DIRECTIONS: [&str; 2] = ["_dnat", "_snat"];

/// A port of a pod, as far as its connections go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PortSeen {
    /// The host's end of the pod's cable.
    pub link: String,
    /// The port's name in OVN.
    pub logical_port: String,
    /// None on the default network.
    pub network: Option<NetworkName>,
    pub addresses: BTreeSet<IpAddr>,
}

/// Addresses that go, each with the zones that may know it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Traces(pub BTreeMap<IpAddr, BTreeSet<u16>>);

impl Traces {
    /// What the ports that go leave behind.
    ///
    /// `entries` are those of the integration bridge, among which ovn-controller keeps the zones.
    pub fn of(
        ports: &[PortSeen],
        going: &BTreeSet<&str>,
        entries: &BTreeMap<String, String>,
        node: Option<&NodeName>,
    ) -> Self {
        let mut traces = Self::default();
        for port in ports.iter().filter(|it| going.contains(it.link.as_str())) {
            let others = ports.iter().filter(|it| it.network == port.network);
            let stay = others.clone().filter(|it| !going.contains(it.link.as_str()));
            let kept: BTreeSet<IpAddr> = stay.flat_map(|it| &it.addresses).copied().collect();
            let zones = zones(others, port.network.as_ref(), entries, node);
            for address in port.addresses.difference(&kept) {
                traces.0.entry(*address).or_default().extend(&zones);
            }
        }
        traces
    }

    /// Takes in what others leave behind.
    pub fn append(&mut self, Self(others): Self) {
        for (address, zones) in others {
            self.0.entry(address).or_default().extend(zones);
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The zones of a network on this node: of all its pods here, of its routers, and of the external bridge
/// where that sees pods' own addresses.
fn zones<'a>(
    ports: impl Iterator<Item = &'a PortSeen>,
    network: Option<&NetworkName>,
    entries: &BTreeMap<String, String>,
    node: Option<&NodeName>,
) -> BTreeSet<u16> {
    let prefix = network.map_or_else(Prefix::none, Prefix::of);
    let gateway = node.map(|node| gateway_router(&prefix, node));
    let routers = [cluster_router(&prefix), transit_router(&prefix)].into_iter().chain(gateway);
    let routers = routers.flat_map(|router| DIRECTIONS.map(|it| format!("{router}{it}")));
    let names = ports.map(|it| it.logical_port.clone()).chain(routers);
    let zone = |name: String| entries.get(&format!("{ENTRY}{name}"))?.parse().ok();
    // Of other networks, the bridge sees masquerade addresses alone.
    let bridge = network.is_none().then_some(ZONE);
    names.filter_map(zone).chain(bridge).collect()
}
