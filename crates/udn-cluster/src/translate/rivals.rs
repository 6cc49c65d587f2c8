//! Who keeps a name, and who keeps a namespace.
//!
//! Reads proposals; returns networks.
//! Invariant: a NAD that stands keeps its place against all that do not yet; who comes later changes
//! nothing for who was there. Among equals the network with the lower id wins, then the older, then
//! one with a manifest of its own, then the one that is first by name.

use std::collections::BTreeMap;
use std::sync::Arc;

use udn_model::{Finding, Findings, Network, NetworkName, ObjectName, Reason, Subject};
use udn_wire::keys::{CONFIG_PATH, PRIMARY_LABEL};

use super::proposal::{Presence, Proposal};
use crate::world::World;

/// How many names a message lists.
const MOST_NAMES: usize = 10;

/// The networks that may be, each with the NADs that may lead to it.
///
/// `occupied` are the namespaces in which a NAD of a primary network exists, whatever it is worth:
/// no second one is made there.
pub(super) fn judge(
    world: &World,
    occupied: BTreeMap<Arc<str>, ObjectName>,
    mut proposals: Vec<Proposal>,
    findings: &mut Findings,
) -> BTreeMap<NetworkName, Network> {
    proposals.sort_by_cached_key(Proposal::rank);
    for proposal in proposals.iter_mut().filter(|it| it.network.is_primary()) {
        keep_labelled(world, proposal, findings);
    }
    let names = Names::give(&proposals);
    let mut claims: Vec<Claim> = Vec::new();
    for (asker, proposal) in proposals.iter().enumerate() {
        match names.holder_before(proposal, asker) {
            Some(holder) => findings.push(name_conflict(proposal, &proposals[holder])),
            None => claims.extend(Claim::of(asker, proposal)),
        }
    }
    // The sort keeps the order of proposals among claims of equal standing.
    claims.sort_by_key(|claim| claim.standing);
    let mut conflicts = Conflicts::new(&proposals, occupied);
    for claim in claims {
        findings.extend(conflicts.hear(claim).err());
    }
    let mut networks = BTreeMap::new();
    for (number, nads) in conflicts.granted() {
        let network = Network { nads, ..proposals[number].network.clone() };
        networks.insert(network.name.clone(), network);
    }
    networks
}

/// Who has which name in OVN.
///
/// Names are given before namespaces: so who keeps a name depends on those of that name alone, and
/// a reconcile need not look at the whole cluster to know it.
struct Names {
    by_prefix: BTreeMap<String, usize>,
}

impl Names {
    /// Proposals are in order; networks that live go before those that do not yet, and networks for
    /// nobody need no name.
    fn give(proposals: &[Proposal]) -> Self {
        let claim = |(number, proposal): (usize, &Proposal)| {
            let exists = proposal.standing.values().min().copied();
            let standing = match proposal.id {
                Some(_) => Presence::Numbered,
                None => exists.unwrap_or(Presence::Missing),
            };
            // Whoever lost all its NADs to others before wants a name as one that loses them now.
            let is_for_somebody = proposal.id.is_some()
                || !proposal.network.nads.is_empty()
                || !proposal.foreign.is_empty();
            is_for_somebody.then_some((standing, number))
        };
        let mut claims: Vec<(Presence, usize)> =
            proposals.iter().enumerate().filter_map(claim).collect();
        claims.sort();
        let mut by_prefix = BTreeMap::new();
        for (_, number) in claims {
            by_prefix.entry(ovn_prefix(&proposals[number].network.name)).or_insert(number);
        }
        Self { by_prefix }
    }

    /// Who has the name that a proposal asks for, if it is another.
    fn holder_before(&self, proposal: &Proposal, asker: usize) -> Option<usize> {
        let holder = self.by_prefix.get(&ovn_prefix(&proposal.network.name)).copied();
        holder.filter(|holder| *holder != asker)
    }
}

/// One NAD that a network would have.
struct Claim {
    /// Which proposal makes it.
    asker: usize,
    standing: Presence,
    nad: ObjectName,
}

impl Claim {
    fn of(asker: usize, proposal: &Proposal) -> impl Iterator<Item = Self> {
        proposal.network.nads.iter().map(move |nad| {
            let standing = proposal.standing.get(nad).copied();
            let standing = standing.unwrap_or(Presence::Missing);
            Self { asker, standing, nad: nad.clone() }
        })
    }
}

/// Hears claims in order; who was granted something keeps it.
struct Conflicts<'a> {
    proposals: &'a [Proposal],
    occupied: BTreeMap<Arc<str>, ObjectName>,
    /// The NAD of each namespace's primary network.
    primaries: BTreeMap<Arc<str>, ObjectName>,
    /// For whom each NAD is.
    nads: BTreeMap<ObjectName, usize>,
}

impl<'a> Conflicts<'a> {
    fn new(proposals: &'a [Proposal], occupied: BTreeMap<Arc<str>, ObjectName>) -> Self {
        Self { proposals, occupied, primaries: BTreeMap::new(), nads: BTreeMap::new() }
    }

