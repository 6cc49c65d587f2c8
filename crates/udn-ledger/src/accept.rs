//! Accepts what was published, whether the cluster controller or the zone itself granted it.
//!
//! Reads an intent; returns the grants that are complete.
//! Invariant: a number is in force here only after it is durable.

use std::collections::BTreeMap;

use udn_model::{
    AttachmentGrant, AttachmentKey, ClusterSettings, Finding, Findings, Grants, Intent, Network,
    NetworkGrant, NetworkId, NetworkName, NodeId, NodeName, PublishedNetwork, Reason, Role,
    Subject, Told, Topology,
};

use crate::transit::choose_transit;

mod node_subnets;
mod on_node;
#[cfg(test)]
mod tests;

pub use node_subnets::accept_node_subnets;
use on_node::accept_on_node;

/// The published grants of everything in the intent.
pub fn accept(intent: &Intent, settings: &ClusterSettings) -> Told<Grants> {
    let Told { value: nodes, mut findings } = accept_nodes(intent);
    let mut grants = Grants { nodes, ..Grants::default() };
    for name in intent.networks.keys() {
        let Told { value: subnets, findings: found } = accept_node_subnets(intent, name);
        findings.extend(found);
        if !subnets.is_empty() {
            grants.node_subnets.insert(name.clone(), subnets);
        }
        match accept_network(intent, name, settings) {
            Ok(grant) => {
                grants.networks.insert(name.clone(), grant);
            }
            Err(finding) => {
                findings.push(finding);
                continue;
            }
        }
        let accepted = match is_cut(intent, name) {
            true => accept_on_node(intent, name, grants.node_subnets.get(name), settings),
            false => Told::new(accept_attachments(intent, name), Findings::new()),
        };
        findings.extend(accepted.findings);
        if !accepted.value.is_empty() {
            grants.attachments.insert(name.clone(), accepted.value);
        }
    }
    Told::new(grants, findings)
}

/// Whether nodes have subnets of their own in a network.
fn is_cut(intent: &Intent, name: &NetworkName) -> bool {
    intent.networks.get(name).is_some_and(|it| it.layer3().is_some())
}

/// The published numbers of one network of the intent, or what it waits for.
pub fn accept_network(
    intent: &Intent,
    name: &NetworkName,
    settings: &ClusterSettings,
) -> Result<NetworkGrant, Finding> {
    let network = intent.networks.get(name).ok_or("the network is gone");
    let grant = network
        .map_err(str::to_owned)
        .and_then(|network| complete(network, intent.published.networks.get(name), settings));
    grant.map_err(|lacking| Finding::new(Subject::Network(name.clone()), Reason::Waiting, lacking))
}

/// What pods that are on a network carry of it.
pub fn accept_attachments(
    intent: &Intent,
    network: &NetworkName,
) -> BTreeMap<AttachmentKey, AttachmentGrant> {
    let published = intent.published.attachments.get(network).into_iter().flatten();
    let wanted = published.filter(|(key, _)| intent.attachment(network, key).is_some());
    wanted.map(|(key, grant)| (key.clone(), grant.clone())).collect()
}

/// The ids of nodes; of two with the same one, the later has none.
pub fn accept_nodes(intent: &Intent) -> Told<BTreeMap<NodeName, NodeId>> {
    let mut findings = Findings::new();
    let mut holders: BTreeMap<NodeId, &NodeName> = BTreeMap::new();
    let mut accepted = BTreeMap::new();
    let published = intent.published.nodes.iter();
    for (node, id) in published.filter(|(node, _)| intent.nodes.contains_key(*node)) {
        let holder = *holders.entry(*id).or_insert(node);
        if holder == node {
            accepted.insert(node.clone(), *id);
        } else {
            let message = format!(
                "node id {id} is held by {holder} too; remove it from the annotations of {node} so \
                 that a free one is granted"
            );
            findings.push(Finding::new(Subject::Node(node.clone()), Reason::AlreadyTaken, message));
        }
    }
    Told::new(accepted, findings)
}

fn complete(
    network: &Network,
    published: Option<&PublishedNetwork>,
    settings: &ClusterSettings,
) -> Result<NetworkGrant, String> {
    if network.is_default() {
        // Nobody has to grant what is the same in every cluster.
        let (tunnel_keys, transit) = Default::default();
        return Ok(NetworkGrant { id: NetworkId::DEFAULT, tunnel_keys, transit });
    }
    let lacking = |what: &str| {
        format!("the cluster controller has not published {what} yet; look at its status")
    };
    let published = published.ok_or_else(|| lacking("the network id"))?;
    let id = published.id.ok_or_else(|| lacking("the network id"))?;
    let tunnel_keys = published.tunnel_keys.clone().unwrap_or_default();
    let needed = match network.topology {
        Topology::Layer2(Role::Primary(_)) => 2,
        Topology::Layer2(Role::Secondary) | Topology::Layer3(_) | Topology::Localnet(_) => 0,
    };
    if tunnel_keys.len() < needed {
        return Err(lacking("the two tunnel keys"));
    }
    // A NAD written by hand may lack the transit subnet; every process finds the same one.
    let transit = choose_transit(network, &published.transit, settings).map_err(|problem| {
        format!(
            "no transit subnet is free of overlaps: {} overlaps {}",
            problem.candidate, problem.overlaps
        )
    })?;
    Ok(NetworkGrant { id, tunnel_keys, transit })
}
