//! A node: its number, its subnets, its labels, and what people are told of it.
//!
//! Reads a [`View`] and the ledger; returns a [`Decision`], then events.
//! Invariant: a node's number and subnets are written once; labels and legacy annotations follow what
//! is known.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use udn_ledger::{Ledger, settle_node};
use udn_model::{
    ClusterSettings, Family, Findings, InterfaceAddress, NodeId, NodeName, PerFamily, Subject,
};
use udn_wire::Target;
use udn_wire::keys::{NODE_ID, NODE_JOIN_LEGACY, NODE_SUBNETS, NODE_TRANSIT_ADDRESS};
use udn_wire::node_annotations::{decode_id, encode_id, encode_primary_address};
use udn_wire::object::Node;
use udn_wire::texts::Texts;

use crate::cache::Lookup;
use crate::decision::Decision;
use crate::status_update::StatusUpdate;
use crate::view::View;
use crate::work_item::WorkItem;
use crate::world::World;
use crate::write::{Event, Write};

mod labels;
mod report;
mod subnets;
#[cfg(test)]
mod tests;

use labels::{physical_network_labels, unlabelled_physical_networks};
pub use report::{NodeReport, node_report};
pub(crate) use subnets::{carried_by_all, carried_of};

/// The small world of a node: itself and its report.
pub(crate) fn view(lookup: Lookup<'_>, name: &NodeName) -> World {
    let mut world = World::default();
    world.nodes.share(&lookup.world.nodes, name);
    world.reports.share(&lookup.world.reports, name);
    world
}

/// What a decision about a node means for others.
#[derive(Debug, Default)]
pub(crate) struct Aftermath {
    /// Whether numbers were given back.
    pub(crate) is_released: bool,
    /// Networks of which others lack a subnet now than before.
    pub(crate) networks: Vec<WorkItem>,
}

/// A number and subnets for a node, or their end.
pub(crate) fn decide(
    view: &View,
    name: &NodeName,
    ledger: &mut Ledger,
    decision: &mut Decision,
) -> Aftermath {
    let node = view.world.nodes.get(name);
    let (id, findings) = published_node_id(node);
    decision.findings = findings;
    if decision.settings.features.node_labels {
        let report = view.world.reports.get(name);
        let told = report.map(|it| unlabelled_physical_networks(name, it));
        decision.findings.extend(told.into_iter().flatten());
    }
    let Some(node) = node else {
        return Aftermath { is_released: true, networks: subnets::release(view, name, ledger) };
    };
    let told = settle_node(name, id, ledger);
    decision.findings.extend(told.findings);
    decision.grants.nodes.extend(told.value.map(|id| (name.clone(), id)));
    let networks = subnets::decide(view, (name, node), ledger, decision);
    Aftermath { is_released: false, networks }
}

/// The number that a node carries, and what is wrong with it.
fn published_node_id(node: Option<&Node>) -> (Option<NodeId>, Findings) {
    let Some(node) = node else { return (None, Findings::new()) };
    let name = NodeName::new(&node.metadata.name);
    match node.metadata.annotation(NODE_ID).map(decode_id).transpose() {
        Ok(id) => (id, Findings::new()),
        Err(unreadable) => (None, vec![unreadable.about(Subject::Node(name))]),
    }
}

/// The node's number, its subnets, its address on the transit switch, and annotations of old that
/// mislead.
pub(crate) fn writes(view: &View, decision: &Decision, name: &NodeName) -> Vec<Write> {
    let Some(node) = view.world.nodes.get(name).filter(|it| !it.metadata.is_leaving()) else {
        return Vec::new();
    };
    let mut wanted: BTreeMap<&str, Option<String>> = BTreeMap::new();
    if let Some(id) = decision.grants.nodes.get(name) {
        wanted.insert(NODE_ID, Some(encode_id(*id)));
        wanted.insert(NODE_TRANSIT_ADDRESS, Some(transit_address(*id, &decision.settings)));
        wanted.insert(NODE_JOIN_LEGACY, None);
    }
    let mut annotations = differing(&wanted, &node.metadata.annotations);
    let subnets = subnets::annotation((name, node), &view.layer3, &decision.grants.node_subnets);
    annotations.extend(subnets.map(|text| (NODE_SUBNETS.to_owned(), json!(text))));
    let mut metadata = Map::new();
    if !annotations.is_empty() {
        metadata.insert("annotations".to_owned(), Value::Object(annotations));
    }
    if decision.settings.features.node_labels {
        let labels = physical_network_labels(node, view.world.reports.get(name));
        if !labels.is_empty() {
            metadata.insert("labels".to_owned(), json!(labels));
        }
    }
    if metadata.is_empty() {
        return Vec::new();
    }
    vec![Write::patch(Target::node(name), &node.metadata, metadata)]
}

/// The entries that are not as they should be; `null` takes one away.
fn differing(wanted: &BTreeMap<&str, Option<String>>, standing: &Texts) -> Map<String, Value> {
    let differing = wanted.iter().filter(|(key, text)| standing.get(key) != text.as_ref());
    differing.map(|(key, text)| ((*key).to_owned(), json!(text))).collect()
}

/// The node's port on the default network's transit switch: the subnet's base plus the node's id.
// compat: pkg/clustermanager/node, OvnTransitSwitchPortAddr
fn transit_address(id: NodeId, settings: &ClusterSettings) -> String {
    let mut addresses: PerFamily<InterfaceAddress> = PerFamily::default();
    for family in Family::BOTH.into_iter().filter(|it| settings.families.contains(it)) {
        let subnet = settings.transit.of(family);
        let address = subnet.and_then(|it| it.interface_address(id.get().into()));
        if let Some(address) = address {
            addresses.put(family, address);
        }
    }
    encode_primary_address(&addresses)
}

/// What people are told of a node.
pub(crate) fn status_update(view: &View, name: &NodeName, findings: &Findings) -> StatusUpdate {
    let Some(node) = view.world.nodes.get(name) else { return StatusUpdate::default() };
    let subject = Subject::Node(name.clone());
    let own = findings.iter().filter(|it| it.subject == subject);
    let events = own.map(|it| Event::warning(Target::node(name), &node.metadata, it)).collect();
    StatusUpdate { write: None, events }
}