    fn hear(&mut self, claim: Claim) -> Result<(), Finding> {
        let Claim { asker, standing, nad } = claim;
        let proposal = &self.proposals[asker];
        // A UDN and a CUDN of one name.
        if let Some(holder) = self.nads.get(&nad) {
            return Err(taken(proposal, &nad, &self.proposals[*holder].subject()));
        }
        if proposal.network.is_primary() {
            let namespace = &nad.namespace;
            let standing = self.occupied.get(namespace).filter(|_| standing == Presence::Missing);
            if let Some(first) = self.primaries.get(namespace).or(standing) {
                return Err(second_primary(proposal, &nad, first));
            }
            self.primaries.insert(nad.namespace.clone(), nad.clone());
        }
        self.nads.insert(nad, asker);
        Ok(())
    }

    /// The NADs of each network, in order.
    fn granted(self) -> BTreeMap<usize, Vec<ObjectName>> {
        let mut seats: BTreeMap<usize, Vec<ObjectName>> = BTreeMap::new();
        for (nad, asker) in self.nads {
            seats.entry(asker).or_default().push(nad);
        }
        seats
    }
}

/// Takes away the NADs in namespaces that are not there, or lack the label.
fn keep_labelled(world: &World, proposal: &mut Proposal, findings: &mut Findings) {
    let is_labelled = |it: &ObjectName| {
        let namespace = world.namespaces.get(&*it.namespace);
        namespace.is_some_and(|it| it.metadata.labels.contains_key(PRIMARY_LABEL))
    };
    proposal.foreign.retain(is_labelled);
    let (mut bare, mut labelled) = (Vec::new(), Vec::new());
    for nad in std::mem::take(&mut proposal.network.nads) {
        match world.namespaces.get(&*nad.namespace) {
            Some(it) if it.metadata.labels.contains_key(PRIMARY_LABEL) => {
                labelled.push(nad);
            }
            Some(_) => bare.push(nad),
            None => {
                let subject = proposal.subject_of(&nad);
                findings.push(namespace_not_found(subject, &nad.namespace));
            }
        }
    }
    proposal.network.nads = labelled;
    // A manifest is told once of all its namespaces, a NAD of its own.
    let most = if proposal.maker.is_some() { bare.len().max(1) } else { 1 };
    for bare in bare.chunks(most) {
        let names = listed(bare.iter().map(|it| &*it.namespace));
        let message = format!(
            "a primary network needs namespaces with the label {PRIMARY_LABEL}, which can be given \
             only when a namespace is made; without it: {names}"
        );
        let subject = proposal.subject_of(&bare[0]);
        let finding = Finding::new(subject, Reason::NamespaceNotLabelled, message);
        findings.push(finding.at(proposal.namespaces_path()));
    }
}

fn taken(proposal: &Proposal, nad: &ObjectName, holder: &Subject) -> Finding {
    let message = format!("NAD {nad} is made for {holder}; rename one of the two");
    let subject = proposal.subject_of(nad);
    Finding::new(subject, Reason::ForeignDefinition, message).at("metadata.name")
}

fn second_primary(proposal: &Proposal, nad: &ObjectName, first: &ObjectName) -> Finding {
    let message = format!(
        "namespace {} has its primary network through NAD {first}; NAD {nad} would be a \
         second one, so delete one of the two",
        nad.namespace
    );
    let subject = proposal.subject_of(nad);
    Finding::new(subject, Reason::PrimaryConflict, message).at(proposal.namespaces_path())
}

/// How OVN's rows begin, as far as the network's name decides it.
// compat: pkg/util/multi_network.go, GetUserDefinedNetworkPrefix
pub(crate) fn ovn_prefix(name: &NetworkName) -> String {
    name.as_str().replace(['-', '/'], ".")
}

fn name_conflict(proposal: &Proposal, holder: &Proposal) -> Finding {
    let name = &proposal.network.name;
    let (holder, subject) = (&holder.network.name, holder.subject());
    let message = format!(
        "network {name} would have the same name in OVN as network {holder} of {subject}; choose \
         another name"
    );
    let path = if proposal.maker.is_some() { "metadata.name" } else { CONFIG_PATH };
    Finding::new(proposal.subject(), Reason::NameConflict, message).at(path)
}

fn namespace_not_found(subject: Subject, namespace: &str) -> Finding {
    let message = format!(
        "namespace {namespace} does not exist; create it with the label {PRIMARY_LABEL}, which a \
         primary network needs"
    );
    Finding::new(subject, Reason::NamespaceNotFound, message).at("metadata.namespace")
}

/// Names for a message, not too many.
pub(super) fn listed<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    let more = names.len().saturating_sub(MOST_NAMES);
    let shown: Vec<&str> = names.take(MOST_NAMES).collect();
    let shown = shown.join(", ");
    if more > 0 { format!("{shown} and {more} more") } else { shown }
}
