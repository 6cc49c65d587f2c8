//! Tells what a network lacks, so that some of its parts are left out.
//!
//! Reads the drawing input; returns findings.
//! Invariant: a part of a standing network has an empty sheet exactly when a finding here tells why.

use udn_model::{Findings, Network, NetworkName, Node};

use crate::input::DrawingInput;
use crate::missing::Missing;
use crate::ready::{OtherNode, OwnNode, ReadyNetwork, ReadyPod, ReadyPrimary};

#[cfg(test)]
mod tests;

/// What keeps parts of one network from being drawn; nothing for a network that is gone.
pub fn waiting(input: &DrawingInput<'_>, network: &NetworkName) -> Findings {
    let Some(network) = input.network(network) else { return Findings::new() };
    let mut findings: Findings =
        missing(input, network).iter().map(|missing| missing.finding(network)).collect();
    // Several pods may wait for the same node.
    findings.sort();
    findings.dedup();
    findings
}

fn missing(input: &DrawingInput<'_>, network: &Network) -> Vec<Missing> {
    let in_nodes: Vec<Missing> = match ReadyPrimary::of(input, network) {
        Some(Ok(ready)) => {
            let no_own =
                input.node(input.zone).is_none().then(|| Missing::Node(input.zone.clone()));
            let nodes = input.intent.nodes.values();
            no_own
                .into_iter()
                .chain(nodes.flat_map(|node| node_lacks(input, &ready, node)))
                .collect()
        }
        // Without its numbers nothing of the network can be drawn, and one sentence is enough.
        Some(Err(missing)) => return vec![missing],
        None => match ReadyNetwork::of(input, network) {
            Ok(_) => Vec::new(),
            Err(missing) => return vec![missing],
        },
    };
    let attachments = input.intent.attachments_of(&network.name);
    let in_pods = attachments
        .filter(|attachment| input.has_port(network, attachment))
        .filter_map(|attachment| ReadyPod::of(input, network, attachment).err());
    in_nodes.into_iter().chain(in_pods).collect()
}

fn node_lacks<'a>(
    input: &DrawingInput<'a>,
    network: &ReadyPrimary<'a>,
    node: &'a Node,
) -> Vec<Missing> {
    let ready = if input.is_own(&node.name) {
        OwnNode::of(input, network, node).map(|_| ())
    } else {
        OtherNode::of(input, network, node).map(|_| ())
    };
    ready.err().unwrap_or_default()
}
