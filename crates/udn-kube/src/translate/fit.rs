//! Whether a network fits into the cluster: its families, and subnets that others use.
//!
//! Reads proposals and settings; returns those that fit.
//! Invariant: a network that has its number already lives on; it is told about, not taken away.

use udn_model::{ClusterSettings, Findings, Network, Reason, Subnet, Topology};

use super::rivals::Proposal;
use crate::refusal::Refusal;

/// The proposals that fit.
pub(super) fn fitting(
    mut proposals: Vec<Proposal>,
    settings: &ClusterSettings,
    findings: &mut Findings,
) -> Vec<Proposal> {
    proposals.retain(|proposal| {
        let refusals = objections(&proposal.network, settings);
        let is_good = refusals.is_empty();
        findings.extend(refusals.into_iter().map(|refusal| refusal.about(proposal.subject())));
        is_good || proposal.id.is_some()
    });
    proposals
}

/// Why the network does not fit.
pub(crate) fn objections(network: &Network, settings: &ClusterSettings) -> Vec<Refusal> {
    let missing = network
        .subnets
        .iter()
        .filter(|subnet| network.is_primary() && !settings.families.contains(&subnet.family()));
    let missing = missing.map(|subnet| {
        let family = subnet.family();
        let message =
            format!("subnet {subnet} is {family}, which the cluster does not have; remove it");
        Refusal::new(Reason::FamilyMissing, message)
    });
    missing.chain(overlaps(network, settings)).collect()
}

/// Subnets of the network that somebody else's traffic needs.
// compat: pkg/util/multi_network.go, SubnetOverlapCheck
fn overlaps(network: &Network, settings: &ClusterSettings) -> Vec<Refusal> {
    let join = match &network.topology {
        Topology::PrimaryLayer2(primary) => primary.join.iter().copied().collect(),
        Topology::SecondaryLayer2 => Vec::new(),
        Topology::Localnet(_) => return Vec::new(),
    };
    let theirs = used_by_the_cluster(network, settings);
    let mut refusals = Vec::new();
    let ours = named("subnet", network.subnets.iter());
    let ours = ours.chain(named("join subnet", join.iter().copied()));
    for (name, subnet) in ours {
        let overlap = theirs.iter().find(|(_, other)| subnet.overlaps(*other));
        refusals.extend(overlap.map(|(user, other)| overlap_of(name, subnet, user, *other)));
    }
    for subnet in network.subnets.iter() {
        let overlap = join.iter().find(|other| subnet.overlaps(**other));
        let own = "network's own join subnet";
        refusals.extend(overlap.map(|other| overlap_of("subnet", subnet, own, *other)));
    }
    refusals
}

/// What the cluster uses, except where the network keeps clear of it.
fn used_by_the_cluster(
    network: &Network,
    settings: &ClusterSettings,
) -> Vec<(&'static str, Subnet)> {
    let clusters = named("cluster subnet", settings.cluster_subnets.iter().copied());
    let services = named("service subnet", settings.service_subnets.iter().copied());
    let joins = named("default network's join subnet", settings.default_join.iter().copied());
    let masquerades = named("masquerade subnet", settings.masquerade.iter().copied());
    let all = clusters.chain(services).chain(joins).chain(masquerades);
    let is_met = |subnet: &Subnet| !network.excluded.iter().any(|it| it.contains_subnet(*subnet));
    all.filter(|(_, subnet)| is_met(subnet)).collect()
}

fn named(
    name: &'static str,
    subnets: impl Iterator<Item = Subnet>,
) -> impl Iterator<Item = (&'static str, Subnet)> {
    subnets.map(move |subnet| (name, subnet))
}

fn overlap_of(name: &str, subnet: Subnet, user: &str, other: Subnet) -> Refusal {
    let message = format!("{name} {subnet} overlaps the {user} {other}; choose another");
    Refusal::new(Reason::SubnetOverlap, message)
}
