//! Nodes that have no subnet of a layer-3 network.
//!
//! Reads the ledger; returns findings about the network.
//! Invariant: a node that has one of each family is not named.

use udn_ledger::{Lack, Ledger, NodeSubnets, Usage};
use udn_model::{Family, Finding, Findings, NetworkName, NodeName, Reason, Subject};

use crate::bounded::list;

/// How many bytes the names of nodes may take.
const NODES: usize = 8_000;

/// What keeps nodes from having subnets.
pub(super) fn findings(name: &NetworkName, ledger: &Ledger) -> Findings {
    let Some(subnets) = ledger.node_subnets(name) else { return Findings::new() };
    let exhausted = Family::BOTH.into_iter().filter_map(|family| exhausted(subnets, family));
    let exhausted = exhausted.map(|it| (Reason::PoolExhausted, it));
    let taken = taken(subnets).map(|it| (Reason::AlreadyTaken, it));
    let tell = |(reason, message)| Finding::new(Subject::Network(name.clone()), reason, message);
    exhausted.chain(taken).map(tell).collect()
}

fn exhausted(subnets: &NodeSubnets, family: Family) -> Option<String> {
    let lacking = subnets.lacking().iter();
    let nodes = lacking.filter(|(_, lack)| **lack == Lack::Exhausted(family)).map(|(node, _)| node);
    let nodes = names(nodes)?;
    let Usage { used, total } = subnets.usage(family);
    Some(format!(
        "all {total} {family} subnets for nodes are in use ({used} of {total}), so that these have \
         none: {nodes}; append a subnet to the network, or remove nodes that no longer exist"
    ))
}

fn taken(subnets: &NodeSubnets) -> Option<String> {
    let lacking = subnets.lacking().iter();
    let nodes = lacking.filter(|(_, lack)| matches!(lack, Lack::Taken(_))).map(|(node, _)| node);
    let nodes = names(nodes)?;
    Some(format!(
        "these nodes carry subnets that other nodes have, so that they have none: {nodes}; see the \
         events of each"
    ))
}

fn names<'a>(nodes: impl Iterator<Item = &'a NodeName>) -> Option<String> {
    let nodes: Vec<&str> = nodes.map(NodeName::as_str).collect();
    (!nodes.is_empty()).then(|| list(&nodes, ", ", NODES))
}
