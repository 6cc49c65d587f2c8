//! Which parts a zone has.
//!
//! Reads the drawing input; returns parts, in order.
//! Invariant: a row that stands because of this input belongs to one of these parts.

use udn_model::{Network, NetworkName, Part, Topology};

use crate::input::DrawingInput;

/// Every part of the zone: what networks share first, then network by network.
///
/// The shared part is listed while the zone has a layer-2 network; see [`draw`](crate::draw()) for
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

// compat: layer-2 networks make the protection even where they have no router to protect
fn uses_protection(network: &Network) -> bool {
    match network.topology {
        Topology::Layer2(_) => true,
        Topology::Localnet(_) => false,
    }
}

fn network_parts<'d>(
    input: &'d DrawingInput<'_>,
    network: &'d Network,
) -> impl Iterator<Item = Part> + 'd {
    let name = &network.name;
    let nodes = input.intent.nodes.keys().filter(|_| network.is_primary());
    let nodes = nodes.map(|node| Part::Node(name.clone(), node.clone()));
    let pods = input.intent.attachments_of(name);
    let pods = pods.filter(|attachment| input.has_port(network, attachment));
    let pods = pods.map(|attachment| Part::Pod(name.clone(), attachment.key.clone()));
    [Part::Backbone(name.clone())].into_iter().chain(nodes).chain(pods)
}
