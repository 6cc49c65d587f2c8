//! Draws the parts of a zone.
//!
//! Reads the drawing input and a part; returns the part's sheet and what it lacks.
//! Invariant: the cost of a sheet grows with its own part; the sheet of a part that lacks its numbers,
//! its node or its addresses is empty, and then it or its network's backbone tells why.

use ovn::Sheet;
use udn_model::{AttachmentKey, Network, NodeName, Part, Told};

use crate::input::DrawingInput;
use crate::missing::Missing;
use crate::owners;
use crate::ready::{OtherNode, OwnNode, ReadyNetwork, ReadyPod, ReadyPrimary};

mod backbone;
mod gateway;
mod guard;
mod other_node;
mod pod;
mod rows;
#[cfg(test)]
mod tests;
mod transit;
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
            backbone::draw_backbone(&mut sheet, input, network).err().unwrap_or_default()
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

fn draw_node(
    sheet: &mut Sheet,
    input: &DrawingInput<'_>,
    (network, node): (&Network, &NodeName),
) -> Result<(), Vec<Missing>> {
    let ready = ReadyPrimary::of(input, network);
    // Without its numbers nothing of a network can be drawn; its backbone says so once.
    let (Some(Ok(ready)), Some(node)) = (ready, input.node(node)) else { return Ok(()) };
    if input.is_own(&node.name) {
        let own = OwnNode::of(input, &ready, node)?;
        gateway::draw_own_node(sheet, input, &ready, &own);
    } else {
        let other = OtherNode::of(input, &ready, node)?;
        other_node::draw_other_node(sheet, &ready, &other);
    }
    Ok(())
}

fn draw_pod(
    sheet: &mut Sheet,
    input: &DrawingInput<'_>,
    (network, attachment): (&Network, &AttachmentKey),
) -> Result<(), Missing> {
    let attachment = input.intent.attachment(&network.name, attachment);
    let attachment = attachment.filter(|it| input.has_port(network, it));
    let Some(attachment) = attachment.filter(|_| is_ready(input, network)) else { return Ok(()) };
    let ready = ReadyPod::of(input, network, attachment)?;
    pod::draw_port(sheet, input, &ready);
    Ok(())
}

/// Whether the network has all that its backbone needs.
fn is_ready(input: &DrawingInput<'_>, network: &Network) -> bool {
    match ReadyPrimary::of(input, network) {
        Some(ready) => ready.is_ok(),
        None => ReadyNetwork::of(input, network).is_ok(),
    }
}
