//! The annotations that a node writes on its Node, from what it knows of itself.
//!
//! Invariant: of what the node does not know yet, nothing is written; what others write stays.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use udn_cluster::NodeReport;
use udn_cluster::node::node_report;
use udn_host::chassis::OwnFacts;
use udn_model::{ClusterSettings, NodeName};
use udn_wire::keys::{NODE_MASQUERADE, NODE_ZONE};
use udn_wire::node_annotations::encode_masquerade_subnets;
use udn_wire::texts::Texts;

/// What stands on a Node that says all that it knows.
// compat: pkg/util/node_annotations.go
pub fn annotations(
    node: &NodeName,
    cluster: &ClusterSettings,
    facts: &OwnFacts,
) -> BTreeMap<String, String> {
    // A node without a chassis is nothing to OVN yet.
    let Some(chassis) = facts.chassis.clone() else { return BTreeMap::new() };
    let mut annotations = node_report(&NodeReport {
        node: node.clone(),
        chassis,
        gateway: facts.gateway.clone(),
        gateway_mode: cluster.gateway_mode,
        addresses: facts.addresses.clone(),
        tunnel_addresses: facts.tunnel_addresses.clone(),
    });
    // Each node is a zone of its own.
    annotations.insert(NODE_ZONE.to_owned(), node.to_string());
    let masquerade = encode_masquerade_subnets(&cluster.masquerade);
    annotations.insert(NODE_MASQUERADE.to_owned(), masquerade);
    annotations
}

/// The entries that do not stand as wanted, as a merge patch has them.
pub(super) fn differing(wanted: &BTreeMap<String, String>, standing: &Texts) -> Map<String, Value> {
    let differing = wanted.iter().filter(|(key, text)| standing.get(key) != Some(*text));
    differing.map(|(key, text)| (key.clone(), json!(text))).collect()
}
