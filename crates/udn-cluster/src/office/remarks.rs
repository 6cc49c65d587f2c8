//! What works but is seldom meant: subnets over the nodes' own, subnets without free addresses, and
//! networks for nobody.
//!
//! Reads a slice and its intent; returns findings about the affair's own network, all of them
//! warnings.
//! Invariant: says of one network what `review` says of it in a whole world.

use udn_model::{Finding, Findings, Intent, Network, Node, Subject, Subnet};

use super::Slice;
use crate::affair::Affair;
use crate::review::{idle, overlaps};
use crate::spec::NamespaceIndex;
use crate::translate::{Described, only_on_request};

#[cfg(test)]
mod tests;

/// All remarks about an affair.
pub fn remarks(slice: &Slice, intent: &Intent) -> Findings {
    let mut findings = node_overlaps(slice, intent);
    findings.extend(only_on_request(described(slice, intent).into_iter()));
    findings.extend(nothing_selected(slice));
    findings
}

/// Subnets of the affair's network in which nodes have addresses.
pub fn node_overlaps(slice: &Slice, intent: &Intent) -> Findings {
    let Some(described) = described(slice, intent) else { return Findings::new() };
    // Most nodes are in no network's way; only those that are need to be looked at closely.
    let is_met = |node: &Node| {
        let outward = node.gateway.iter().flat_map(|gateway| &gateway.addresses);
        node.addresses.iter().chain(outward).any(|address| {
            let subnet = Subnet::of(*address);
            described.network.subnets.iter().any(|own| own.overlaps(subnet))
        })
    };
    let met = slice.roster.hosts.iter().filter(|(_, node)| is_met(node));
    overlaps(met, [described.clone()].into_iter())
}

fn nothing_selected(slice: &Slice) -> Option<Finding> {
    let Affair::ClusterUserDefinedNetwork(name) = &slice.affair else { return None };
    let cudn = slice.world.cluster_networks.get(name)?;
    idle(name, cudn, &NamespaceIndex::of(&slice.world.namespaces))
}

/// The affair's network, if there is one.
fn described<'a>(slice: &Slice, intent: &'a Intent) -> Option<Described<'a>> {
    let network = intent.networks.get(&slice.affair.network()?)?;
    if Some(&network.origin) != slice.affair.origin().as_ref() {
        return None;
    }
    let subject = match &slice.affair {
        Affair::UserDefinedNetwork(name) => Subject::UserDefinedNetwork(name.clone()),
        Affair::ClusterUserDefinedNetwork(name) => Subject::ClusterUserDefinedNetwork(name.clone()),
        Affair::Written(_) => Subject::Definition(network.definitions.first()?.clone()),
        Affair::Node(_) | Affair::DefaultDefinition | Affair::Pod(_) | Affair::Claim(_) => {
            return None;
        }
    };
    Some(Described { network, subject, part: part(&slice.affair, network) })
}

/// Where the manifest describes the network; a NAD does so in its configuration.
fn part(affair: &Affair, network: &Network) -> Option<&'static str> {
    let is_localnet = network.localnet().is_some();
    match affair {
        Affair::UserDefinedNetwork(_) => Some("spec.layer2"),
        Affair::ClusterUserDefinedNetwork(_) if is_localnet => Some("spec.network.localnet"),
        Affair::ClusterUserDefinedNetwork(_) => Some("spec.network.layer2"),
        Affair::Written(_)
        | Affair::Node(_)
        | Affair::DefaultDefinition
        | Affair::Pod(_)
        | Affair::Claim(_) => None,
    }
}
