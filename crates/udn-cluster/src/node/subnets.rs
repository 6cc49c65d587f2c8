//! A node's subnets on layer-3 networks and on the default network.
//!
//! Reads the annotation that the node carries, and the ledger; returns what the node is granted, and
//! the annotation with it.
//! Invariant: entries of networks that are not ours stay as they are, byte by byte; what a network
//! had that is gone is taken away.

use std::collections::BTreeMap;
use std::sync::Arc;

use udn_ledger::{Ledger, settle_node_subnets};
use udn_model::{
    ClusterSettings, Finding, Network, NetworkName, NodeName, NodeSubnetsByNetwork, Origin,
    PerFamily, Reason, Subject, Subnet,
};
use udn_wire::NodeSubnets;
use udn_wire::keys::NODE_SUBNETS;
use udn_wire::object::Node;
use udn_wire::refusal::annotation_path;

use crate::cache::Lookup;
use crate::decision::Decision;
use crate::view::{Layer3View, View};
use crate::work_item::WorkItem;
use crate::world::World;

/// What all nodes carry, as far as it can be read.
pub(crate) fn carried_by_all(world: &World) -> NodeSubnetsByNetwork {
    let mut all = NodeSubnetsByNetwork::new();
    for (node, object) in &world.nodes {
        let subnets = carried(object).unwrap_or_default();
        for network in subnets.networks() {
            if let Ok(Some(entry)) = subnets.entry(network) {
                all.entry(NetworkName::new(network)).or_default().insert(node.clone(), entry);
            }
        }
    }
    all
}

/// What all nodes carry of one network.
pub(crate) fn carried_of(
    lookup: Lookup<'_>,
    network: &NetworkName,
) -> BTreeMap<NodeName, PerFamily<Subnet>> {
    if !lookup.index.node_subnets.is_carried(network.as_str()) {
        return BTreeMap::new();
    }
    let of_node = |(name, node): (&NodeName, &Node)| {
        let entry = carried(node)?.entry(network.as_str()).ok().flatten()?;
        Some((name.clone(), entry))
    };
    lookup.world.nodes.iter().filter_map(of_node).collect()
}

fn carried(node: &Node) -> Option<NodeSubnets> {
    NodeSubnets::decode(node.metadata.annotation(NODE_SUBNETS)?).ok()
}

/// Subnets for a node; returns the networks of which others lack one now than before.
pub(super) fn decide(
    view: &View,
    (name, node): (&NodeName, &Node),
    ledger: &mut Ledger,
    decision: &mut Decision,
) -> Vec<WorkItem> {
    let text = node.metadata.annotation(NODE_SUBNETS).unwrap_or("{}");
    let mut carried = NodeSubnets::default();
    match NodeSubnets::decode(text) {
        Ok(read) => carried = read,
        Err(unreadable) => decision.findings.push(unreadable.about(Subject::Node(name.clone()))),
    }
    let mut touched = Vec::new();
    for network in networks(&view.layer3, &decision.settings) {
        let entry = carried.entry(network.name.as_str()).unwrap_or_else(|unreadable| {
            decision.findings.push(unreadable.about(Subject::Node(name.clone())));
            None
        });
        let entry = entry.unwrap_or_default();
        // The ledger has given it up already: the node hears of that soon.
        let Some(settled) = settle_node_subnets(&network.name, name, &entry, ledger) else {
            continue;
        };
        decision.findings.extend(settled.findings.into_iter().map(placed));
        if settled.is_news {
            touched.extend(item_of(&network));
        }
        if !settled.subnets.is_empty() {
            let granted = decision.grants.node_subnets.entry(network.name.clone()).or_default();
            granted.insert(name.clone(), settled.subnets);
        }
    }
    touched
}

/// Gives back what a node has that is gone; returns the networks of which it lacked a subnet.
pub(super) fn release(view: &View, name: &NodeName, ledger: &mut Ledger) -> Vec<WorkItem> {
    let lacked = ledger.release_node(name);
    let networks = lacked.iter().filter_map(|it| view.layer3.networks.get(it));
    networks.filter_map(|it| item_of(it)).collect()
}

/// The annotation with what the node is granted, and without what is gone; `None` where it stands so.
/// The inner one is what takes its place, if anything does.
pub(super) fn annotation(
    node: (&NodeName, &Node),
    layer3: &Layer3View,
    granted: &NodeSubnetsByNetwork,
) -> Option<Option<String>> {
    let (name, node) = node;
    let decoded = node.metadata.annotation(NODE_SUBNETS).map(NodeSubnets::decode);
    let mut is_other = matches!(decoded, Some(Err(_))) && !granted.is_empty();
    let mut entries = decoded.and_then(Result::ok).unwrap_or_default();
    for (network, nodes) in granted {
        let Some(subnets) = nodes.get(name) else { continue };
        if entries.entry(network.as_str()).ok().flatten().as_ref() != Some(subnets) {
            entries.put(network.as_str(), subnets);
            is_other = true;
        }
    }
    for network in &layer3.gone {
        entries.remove(network);
        is_other = true;
    }
    is_other.then(|| entries.encode())
}

/// The networks that every node has subnets of.
fn networks(layer3: &Layer3View, settings: &ClusterSettings) -> Vec<Arc<Network>> {
    let default = Network::of_settings(settings).map(Arc::new);
    layer3.networks.values().cloned().chain(default).collect()
}

/// What is wrong with the annotation is told there.
fn placed(finding: Finding) -> Finding {
    let is_about_the_text = [Reason::AlreadyTaken, Reason::OutOfRange].contains(&finding.reason);
    if is_about_the_text { finding.at(annotation_path(NODE_SUBNETS)) } else { finding }
}

/// Who tells people of a network; nobody of the default one.
fn item_of(network: &Network) -> Option<WorkItem> {
    match &network.origin {
        Origin::Manifest(manifest) => Some(WorkItem::Network(manifest.clone())),
        Origin::Nads => Some(WorkItem::HandWritten(network.name.clone())),
        Origin::Settings => None,
    }
}
