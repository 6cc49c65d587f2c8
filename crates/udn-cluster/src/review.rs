//! What is wrong, or may be, with objects that somebody is about to apply.
//!
//! Reads a [`World`]; returns findings that no API server can give, as they are about several
//! objects at once.
//! Invariant: of what is not among the objects nothing is assumed: manifests are often a part of
//! what a cluster has.

use udn_model::{ClusterSettings, Finding, Findings, Reason, Topic};

use crate::translate::{Proposal, cluster_with_proposals, only_on_request};
use crate::world::World;

mod nodes;
mod selectors;
#[cfg(test)]
mod tests;

pub(crate) use nodes::overlaps;
pub(crate) use selectors::idle;

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
    let (told, proposals) = cluster_with_proposals(world, settings);
    let mut findings = told.findings;
    findings.retain(|finding| is_known(world, finding));
    findings.extend(only_on_request(proposals.iter().map(Proposal::described)));
    let described = proposals.iter().map(Proposal::described);
    findings.extend(overlaps(told.value.nodes.iter(), described));
    findings.extend(selectors::all_idle(world));
    findings.sort();
    findings.dedup();
    findings
}

/// Whether the finding would stand if the rest of the cluster were known.
fn is_known(world: &World, finding: &Finding) -> bool {
    match finding.reason.topic() {
        Topic::Seat => finding.reason != Reason::NamespaceNotFound || !world.namespaces.is_empty(),
        Topic::Waiting => finding.reason != Reason::NotScheduled || !world.nodes.is_empty(),
        Topic::Refusal
        | Topic::Room
        | Topic::Address
        | Topic::Mac
        | Topic::Range
        | Topic::Claim
        | Topic::Remark => true,
    }
}
