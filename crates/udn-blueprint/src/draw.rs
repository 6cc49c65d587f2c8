//! Draws the parts of a zone.
//!
//! Reads the drawing input and a part; returns the part's sheet and what it lacks.
//! Invariant: the cost of a sheet grows with its own part; the sheet of a part that lacks its numbers,
//! its node or its addresses is empty, and then it or its network's backbone tells why.

use ovn::Sheet;
use udn_model::{AttachmentKey, Network, NodeName, Part, Role, Told, Topology};

use crate::input::DrawingInput;
use crate::missing::Missing;
use crate::owners;
use crate::ready::{PrimaryLayer2, ReadyNetwork, ReadyPod};

mod gateway;
mod guard;
mod host;
mod isolation;
mod layer2;
mod layer3;
mod localnet;
mod pod;
mod rows;
#[cfg(test)]
mod tests;
mod zone;

/// Draws one part, and tells what it lacks. The zone's protection is drawn also when nothing needs
/// it any more, because others may have come to use it.
pub fn draw(part: &Part, input: &DrawingInput<'_>) -> Told<Sheet> {
    let mut sheet = Sheet::new(owners::owner(part));
    let network = part.network().and_then(|name| input.network(name));
    let lacking = match (part, network) {
        (Part::Zone, _) => {
            zone::draw_protection(&mut sheet);
            Vec::new()
        }
        // What is gone lacks nothing.
        (Part::Backbone(_) | Part::Node(..) | Part::Pod(..), None) => Vec::new(),
        (Part::Backbone(_), Some(network)) => {
            draw_backbone(&mut sheet, input, network).err().unwrap_or_default()
        }
        (Part::Node(_, node), Some(network)) => {
            draw_node(&mut sheet, input, (network, node)).err().unwrap_or_default()
        }
        (Part::Pod(_, attachment), Some(network)) => {
            draw_pod(&mut sheet, input, (network, attachment)).err().into_iter().collect()
        }
    };
    let findings = network.into_iter().flat_map(|network| {
        let all = lacking.iter().map(|missing| missing.finding(network));
        all.collect::<Vec<_>>()
    });
    Told::new(sheet, findings.collect())
}

fn draw_backbone(
    sheet: &mut Sheet,
    input: &DrawingInput<'_>,
    network: &Network,
) -> Result<(), Vec<Missing>> {
    match &network.topology {
        Topology::Layer2(role) => layer2::draw_backbone(sheet, input, (network, role)),
        Topology::Layer3(layer3) => layer3::draw_backbone(sheet, input, (network, layer3)),
        Topology::Localnet(localnet) => {
            localnet::draw_backbone(sheet, input, (network, localnet)).map_err(|it| vec![it])
        }
    }
}

fn draw_node(
    sheet: &mut Sheet,
    input: &DrawingInput<'_>,
    (network, node): (&Network, &NodeName),
) -> Result<(), Vec<Missing>> {
    let Some(node) = input.node(node) else { return Ok(()) };
    match &network.topology {
        Topology::Layer2(Role::Primary(primary)) => {
            layer2::draw_node(sheet, input, (network, primary), node)
        }
        Topology::Layer3(layer3) => layer3::draw_node(sheet, input, (network, layer3), node),
        Topology::Layer2(Role::Secondary) | Topology::Localnet(_) => Ok(()),
    }
}

fn draw_pod(
    sheet: &mut Sheet,
    input: &DrawingInput<'_>,
    (network, attachment): (&Network, &AttachmentKey),
) -> Result<(), Missing> {
    let attachment = input.intent.attachment(&network.name, attachment);
    let attachment = attachment.filter(|it| input.has_port(network, it));
    let Some(attachment) = attachment.filter(|_| has_switch(input, network)) else { return Ok(()) };
    let ready = ReadyPod::of(input, network, attachment)?;
    pod::draw_port(sheet, input, &ready);
    Ok(())
}

/// Whether the switch that the ports of the network's pods are attached to has all that it needs.
/// On a layer-3 network that is more than the network's own: ports come and go with the own node.
fn has_switch(input: &DrawingInput<'_>, network: &Network) -> bool {
    match &network.topology {
        Topology::Layer2(Role::Primary(primary)) => {
            PrimaryLayer2::of(input, network, primary).is_ok()
        }
        Topology::Layer3(layer3) => layer3::has_switch(input, (network, layer3)),
        Topology::Layer2(Role::Secondary) | Topology::Localnet(_) => {
            ReadyNetwork::of(input, network).is_ok()
        }
    }
}
