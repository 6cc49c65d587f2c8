//! Whether a network fits into the cluster: its families, subnets that others use, what is switched
//! off, and names of links.
//!
//! Reads proposals and settings; returns those that fit.
//! Invariant: a network that has its number already lives on; it is told about, not taken away.

use udn_model::{ClusterSettings, Findings, PerFamily, Reason, Subnet, Topology};
use udn_wire::refusal::Refusal;

use super::nads::PublishedNetworks;
use super::proposal::Proposal;
use super::{devices, features};

/// The proposals that fit.
pub(super) fn fitting(
    mut proposals: Vec<Proposal>,
    settings: &ClusterSettings,
    published: &PublishedNetworks,
    findings: &mut Findings,
) -> Vec<Proposal> {
    proposals.retain(|proposal| {
        let known = published.get(&proposal.network.name);
        let transit = known.map(|it| it.transit).unwrap_or_default();
        let refusals = objections(proposal, transit, settings);
        let is_good = refusals.is_empty();
        findings.extend(refusals.into_iter().map(|refusal| refusal.about(proposal.subject())));
        is_good || proposal.id.is_some()
    });
    proposals
}

/// Why the network does not fit.
fn objections(
    proposal: &Proposal,
    transit: PerFamily<Subnet>,
    settings: &ClusterSettings,
) -> Vec<Refusal> {
    let network = &proposal.network;
    let subnets = network.ranges().enumerate();
    let missing =
        subnets.filter(|(_, it)| network.is_primary() && !settings.families.contains(&it.family()));
    let missing = missing.map(|(position, subnet)| {
        let family = subnet.family();
        let message =
            format!("subnet {subnet} is {family}, which the cluster does not have; remove it");
        Refusal::new(Reason::FamilyMissing, message).at(proposal.subnet_path(position))
    });
    let overlaps = overlaps(proposal, transit, settings);
    let features = features::objections(proposal, &settings.features);
    missing.chain(overlaps).chain(features).chain(devices::objection(proposal)).collect()
}

/// A subnet that somebody uses.
struct Used {
    /// In a sentence: `subnet`, `join subnet`, `service subnet`.
    name: &'static str,
    subnet: Subnet,
    path: String,
}

/// Subnets of the network that somebody else's traffic needs, or that it needs twice itself.
// compat: pkg/util/multi_network.go, SubnetOverlapCheck
fn overlaps(
    proposal: &Proposal,
    transit: PerFamily<Subnet>,
    settings: &ClusterSettings,
) -> Vec<Refusal> {
    let network = &proposal.network;
    // A layer-3 network has no transit subnet of its own; its nodes meet in the cluster's.
    let common = match &network.topology {
        Topology::Layer2(_) => PerFamily::default(),
        Topology::Layer3(_) => settings.transit,
        Topology::Localnet(_) => return Vec::new(),
    };
    let join = network.primary().map(|primary| primary.join).unwrap_or_default();
    let ours = used_by_the_network(proposal, join, transit);
    let common = named("transit subnet", common.iter().copied());
    let theirs: Vec<_> =
        used_by_the_cluster(&network.excluded, settings).into_iter().chain(common).collect();
    meetings(&ours, &theirs)
}

/// What overlaps, of each of ours the first.
fn meetings(ours: &[Used], theirs: &[(&'static str, Subnet)]) -> Vec<Refusal> {
    let mut refusals = Vec::new();
    for (position, mine) in ours.iter().enumerate() {
        let other = theirs.iter().find(|(_, other)| mine.subnet.overlaps(*other));
        refusals.extend(other.map(|(user, other)| mine.overlap(&format!("{user} {other}"))));
        // Subnets that are listed together are kept apart where they are read.
        let mut rest = ours[position + 1..].iter().filter(|it| it.name != mine.name);
        let own = rest.find(|it| mine.subnet.overlaps(it.subnet));
        refusals.extend(
            own.map(|it| mine.overlap(&format!("network's own {} {}", it.name, it.subnet))),
        );
    }
    refusals
}

impl Used {
    fn overlap(&self, other: &str) -> Refusal {
        let Self { name, subnet, path } = self;
        let message = format!("{name} {subnet} overlaps the {other}; choose another");
        Refusal::new(Reason::SubnetOverlap, message).at(path.clone())
    }
}

fn used_by_the_network(
    proposal: &Proposal,
    join: PerFamily<Subnet>,
    transit: PerFamily<Subnet>,
) -> Vec<Used> {
    let subnets = proposal.network.ranges().enumerate().map(|(position, subnet)| Used {
        name: "subnet",
        subnet,
        path: proposal.subnet_path(position),
    });
    let lists_join = proposal.place.as_ref().is_some_and(|place| place.lists_join);
    let join_path =
        if lists_join { proposal.path("joinSubnets") } else { proposal.path("subnets") };
    let join = join.iter().map(|subnet| Used {
        name: "join subnet",
        subnet: *subnet,
        path: join_path.clone(),
    });
    let transit = transit.iter().map(|subnet| Used {
        name: "transit subnet",
        subnet: *subnet,
        path: proposal.path("subnets"),
    });
    subnets.chain(join).chain(transit).collect()
}

/// What the cluster uses, except where the network keeps clear of it.
fn used_by_the_cluster(
    excluded: &[Subnet],
    settings: &ClusterSettings,
) -> Vec<(&'static str, Subnet)> {
    let clusters = named("cluster subnet", settings.cluster_subnets.iter().map(|it| it.subnet));
    let services = named("service subnet", settings.service_subnets.iter().copied());
    let joins = named("default network's join subnet", settings.default_join.iter().copied());
    let masquerades = named("masquerade subnet", settings.masquerade.iter().copied());
    let all = clusters.chain(services).chain(joins).chain(masquerades);
    let is_met = |subnet: &Subnet| !excluded.iter().any(|it| it.contains_subnet(*subnet));
    all.filter(|(_, subnet)| is_met(subnet)).collect()
}

fn named(
    name: &'static str,
    subnets: impl Iterator<Item = Subnet>,
) -> impl Iterator<Item = (&'static str, Subnet)> {
    subnets.map(move |subnet| (name, subnet))
}
