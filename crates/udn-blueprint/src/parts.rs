//! Which parts a zone has.
//!
//! Reads the drawing input; returns parts, in order.
//! Invariant: a row that stands because of this input belongs to one of these parts.

use udn_model::{Network, NetworkName, NodeName, Part, Topology};

use crate::input::DrawingInput;

/// Every part of the zone: what networks share first, then network by network.
///
/// The shared part is listed while the zone has an overlay network; see [`draw`](crate::draw()) for
/// what becomes of it afterwards.
pub fn parts(input: &DrawingInput<'_>) -> Vec<Part> {
    let networks = input.intent.networks.values();
    let of_networks = networks.flat_map(|network| network_parts(input, network));
    shared_part(input).into_iter().chain(of_networks).collect()
}

/// The part that networks share, while a network needs it.
pub fn shared_part(input: &DrawingInput<'_>) -> Option<Part> {
    input.intent.networks.values().any(|it| uses_protection(it)).then_some(Part::Zone)
}

/// Every part of one network; the cost grows with that network alone.
pub fn parts_of(input: &DrawingInput<'_>, network: &NetworkName) -> Vec<Part> {
    let network = input.network(network);
    network.into_iter().flat_map(|network| network_parts(input, network)).collect()
}

/// Whether the network has rows because of nodes: a part for each of them.
pub fn has_nodes(network: &Network) -> bool {
    match network.topology {
        Topology::Layer2(_) => network.is_primary(),
        Topology::Layer3(_) => true,
        Topology::Localnet(_) => false,
    }
}

/// The part that leads to the services which the network may reach, if any does.
pub fn services_part(network: &Network, zone: &NodeName) -> Option<Part> {
    let name = network.name.clone();
    let reaches = network.is_primary() && !network.is_default();
    let part = match network.topology {
        Topology::Layer2(_) => Part::Backbone(name),
        Topology::Layer3(_) => Part::Node(name, zone.clone()),
        Topology::Localnet(_) => return None,
    };
    reaches.then_some(part)
}

// compat: layer-2 networks make the protection even where they have no router to protect
fn uses_protection(network: &Network) -> bool {
    match network.topology {
        Topology::Layer2(_) | Topology::Layer3(_) => true,
        Topology::Localnet(_) => false,
    }
}

fn network_parts<'d>(
    input: &'d DrawingInput<'_>,
    network: &'d Network,
) -> impl Iterator<Item = Part> + 'd {
    let name = &network.name;
    let nodes = input.intent.nodes.keys().filter(|_| has_nodes(network));
    let nodes = nodes.map(|node| Part::Node(name.clone(), node.clone()));
    let pods = input.intent.attachments_of(name);
    let pods = pods.filter(|attachment| input.has_port(network, attachment));
    let pods = pods.map(|attachment| Part::Pod(name.clone(), attachment.key.clone()));
    [Part::Backbone(name.clone())].into_iter().chain(nodes).chain(pods)
}
