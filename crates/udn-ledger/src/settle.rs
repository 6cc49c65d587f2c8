//! Settles an intent: everybody keeps what was published, and gets what is missing.
//!
//! Reads the intent and the ledger; returns the new ledger and all grants in force.
//! Invariant: all published numbers are written down before the first new one is granted.

use std::collections::{BTreeMap, BTreeSet};

use udn_model::{
    ClusterSettings, Findings, Grants, Intent, Network, NetworkName, NodeId, NodeName, Told,
};

use crate::grant::{grant_network, grant_node};
use crate::ledger::Ledger;
use crate::network_ledger::NetworkLedger;

#[cfg(test)]
mod tests;

/// Grants what the intent needs, and releases what it no longer mentions.
pub fn settle(
    intent: &Intent,
    mut ledger: Ledger,
    settings: &ClusterSettings,
) -> (Ledger, Told<Grants>) {
    let mut findings = Findings::new();
    release_gone(intent, &mut ledger);
    adopt_nodes(intent, &mut ledger, &mut findings);
    let refused = adopt_networks(intent, &mut ledger, &mut findings);
    let mut grants =
        Grants { nodes: grant_nodes(intent, &mut ledger, &mut findings), ..Grants::default() };
    for (name, network) in &intent.networks {
        if refused.contains(name) {
            continue;
        }
        match grant_network(network, intent.published.networks.get(name), &mut ledger, settings) {
            Ok(grant) => {
                grants.networks.insert(name.clone(), grant);
            }
            Err(finding) => findings.push(finding),
        }
        let granted = settle_attachments(network, intent, &mut ledger, settings, &mut findings);
        grants.attachments.insert(name.clone(), granted.grants().clone());
    }
    (ledger, Told::new(grants, findings))
}

/// A network that is in disorder keeps its numbers as long as something carries them.
fn release_gone(intent: &Intent, ledger: &mut Ledger) {
    let Intent { networks, nodes, published, .. } = intent;
    let gone: Vec<NodeName> =
        ledger.nodes.holders().filter(|it| !nodes.contains_key(*it)).cloned().collect();
    gone.iter().for_each(|node| ledger.release_node(node));
    for name in ledger.network_holders() {
        if !networks.contains_key(&name) && !published.networks.contains_key(&name) {
            ledger.release_network(&name);
        }
    }
    ledger.networks.retain(|name, _| networks.contains_key(name));
}

fn adopt_nodes(intent: &Intent, ledger: &mut Ledger, findings: &mut Findings) {
    for (node, id) in &intent.published.nodes {
        findings.extend(ledger.adopt_node(node, *id));
    }
}

/// Writes down the published numbers of networks; returns those whose numbers belong to others.
fn adopt_networks(
    intent: &Intent,
    ledger: &mut Ledger,
    findings: &mut Findings,
) -> BTreeSet<NetworkName> {
    let mut refused = BTreeSet::new();
    let has_keys = |name: &_| intent.networks.get(name).is_none_or(Network::is_primary);
    for (name, found) in ledger.adopt_networks(&intent.published.networks, has_keys) {
        if intent.networks.contains_key(&name) {
            findings.extend(found);
            refused.insert(name);
        }
    }
    refused
}

fn grant_nodes(
    intent: &Intent,
    ledger: &mut Ledger,
    findings: &mut Findings,
) -> BTreeMap<NodeName, NodeId> {
    let mut granted = BTreeMap::new();
    for node in intent.nodes.keys() {
        match grant_node(node, ledger) {
            Ok(id) => {
                granted.insert(node.clone(), id);
            }
            Err(finding) => findings.push(finding),
        }
    }
    granted
}

fn settle_attachments<'l>(
    network: &Network,
    intent: &Intent,
    ledger: &'l mut Ledger,
    settings: &ClusterSettings,
    findings: &mut Findings,
) -> &'l NetworkLedger {
    let name = &network.name;
    let own = ledger
        .networks
        .entry(name.clone())
        .and_modify(|own| {
            if !own.is_for(network) {
                *own = NetworkLedger::new(network, settings);
            }
        })
        .or_insert_with(|| NetworkLedger::new(network, settings));
    let none = BTreeMap::new();
    let wanted = intent.attachments.get(name).unwrap_or(&none);
    own.keep_only(wanted);
    let mut refused = BTreeSet::new();
    for (key, published) in intent.published.attachments.get(name).into_iter().flatten() {
        if wanted.contains_key(key) {
            let found = own.adopt(key, published);
            if !found.is_empty() {
                refused.insert(key);
            }
            findings.extend(found);
        }
    }
    for attachment in wanted.values().filter(|it| !refused.contains(&it.key)) {
        findings.extend(own.grant(attachment).err());
    }
    own
}
