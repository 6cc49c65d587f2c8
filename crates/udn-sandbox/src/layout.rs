//! Where the sandbox puts nodes and hosts, decided before anything is made.
//!
//! Reads the names of nodes; returns addresses.
//! Invariant: a node's addresses depend only on its place among the nodes, so that `explain` can
//! tell them without a sandbox.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use udn_cluster::node::node_report;
use udn_cluster::{NodeReport, World};
use udn_lab::node::{Addresses, EXTERNAL_BRIDGE, NodeSettings};
use udn_model::{
    ChassisName, Family, Gateway, GatewayMode, InterfaceAddress, Network, NodeName, Subnet,
};
use udn_wire::keys::NODE_CHASSIS;

#[cfg(test)]
mod tests;

/// The host outside, which is also every node's default gateway.
pub(crate) fn outside() -> Addresses {
    on_underlay(1)
}

/// A node, by its place among the nodes.
pub(crate) fn node(position: usize, name: &NodeName) -> NodeSettings {
    // A machine takes a handful of nodes; a /24 has room for 240.
    let number = u8::try_from(11 + position).unwrap_or(u8::MAX);
    NodeSettings {
        next_hops: outside().iter().collect(),
        ..NodeSettings::new(name.as_str(), on_underlay(number))
    }
}

fn on_underlay(number: u8) -> Addresses {
    let v6 = Ipv6Addr::new(0xfd00, 0x172, 0x18, 0, 0, 0, 0, number.into());
    Addresses::dual(Ipv4Addr::new(172, 18, 0, number), v6)
}

/// Addresses of the underlay as an interface carries them.
pub(crate) fn on_interface(addresses: &Addresses) -> Vec<InterfaceAddress> {
    let texts = addresses.with_lengths();
    let parsed = texts.iter().map(|text| text.parse().expect("the lab writes addresses well"));
    parsed.collect()
}

/// What a node tells about itself.
pub(crate) fn report(settings: &NodeSettings, gateway_mode: GatewayMode) -> NodeReport {
    let addresses = on_interface(&settings.addresses);
    let gateway = Gateway {
        bridge: EXTERNAL_BRIDGE.to_owned(),
        mac: settings.mac().parse().expect("the lab writes well-formed MACs"),
        addresses: addresses.clone(),
        next_hops: settings.next_hops.clone(),
        vlan: None,
        serves_node_ports: true,
    };
    NodeReport {
        node: NodeName::new(&settings.name),
        chassis: ChassisName::new(&settings.name),
        gateway: Some(gateway),
        gateway_mode,
        addresses,
        tunnel_addresses: vec![IpAddr::V4(settings.addresses.v4)],
    }
}

/// Lets nodes that have told nothing be as the sandbox would make them; returns what was assumed.
pub fn assume_nodes(world: &mut World) -> Vec<String> {
    let mut assumed = Vec::new();
    let names: Vec<NodeName> = world.nodes.keys().cloned().collect();
    for (position, name) in names.iter().enumerate() {
        let standing = world.nodes.get_mut(name).map(|it| &mut it.metadata);
        let Some(metadata) = standing.filter(|it| it.annotation(NODE_CHASSIS).is_none()) else {
            continue;
        };
        let settings = node(position, name);
        let addresses = settings.addresses.with_lengths().join(" ");
        assumed.push(format!("{name} has not told its addresses; assumed {addresses}"));
        metadata.annotations.extend(node_report(&report(&settings, GatewayMode::Shared)));
    }
    assumed
}

/// The addresses of the host on a localnet's VLAN: the first that pods never get, else the last.
pub(crate) fn host_addresses(network: &Network) -> Vec<InterfaceAddress> {
    network.subnets.iter().filter_map(|subnet| host_address(network, subnet)).collect()
}

fn host_address(network: &Network, subnet: Subnet) -> Option<InterfaceAddress> {
    let is_usable = |ip: &IpAddr| *ip != subnet.base() && *ip != subnet.last();
    let excluded = network.excluded.iter().filter(|it| subnet.contains_subnet(**it));
    let kept = excluded.flat_map(|range| (0..2).filter_map(|offset| range.address(offset)));
    let mut candidates = kept.filter(is_usable);
    let last = || match subnet.family() {
        Family::V4 => subnet.address((1_u128 << (32 - subnet.prefix_len())).checked_sub(2)?),
        Family::V6 => Some(subnet.last()),
    };
    candidates.next().or_else(last).map(|ip| subnet.on_interface(ip))
}
