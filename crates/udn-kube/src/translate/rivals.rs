//! Who keeps a name, and who keeps a namespace.
//!
//! Reads proposals; returns networks.
//! Invariant: the network with the lower id wins, then one with a manifest of its own, then the one
//! that is first by name; who comes later changes nothing for who was there.

use std::collections::BTreeMap;
use std::sync::Arc;

use udn_model::{Finding, Findings, Network, NetworkId, NetworkName, ObjectName, Reason, Subject};

use super::definitions::rank;
use crate::keys::{CONFIG_PATH, PRIMARY_LABEL};
use crate::spec::Place;
use crate::world::World;

/// How many names a message lists.
const MOST_NAMES: usize = 10;

/// A network that somebody asks for.
#[derive(Debug, Clone)]
pub(crate) struct Proposal {
    pub(crate) network: Network,
    /// Its number, if it has one already.
    pub(crate) id: Option<NetworkId>,
    /// The UDN or CUDN that asks; NADs ask for themselves.
    pub(crate) maker: Option<Subject>,
    /// Where the manifest describes the network; a NAD does so in its configuration.
    pub(crate) place: Option<Place>,
}

impl Proposal {
    /// The path of a field of the network's own part of the manifest.
    pub(crate) fn path(&self, field: &str) -> String {
        match &self.place {
            Some(place) => format!("{}.{field}", place.part),
            None => CONFIG_PATH.to_owned(),
        }
    }

    /// The path of one of its subnets.
    pub(crate) fn subnet_path(&self, position: usize) -> String {
        self.path(&format!("subnets[{position}]"))
    }

    /// Where it stands in line; who comes later gives way.
    pub(crate) fn rank(&self) -> (u16, bool, NetworkName) {
        (rank(self.id), self.maker.is_none(), self.network.name.clone())
    }

    /// Where it says for which namespaces it is.
    fn namespaces_path(&self) -> &'static str {
        match &self.maker {
            Some(Subject::ClusterUserDefinedNetwork(_)) => "spec.namespaceSelector",
            Some(_) | None => "metadata.namespace",
        }
    }

    /// Whom findings about the network concern.
    pub(crate) fn subject(&self) -> Subject {
        let first = self.network.definitions.first().cloned();
        let asker = self.maker.clone().or(first.map(Subject::Definition));
        asker.unwrap_or_else(|| Subject::Network(self.network.name.clone()))
    }

    fn subject_of(&self, definition: &ObjectName) -> Subject {
        self.maker.clone().unwrap_or_else(|| Subject::Definition(definition.clone()))
    }
}

/// The networks that may be, each with the NADs that may lead to it.
pub(super) fn judge(
    world: &World,
    mut proposals: Vec<Proposal>,
    findings: &mut Findings,
) -> BTreeMap<NetworkName, Network> {
    proposals.sort_by_cached_key(Proposal::rank);
    let mut court = Court::new(world);
    let mut networks = BTreeMap::new();
    for proposal in proposals {
        if let Some(network) = court.admit(proposal, findings) {
            networks.insert(network.name.clone(), network);
        }
    }
    networks
}

struct Court<'a> {
    world: &'a World,
    /// Who has a name in OVN.
    by_prefix: BTreeMap<String, (NetworkName, Subject)>,
    /// The NAD of each namespace's primary network.
    primaries: BTreeMap<Arc<str>, ObjectName>,
    /// For whom each NAD is.
    definitions: BTreeMap<ObjectName, Subject>,
}

impl<'a> Court<'a> {
    fn new(world: &'a World) -> Self {
        let (by_prefix, primaries) = (BTreeMap::new(), BTreeMap::new());
        Self { world, by_prefix, primaries, definitions: BTreeMap::new() }
    }

