//! Tells what a network lacks, so that some of its parts are left out.
//!
//! Reads the desk; returns findings.
//! Invariant: a part of a standing network has an empty sheet exactly when a finding here tells why.

use udn_model::{Findings, Network, NetworkName, Node};

use crate::desk::Desk;
use crate::lack::Lack;
use crate::ready::{OtherNode, OwnNode, ReadyNetwork, ReadyPod, ReadyPrimary};

#[cfg(test)]
mod tests;

/// What keeps parts of one network from being drawn; nothing for a network that is gone.
pub fn waiting(desk: &Desk<'_>, network: &NetworkName) -> Findings {
    let Some(network) = desk.network(network) else { return Findings::new() };
    let mut findings: Findings =
        lacks(desk, network).iter().map(|lack| lack.finding(network)).collect();
    // Several pods may wait for the same node.
    findings.sort();
    findings.dedup();
    findings
}

fn lacks(desk: &Desk<'_>, network: &Network) -> Vec<Lack> {
    let in_nodes: Vec<Lack> = match ReadyPrimary::of(desk, network) {
        Some(Ok(ready)) => {
            let no_own = desk.node(desk.zone).is_none().then(|| Lack::Node(desk.zone.clone()));
            let nodes = desk.intent.nodes.values();
            no_own
                .into_iter()
                .chain(nodes.flat_map(|node| node_lacks(desk, &ready, node)))
                .collect()
        }
        // Without its numbers nothing of the network can be drawn, and one sentence is enough.
        Some(Err(lack)) => return vec![lack],
        None => match ReadyNetwork::of(desk, network) {
            Ok(_) => Vec::new(),
            Err(lack) => return vec![lack],
        },
    };
    let attachments = desk.intent.attachments_of(&network.name);
    let in_pods = attachments
        .filter(|attachment| desk.has_port(network, attachment))
        .filter_map(|attachment| ReadyPod::of(desk, network, attachment).err());
    in_nodes.into_iter().chain(in_pods).collect()
}

fn node_lacks<'a>(desk: &Desk<'a>, network: &ReadyPrimary<'a>, node: &'a Node) -> Vec<Lack> {
    let ready = if desk.is_own(&node.name) {
        OwnNode::of(desk, network, node).map(|_| ())
    } else {
        OtherNode::of(desk, network, node).map(|_| ())
    };
    ready.err().unwrap_or_default()
}
