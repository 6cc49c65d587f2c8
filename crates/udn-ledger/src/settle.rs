//! Settles an intent: everybody keeps what was published, and gets what is missing.
//!
//! Reads the intent and the ledger; returns the new ledger and all grants in force.
//! Invariant: all published numbers are written down before the first new one is granted.

use std::collections::{BTreeMap, BTreeSet};

use udn_model::{
    ClusterSettings, Finding, Findings, Grants, Intent, Network, NetworkGrant, NetworkId,
    NetworkName, NodeId, NodeName, PublishedNetwork, Reason, Subject, Told, Topology, TunnelKey,
};

use crate::book::{Book, Refusal};
use crate::ledger::{FIRST_TUNNEL_KEY, Ledger};
use crate::network_ledger::NetworkLedger;
use crate::transit::choose_transit;

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

fn release_gone(intent: &Intent, ledger: &mut Ledger) {
    release_all_but(&mut ledger.nodes, |node| intent.nodes.contains_key(node));
    release_all_but(&mut ledger.ids, |network| intent.networks.contains_key(network));
    release_all_but(&mut ledger.keys, |name| {
        intent.networks.get(name).is_some_and(Network::is_primary)
    });
    ledger.networks.retain(|name, _| intent.networks.contains_key(name));
}

fn release_all_but<H: Ord + Clone>(book: &mut Book<H>, is_wanted: impl Fn(&H) -> bool) {
    let gone: Vec<H> = book.holders().filter(|holder| !is_wanted(holder)).cloned().collect();
    gone.iter().for_each(|holder| book.release(holder));
}

fn adopt_nodes(intent: &Intent, ledger: &mut Ledger, findings: &mut Findings) {
    for (node, id) in &intent.published.nodes {
        if let Err(refusal) = ledger.nodes.hold(node, id.get().into()) {
            let message = held(&format!("node id {id}"), &refusal, "the node's annotation");
            findings.push(Finding::new(Subject::Node(node.clone()), Reason::AlreadyTaken, message));
        }
    }
}

/// Writes down the published numbers of networks; returns those whose numbers belong to others.
fn adopt_networks(
    intent: &Intent,
    ledger: &mut Ledger,
    findings: &mut Findings,
) -> BTreeSet<NetworkName> {
    let mut refused = BTreeSet::new();
    for (name, published) in &intent.published.networks {
        if !intent.networks.contains_key(name) {
            continue;
        }
        if let Err(message) = adopt_network(name, published, ledger) {
            let subject = Subject::Network(name.clone());
            findings.push(Finding::new(subject, Reason::AlreadyTaken, message));
            refused.insert(name.clone());
        }
    }
    refused
}

fn adopt_network(
    name: &NetworkName,
    published: &PublishedNetwork,
    ledger: &mut Ledger,
) -> Result<(), String> {
    let from = "the annotations of the network's NADs";
    if let Some(id) = published.id {
        let held_by_other = |refusal| held(&format!("network id {id}"), &refusal, from);
        ledger.ids.hold(name, id.get().into()).map_err(held_by_other)?;
    }
    if let Some(key) = published.tunnel_keys.as_ref().and_then(|keys| keys.get(1)) {
        let held_by_other = |refusal| held(&format!("tunnel key {key}"), &refusal, from);
        ledger.keys.hold(name, key.get().into()).map_err(held_by_other)?;
    }
    Ok(())
}

fn held<H: std::fmt::Display>(what: &str, refusal: &Refusal<H>, from: &str) -> String {
    match refusal {
        Refusal::HeldBy(holder) => {
            format!(
                "{what} in {from} is held by {holder}; remove it there so that a free one is granted"
            )
        }
        Refusal::Blocked => {
            format!(
                "{what} in {from} is outside the pool; remove it there so that a free one is granted"
            )
        }
    }
}

fn grant_nodes(
    intent: &Intent,
    ledger: &mut Ledger,
    findings: &mut Findings,
) -> BTreeMap<NodeName, NodeId> {
    let mut granted = BTreeMap::new();
    for node in intent.nodes.keys() {
        let number = ledger.nodes.grant(node).and_then(|number| u16::try_from(number).ok());
        match number.and_then(NodeId::new) {
            Some(id) => {
                granted.insert(node.clone(), id);
            }
            None => findings.push(Finding::new(
                Subject::Node(node.clone()),
                Reason::PoolExhausted,
                "no node id is left; remove nodes that no longer exist",
            )),
        }
    }
    granted
}

fn grant_network(
    network: &Network,
    published: Option<&PublishedNetwork>,
    ledger: &mut Ledger,
    settings: &ClusterSettings,
) -> Result<NetworkGrant, Finding> {
    let name = &network.name;
    let finding = |reason, message| Finding::new(Subject::Network(name.clone()), reason, message);
    let number = ledger.ids.grant(name).and_then(|number| u16::try_from(number).ok());
    let id = number.and_then(NetworkId::new).ok_or_else(|| {
        let last = settings.pools.last_network;
        let message = format!("all {last} network ids are in use; delete networks that are not");
        finding(Reason::PoolExhausted, message)
    })?;
    let tunnel_keys = match network.topology {
        Topology::PrimaryLayer2(_) => grant_keys(name, id, published, ledger).ok_or_else(|| {
            let message = "all tunnel keys are in use; delete primary networks that are not";
            finding(Reason::PoolExhausted, message.to_owned())
        })?,
        Topology::SecondaryLayer2 | Topology::Localnet(_) => Vec::new(),
    };
    let settled = published.map(|it| it.transit).unwrap_or_default();
    let transit = choose_transit(network, &settled, settings).map_err(|problem| {
        let message = format!(
            "no transit subnet is free of overlaps: {} overlaps {}; choose a smaller or another \
             subnet for the network",
            problem.candidate, problem.overlaps
        );
        finding(Reason::SubnetOverlap, message)
    })?;
    Ok(NetworkGrant { id, tunnel_keys, transit })
}

/// The switch's key, which follows from the id unless another was published, and the transit
/// router's.
fn grant_keys(
    name: &NetworkName,
    id: NetworkId,
    published: Option<&PublishedNetwork>,
    ledger: &mut Ledger,
) -> Option<Vec<TunnelKey>> {
    let settled = published.and_then(|it| it.tunnel_keys.as_ref()?.first().copied());
    let first = settled.or_else(|| TunnelKey::new(FIRST_TUNNEL_KEY + u32::from(id.get())))?;
    let second = u32::try_from(ledger.keys.grant(name)?).ok().and_then(TunnelKey::new)?;
    Some(vec![first, second])
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