    fn admit(&mut self, mut proposal: Proposal, findings: &mut Findings) -> Option<Network> {
        let prefix = ovn_prefix(&proposal.network.name);
        if let Some((name, holder)) = self.by_prefix.get(&prefix) {
            findings.push(name_conflict(&proposal, name, holder));
            return None;
        }
        self.keep_free(&mut proposal, findings);
        if proposal.network.is_primary() {
            self.keep_labelled(&mut proposal, findings);
            self.keep_unrivalled(&mut proposal, findings);
        }
        if proposal.network.definitions.is_empty() {
            return None;
        }
        let subject = proposal.subject();
        for definition in &proposal.network.definitions {
            self.definitions.insert(definition.clone(), subject.clone());
        }
        self.by_prefix.insert(prefix, (proposal.network.name.clone(), subject));
        proposal.network.definitions.sort();
        Some(proposal.network)
    }

    /// Takes away the NADs that are made for another network: a UDN and a CUDN of one name.
    fn keep_free(&self, proposal: &mut Proposal, findings: &mut Findings) {
        let all = std::mem::take(&mut proposal.network.definitions);
        let (free, taken): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|it| !self.definitions.contains_key(it));
        proposal.network.definitions = free;
        for definition in taken {
            let holder = &self.definitions[&definition];
            let message = format!("NAD {definition} is made for {holder}; rename one of the two");
            let subject = proposal.subject_of(&definition);
            let finding = Finding::new(subject, Reason::ForeignDefinition, message);
            findings.push(finding.at("metadata.name"));
        }
    }

    /// Takes away the NADs in namespaces that are not there, or lack the label.
    fn keep_labelled(&self, proposal: &mut Proposal, findings: &mut Findings) {
        let (mut bare, mut labelled) = (Vec::new(), Vec::new());
        for definition in std::mem::take(&mut proposal.network.definitions) {
            match self.world.namespaces.get(&*definition.namespace) {
                Some(it) if it.metadata.labels.contains_key(PRIMARY_LABEL) => {
                    labelled.push(definition);
                }
                Some(_) => bare.push(definition),
                None => {
                    let subject = proposal.subject_of(&definition);
                    findings.push(namespace_not_found(subject, &definition.namespace));
                }
            }
        }
        proposal.network.definitions = labelled;
        // A manifest is told once of all its namespaces, a NAD of its own.
        let most = if proposal.maker.is_some() { bare.len().max(1) } else { 1 };
        for bare in bare.chunks(most) {
            let names = listed(bare.iter().map(|it| &*it.namespace));
            let message = format!(
                "a primary network needs namespaces with the label {PRIMARY_LABEL}, which can be \
                 given only when a namespace is made; without it: {names}"
            );
            let subject = proposal.subject_of(&bare[0]);
            let finding = Finding::new(subject, Reason::NamespaceNotLabelled, message);
            findings.push(finding.at(proposal.namespaces_path()));
        }
    }

    /// Takes away the NADs in namespaces that have a primary network already.
    fn keep_unrivalled(&mut self, proposal: &mut Proposal, findings: &mut Findings) {
        let mut kept = Vec::new();
        for definition in std::mem::take(&mut proposal.network.definitions) {
            match self.primaries.get(&definition.namespace) {
                None => {
                    self.primaries.insert(definition.namespace.clone(), definition.clone());
                    kept.push(definition);
                }
                Some(first) => {
                    let message = format!(
                        "namespace {} has its primary network through NAD {first}; NAD \
                         {definition} would be a second one, so delete one of the two",
                        definition.namespace
                    );
                    let subject = proposal.subject_of(&definition);
                    let finding = Finding::new(subject, Reason::PrimaryConflict, message);
                    findings.push(finding.at(proposal.namespaces_path()));
                }
            }
        }
        proposal.network.definitions = kept;
    }
}

/// How OVN's rows begin, as far as the network's name decides it.
// compat: pkg/util/multi_network.go, GetUserDefinedNetworkPrefix
fn ovn_prefix(name: &NetworkName) -> String {
    name.as_str().replace(['-', '/'], ".")
}

fn name_conflict(proposal: &Proposal, holder: &NetworkName, subject: &Subject) -> Finding {
    let name = &proposal.network.name;
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
