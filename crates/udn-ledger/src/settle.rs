//! Settles an intent: everybody keeps what was published, and gets what is missing.
//!
//! Reads the intent and the ledger; returns the new ledger and all grants in force.
//! Invariant: all published numbers are written down before the first new one is granted.

use std::collections::{BTreeMap, BTreeSet};

use udn_model::{
    AttachmentKey, Claim, ClusterSettings, Findings, Grants, Intent, Network, NetworkName, NodeId,
    NodeName, ObjectName, PublishedClaim, Told,
};

use crate::addresses::settle_claim;
use crate::grant::{grant_network, grant_node};
use crate::ledger::Ledger;

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
    let mut claims: BTreeMap<&NetworkName, Vec<&Claim>> = BTreeMap::new();
    intent.claims.values().for_each(|it| claims.entry(&it.network).or_default().push(it));
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
        let of = claims.get(name).map_or(&[][..], Vec::as_slice);
        let told = settle_addresses(network, of, intent, &mut ledger, settings);
        grants.attachments.extend(told.value.attachments);
        grants.claims.extend(told.value.claims);
        findings.extend(told.findings);
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
    let closed = |name: &&NetworkName| !networks.contains_key(*name);
    let closed: Vec<NetworkName> = ledger.networks.keys().filter(closed).cloned().collect();
    closed.iter().for_each(|name| ledger.close_network(name));
    release_gone_pods(intent, ledger);
}

/// Releases pods that are gone, and those that others of the same name came after.
fn release_gone_pods(intent: &Intent, ledger: &mut Ledger) {
    let all = intent.attachments.values().flat_map(BTreeMap::values);
    let uids: BTreeMap<&ObjectName, &str> =
        all.map(|it| (&it.key.pod, it.pod_uid.as_str())).collect();
    let is_gone = |pod: &&ObjectName| !uids.contains_key(pod);
    let gone: Vec<ObjectName> = ledger.pods.names().filter(is_gone).cloned().collect();
    for pod in &gone {
        ledger.release_pod(pod);
    }
    for (pod, uid) in uids {
        ledger.release_earlier(pod, uid);
    }
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
    let has_keys = |name: &_| intent.networks.get(name).is_none_or(|it| it.is_primary());
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

/// What the claims and then the pods of a network have.
fn settle_addresses(
    network: &Network,
    claims: &[&Claim],
    intent: &Intent,
    ledger: &mut Ledger,
    settings: &ClusterSettings,
) -> Told<Grants> {
    let name = &network.name;
    let mut told = Told::<Grants>::default();
    release_gone_holders(name, intent, ledger);
    ledger.open_with(intent, name, settings, claims.iter().copied());
    for claim in claims {
        let settled = settle_claim(intent, &claim.name, ledger, settings);
        told.findings.extend(settled.findings);
        told.value.claims.extend(settled.value.map(|grant| (claim.name.clone(), grant)));
    }
    let mut granted = BTreeMap::new();
    for attachment in intent.attachments_of(name) {
        // Claims and pods are published in one go, so what was granted just now is as good as
        // durable.
        let claim = attachment.claim.as_ref().and_then(|it| told.value.claims.get(it));
        let durable =
            claim.map(|it| PublishedClaim { addresses: it.addresses.clone(), mac: Some(it.mac) });
        ledger.note(attachment);
        match ledger.settle_attachment(attachment, intent, durable.as_ref()) {
            Some(Ok(grant)) => {
                granted.insert(attachment.key.clone(), grant);
            }
            Some(Err(findings)) => told.findings.extend(findings),
            None => {}
        }
    }
    told.value.attachments.insert(name.clone(), granted);
    told
}

/// Releases what nobody in the intent wants any more.
fn release_gone_holders(name: &NetworkName, intent: &Intent, ledger: &mut Ledger) {
    let Some(allocations) = ledger.networks.get_mut(name) else { return };
    let is_gone = |key: &&AttachmentKey| intent.attachment(name, key).is_none();
    let gone: Vec<AttachmentKey> = allocations.attachment_keys().filter(is_gone).cloned().collect();
    gone.iter().for_each(|key| allocations.release_attachment(key));
    let is_gone =
        |claim: &&ObjectName| intent.claims.get(*claim).is_none_or(|claim| claim.network != *name);
    let gone: Vec<ObjectName> = allocations.claims().filter(is_gone).cloned().collect();
    for claim in gone {
        ledger.release_claim(&claim);
    }
}
