//! Draws the parts of a zone.
//!
//! Reads the drawing input and a part; returns the part's sheet.
//! Invariant: the cost of a sheet grows with its own part; a part that is gone, or whose numbers
//! are not there, has an empty sheet.

use ovn::Sheet;
use udn_model::{AttachmentKey, NetworkName, NodeName, Part};

use crate::input::DrawingInput;
use crate::owners;
use crate::ready::{OtherNode, OwnNode, ReadyPod, ReadyPrimary};

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

/// Draws one part. The zone's protection is drawn also when nothing needs it any more, because
/// others may have come to use it.
pub fn draw(part: &Part, input: &DrawingInput<'_>) -> Sheet {
    let mut sheet = Sheet::new(owners::owner(part));
    // What is not ready stays undrawn; `waiting` tells why.
    match part {
        Part::Zone => zone::draw_protection(&mut sheet),
        Part::Backbone(network) => {
            if let Some(network) = input.network(network) {
                backbone::draw_backbone(&mut sheet, input, network);
            }
        }
        Part::Node(network, node) => draw_node(&mut sheet, input, (network, node)),
        Part::Pod(network, attachment) => {
            if let Some(ready) = ready_pod(input, network, attachment) {
                pod::draw_port(&mut sheet, input, &ready);
            }
        }
    }
    sheet
}

fn draw_node(
    sheet: &mut Sheet,
    input: &DrawingInput<'_>,
    (network, node): (&NetworkName, &NodeName),
) {
    let ready = input.network(network).and_then(|network| ReadyPrimary::of(input, network));
    let (Some(Ok(ready)), Some(node)) = (ready, input.node(node)) else { return };
    if input.is_own(&node.name) {
        if let Ok(own) = OwnNode::of(input, &ready, node) {
            gateway::draw_own_node(sheet, input, &ready, &own);
        }
    } else if let Ok(other) = OtherNode::of(input, &ready, node) {
        other_node::draw_other_node(sheet, &ready, &other);
    }
}

fn ready_pod<'a>(
    input: &DrawingInput<'a>,
    network: &NetworkName,
    attachment: &AttachmentKey,
) -> Option<ReadyPod<'a>> {
    let network = input.network(network)?;
    let attachment = input.intent.attachment(&network.name, attachment)?;
    input.has_port(network, attachment).then(|| ReadyPod::of(input, network, attachment).ok())?
}
