//! What works but is seldom meant: subnets over the nodes' own, subnets without free addresses, and
//! networks for nobody.
//!
//! Reads a view and its intent; returns findings about the work item's own network, all of them
//! warnings.
//! Invariant: says of one network what `review` says of it in a whole world.

use udn_model::{Finding, Findings, Intent, Manifest, Network, Node, Subject, Subnet, Topology};

use self::node_overlap::overlaps;
use self::selectors::idle;
use crate::spec::NamespaceIndex;
use crate::translate::{Described, only_on_request};
use crate::view::View;
use crate::work_item::WorkItem;

mod node_overlap;
mod selectors;
#[cfg(test)]
mod tests;

/// All remarks about a work item.
pub fn remarks(view: &View, intent: &Intent) -> Findings {
    let mut findings = node_overlaps(view, intent);
    findings.extend(only_on_request(described(view, intent).into_iter()));
    findings.extend(nothing_selected(view));
    findings
}

/// Subnets of the work item's network in which nodes have addresses.
pub fn node_overlaps(view: &View, intent: &Intent) -> Findings {
    let Some(described) = described(view, intent) else { return Findings::new() };
    // Most nodes are in no network's way; only those that are need to be looked at closely.
    let is_met = |node: &Node| {
        let outward = node.gateway.iter().flat_map(|gateway| &gateway.addresses);
        node.addresses.iter().chain(outward).any(|address| {
            let subnet = Subnet::of(*address);
            described.network.ranges().any(|own| own.overlaps(subnet))
        })
    };
    let met = view.cluster_nodes.hosts.iter().filter(|(_, node)| is_met(node));
    overlaps(met, [described.clone()].into_iter())
}

fn nothing_selected(view: &View) -> Option<Finding> {
    let WorkItem::Network(Manifest::Cudn(name)) = &view.item else { return None };
    let cudn = view.world.cluster_networks.get(name)?;
    idle(name, cudn, &NamespaceIndex::of(&view.world.namespaces))
}

/// The work item's network, if there is one.
fn described<'a>(view: &View, intent: &'a Intent) -> Option<Described<'a>> {
    let network = intent.networks.get(&view.item.network()?)?;
    if Some(&network.origin) != view.item.origin().as_ref() {
        return None;
    }
    let subject = match &view.item {
        WorkItem::Network(manifest) => Subject::Manifest(manifest.clone()),
        WorkItem::HandWritten(_) => Subject::Nad(network.nads.first()?.clone()),
        WorkItem::Node(_) | WorkItem::DefaultNad | WorkItem::Pod(_) | WorkItem::Claim(_) => {
            return None;
        }
    };
    Some(Described { network, subject, part: part(&view.item, network) })
}

/// Where the manifest describes the network; a NAD does so in its configuration.
fn part(item: &WorkItem, network: &Network) -> Option<&'static str> {
    let is_cudn = match item {
        WorkItem::Network(Manifest::Udn(_)) => false,
        WorkItem::Network(Manifest::Cudn(_)) => true,
        WorkItem::HandWritten(_)
        | WorkItem::Node(_)
        | WorkItem::DefaultNad
        | WorkItem::Pod(_)
        | WorkItem::Claim(_) => return None,
    };
    match (&network.topology, is_cudn) {
        (Topology::Layer2(_), false) => Some("spec.layer2"),
        (Topology::Layer2(_), true) => Some("spec.network.layer2"),
        (Topology::Layer3(_), false) => Some("spec.layer3"),
        (Topology::Layer3(_), true) => Some("spec.network.layer3"),
        (Topology::Localnet(_), _) => Some("spec.network.localnet"),
    }
}
