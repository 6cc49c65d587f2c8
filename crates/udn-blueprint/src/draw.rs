//! Draws the parts of a zone.
//!
//! Reads the desk and a part; returns the part's sheet.
//! Invariant: the cost of a sheet grows with its own part; a part that is gone, or whose numbers
//! are not there, has an empty sheet.

use ovn::Sheet;
use udn_model::{AttachmentKey, NetworkName, NodeName, Part};

use crate::desk::Desk;
use crate::owners;
use crate::ready::{OtherNode, OwnNode, ReadyPod, ReadyPrimary};

mod backbone;
mod gateway;
mod other_node;
mod pod;
mod rows;
#[cfg(test)]
mod tests;
mod transit;
mod zone;

/// Draws one part. The zone's protection is drawn also when nothing needs it any more, because
/// others may have come to use it.
pub fn draw(part: &Part, desk: &Desk<'_>) -> Sheet {
    let mut sheet = Sheet::new(owners::owner(part));
    // What is not ready stays undrawn; `waiting` tells why.
    match part {
        Part::Zone => zone::draw_protection(&mut sheet),
        Part::Backbone(network) => {
            if let Some(network) = desk.network(network) {
                backbone::draw_backbone(&mut sheet, desk, network);
            }
        }
        Part::Node(network, node) => draw_node(&mut sheet, desk, (network, node)),
        Part::Pod(network, attachment) => {
            if let Some(ready) = ready_pod(desk, network, attachment) {
                pod::draw_port(&mut sheet, desk, &ready);
            }
        }
    }
    sheet
}

fn draw_node(sheet: &mut Sheet, desk: &Desk<'_>, (network, node): (&NetworkName, &NodeName)) {
    let ready = desk.network(network).and_then(|network| ReadyPrimary::of(desk, network));
    let (Some(Ok(ready)), Some(node)) = (ready, desk.node(node)) else { return };
    if desk.is_own(&node.name) {
        if let Ok(own) = OwnNode::of(desk, &ready, node) {
            gateway::draw_own_node(sheet, desk, &ready, &own);
        }
    } else if let Ok(other) = OtherNode::of(desk, &ready, node) {
        other_node::draw_other_node(sheet, &ready, &other);
    }
}

fn ready_pod<'a>(
    desk: &Desk<'a>,
    network: &NetworkName,
    attachment: &AttachmentKey,
) -> Option<ReadyPod<'a>> {
    let network = desk.network(network)?;
    let attachment = desk.intent.attachment(&network.name, attachment)?;
    desk.has_port(network, attachment).then(|| ReadyPod::of(desk, network, attachment).ok())?
}
