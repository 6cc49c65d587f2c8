//! What is wrong, or may be, with objects that somebody is about to apply.
//!
//! Reads a [`World`]; returns findings that no API server can give, as they are about several
//! objects at once.
//! Invariant: of what is not among the objects nothing is assumed: manifests are often a part of
//! what a cluster has.

use udn_model::{ClusterSettings, Finding, Findings, NodeName, Reason, Topic};

use crate::dry_run::{Scope, dry_run};
use crate::translate::node_not_found;
use crate::world::World;

#[cfg(test)]
mod tests;

/// Everything that the cluster controller would find in these objects, and warnings about what works
/// but is seldom meant.
///
/// This is the whole of `udn validate`'s findings of source `cluster`; [`translate::cluster`] need
/// not be asked as well. [`Finding::path`] is the place in the subject's object and
/// [`Finding::severity`] how bad it is. Objects that a CRD's schema refuses had better not be in
/// the world: what is wrong with them would be told a second time, as [`Reason::InvalidSpec`] and in
/// other words than the server's.
///
/// A world with all namespaces, nodes and NADs of a cluster (`--against`) makes more findings
/// possible. Without any namespace, nothing is said of namespaces that are missing or selected;
/// without any node, nothing of nodes.
///
/// [`translate::cluster`]: crate::translate::cluster
pub fn review(world: &World, settings: &ClusterSettings) -> Findings {
    let mut findings = dry_run(world.clone(), settings, Scope::Manifests).findings;
    findings.retain(|finding| is_known(world, finding));
    findings.extend(unknown_nodes(world));
    findings.sort();
    findings
}

/// Pods on nodes that are not among those given; where there are none, nothing is known of nodes.
fn unknown_nodes(world: &World) -> Findings {
    let pods = world.pods.iter().filter(|(_, pod)| pod.is_on_networks());
    let named = pods.map(|(name, pod)| (name, pod.spec.node_name.as_str()));
    let is_unknown =
        |node: &str| !node.is_empty() && !world.nodes.contains_key(&NodeName::new(node));
    let unknown = named.filter(|(_, node)| !world.nodes.is_empty() && is_unknown(node));
    unknown.map(|(pod, node)| node_not_found(pod, node)).collect()
}

/// Whether the finding would stand if the rest of the cluster were known.
fn is_known(world: &World, finding: &Finding) -> bool {
    match finding.reason.topic() {
        Topic::Namespace => {
            finding.reason != Reason::NamespaceNotFound || !world.namespaces.is_empty()
        }
        Topic::Remark => finding.reason != Reason::NothingSelected || !world.namespaces.is_empty(),
        Topic::Refusal
        | Topic::Waiting
        | Topic::Exhaustion
        | Topic::Address
        | Topic::Mac
        | Topic::Range
        | Topic::Claim => true,
    }
}
