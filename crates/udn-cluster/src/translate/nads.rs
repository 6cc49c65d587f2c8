//! All NADs of a world, read once.
//!
//! Reads a world; returns networks as the NADs tell them, and the numbers that stand on them.
//! Invariant: where NADs of one network differ, the first in order is right: those made for a UDN
//! or CUDN, then by network id, then by name.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use udn_model::{
    ClusterSettings, Finding, Findings, Network, NetworkId, NetworkName, ObjectName,
    PublishedNetwork, Reason, Subject, Subnet,
};
use udn_wire::addresses::{one_per_family, parse_subnets};
use udn_wire::keys::CONFIG_PATH;
use udn_wire::nad_annotations::NadAnnotations;
use udn_wire::nad_config::{NadConfig, NetConf};
use udn_wire::object::Nad;
use udn_wire::refusal::Refusal;

use super::owner::{Owner, made_for, owner};
use super::proposal::{Presence, Proposal};
use crate::world::World;

pub(super) type PublishedNetworks = BTreeMap<NetworkName, PublishedNetwork>;

/// The NADs that are ours to read, in order.
pub(super) struct ReadNads<'a> {
    nads: Vec<ReadNad<'a>>,
    /// Where the NADs of each owner stand.
    by_owner: BTreeMap<Owner, Vec<usize>>,
    names: BTreeSet<&'a ObjectName>,
}

/// One NAD.
pub(super) struct ReadNad<'a> {
    pub(super) name: &'a ObjectName,
    pub(super) owner: Owner,
    /// The network for which it says that it was made.
    made: Option<NetworkName>,
    config: Result<Box<NetConf>, Refusal>,
    annotations: NadAnnotations,
    created: &'a str,
}

impl<'a> ReadNads<'a> {
    /// Reads all NADs; those of other plugins and of the default network are left out.
    pub(super) fn read(world: &'a World, findings: &mut Findings) -> Self {
        let nads = world.nads.iter();
        let read = nads.filter_map(|(name, it)| read(world, name, it, findings));
        let mut nads: Vec<ReadNad<'a>> = read.collect();
        let key = |it: &ReadNad<'a>| (it.made.is_none(), rank(it.annotations.id), it.name);
        nads.sort_by_key(key);
        let mut by_owner: BTreeMap<Owner, Vec<usize>> = BTreeMap::new();
        for (position, nad) in nads.iter().enumerate() {
            by_owner.entry(nad.owner.clone()).or_default().push(position);
        }
        let names = nads.iter().map(|it| it.name).collect();
        Self { nads, by_owner, names }
    }

    /// The numbers that stand on NADs and elsewhere, whether their networks are in order or not.
    ///
    /// What was made for a network knows best, then its manifest's status, then what somebody wrote;
    /// but where one of several NADs confirms the status, those that differ were changed by hand.
    pub(super) fn published(&self, statuses: &PublishedNetworks) -> PublishedNetworks {
        let (made, written): (Vec<_>, Vec<_>) = self.nads.iter().partition(|it| it.made.is_some());
        let of = |it: &&ReadNad<'a>| Some((it.network_name()?, it.published()));
        let made: Vec<(NetworkName, PublishedNetwork)> = made.iter().filter_map(of).collect();
        let confirm = |(name, it): &(NetworkName, PublishedNetwork)| {
            let status = statuses.get_key_value(name)?;
            (it.id.is_some() && status.1.id == it.id).then_some(status)
        };
        let confirmed = made.iter().filter_map(confirm);
        let told = confirmed.chain(made.iter().map(|(name, it)| (name, it))).chain(statuses);
        let mut published = PublishedNetworks::new();
        for (name, more) in told {
            complete(published.entry(name.clone()).or_default(), more.clone());
        }
        for (name, more) in written.iter().filter_map(of) {
            complete(published.entry(name).or_default(), more);
        }
        published.retain(|_, network| *network != PublishedNetwork::default());
        published
    }

    /// The numbers on NADs, each for the network that its configuration names, whoever made it: a
    /// zone builds what NADs say, and knows no makers.
    pub(super) fn published_as_told(&self) -> PublishedNetworks {
        let mut published = PublishedNetworks::new();
        for nad in &self.nads {
            if let Some(name) = nad.told_name() {
                complete(published.entry(name).or_default(), nad.published());
            }
        }
        published.retain(|_, network| *network != PublishedNetwork::default());
        published
    }

    /// The networks that the NADs chosen stand for.
    pub(super) fn proposals(
        &self,
        settings: &ClusterSettings,
        is_chosen: impl Fn(&ReadNad<'_>) -> bool,
        findings: &mut Findings,
    ) -> Vec<Proposal> {
        self.group(settings, is_chosen, |_, _| None, findings)
    }

    /// The same for all NADs; one without its network's id waits for the cluster controller.
    pub(super) fn annotated_proposals(
        &self,
        settings: &ClusterSettings,
        findings: &mut Findings,
    ) -> Vec<Proposal> {
        let waiting = |first: Option<NetworkId>, it: &ReadNad<'_>| {
            let message = "waits until the cluster controller has written its network-id";
            let subject = Subject::Nad(it.name.clone());
            (first != it.annotations.id).then(|| Finding::new(subject, Reason::Waiting, message))
        };
        self.group(settings, |_| true, waiting, findings)
    }

    /// What stands on the NADs made for an owner.
    pub(super) fn made_for(&self, owner: &Owner) -> impl Iterator<Item = &ReadNad<'a>> {
        let positions = self.by_owner.get(owner).into_iter().flatten();
        positions.map(|position| &self.nads[*position])
    }

    /// Whether a NAD that was made for the owner carries its network's number.
    pub(super) fn has_number(&self, owner: &Owner) -> bool {
        self.made_for(owner).any(|it| it.annotations.id.is_some())
    }

    /// The settings for a network that NADs were made for: what it was built with stays.
    pub(super) fn settings_of(&self, owner: &Owner, settings: &ClusterSettings) -> ClusterSettings {
        let mut join = settings.join;
        let config = self.made_for(owner).find_map(|it| it.config.as_ref().ok());
        let built = config.and_then(|it| parse_subnets("joinSubnet", &it.join_subnet).ok());
        for subnet in built.into_iter().flatten() {
            join.put(subnet.family(), subnet);
        }
        ClusterSettings { join, ..settings.clone() }
    }

    /// The namespaces in which a NAD of a primary network exists, with the first of them.
    pub(super) fn occupied(&self) -> BTreeMap<Arc<str>, ObjectName> {
        let mut occupied = BTreeMap::new();
        for nad in self.nads.iter().filter(|it| it.is_primary()) {
            let namespace = nad.name.namespace.clone();
            occupied.entry(namespace).or_insert_with(|| nad.name.clone());
        }
        occupied
    }

    /// Whether a NAD of this name is ours to read.
    pub(super) fn has(&self, name: &ObjectName) -> bool {
        self.names.contains(name)
    }

    fn group(
        &self,
        settings: &ClusterSettings,
        is_chosen: impl Fn(&ReadNad<'_>) -> bool,
        waiting: impl Fn(Option<NetworkId>, &ReadNad<'_>) -> Option<Finding>,
        findings: &mut Findings,
    ) -> Vec<Proposal> {
        let mut groups: BTreeMap<NetworkName, Proposal> = BTreeMap::new();
        for nad in self.nads.iter().filter(|it| is_chosen(it)) {
            let subject = Subject::Nad(nad.name.clone());
            let network = match nad.network(settings) {
                Ok(network) => network,
                Err(refusal) => {
                    findings.push(refusal.at(CONFIG_PATH).about(subject));
                    continue;
                }
            };
            let Some(group) = groups.get_mut(&network.name) else {
                let id = nad.annotations.id;
                let name = network.name.clone();
                let standing = BTreeMap::from([(nad.name.clone(), nad.standing())]);
                let created = nad.created.to_owned();
                let (maker, place) = (None, None);
                groups.insert(
                    name,
                    Proposal { network, id, maker, place, created, standing, foreign: Vec::new() },
                );
                continue;
            };
            if !agree(&group.network, &network) {
                findings.push(disagreement(&group.network, nad.name));
            } else if let Some(finding) = waiting(group.id, nad) {
                findings.push(finding);
            } else {
                group.join_nad_created(nad.created);
                group.network.nads.push(nad.name.clone());
                group.standing.insert(nad.name.clone(), nad.standing());
            }
        }
        groups.into_values().collect()
    }
}

/// Reads one NAD; none of another plugin or of the default network.
pub(super) fn read<'a>(
    world: &World,
    name: &'a ObjectName,
    nad: &'a Nad,
    findings: &mut Findings,
) -> Option<ReadNad<'a>> {
    let made = made_for(name, nad).and_then(|it| it.network());
    let config = match NadConfig::decode(&nad.spec.config) {
        Ok(NadConfig::Network(config)) => Ok(config),
        // Somebody changed what we wrote; the numbers on it are still those of its network.
        Ok(NadConfig::Foreign | NadConfig::DefaultNetwork) if made.is_some() => {
            let message = "the configuration is not of the network that the NAD was made for; wait \
                           until the cluster controller has written it again";
            Err(Refusal::invalid(message))
        }
        Ok(NadConfig::Foreign | NadConfig::DefaultNetwork) => return None,
        Err(refusal) => Err(refusal),
    };
    let annotations = NadAnnotations::decode(&nad.metadata.annotations);
    let annotations = annotations.unwrap_or_else(|unreadable| {
        findings.push(unreadable.about(Subject::Nad(name.clone())));
        NadAnnotations::default()
    });
    let owner = owner(world, name, nad);
    let created = &nad.metadata.creation_timestamp;
    Some(ReadNad { name, owner, made, config, annotations, created })
}

/// Adds what is missing.
fn complete(network: &mut PublishedNetwork, more: PublishedNetwork) {
    network.id = network.id.or(more.id);
    network.tunnel_keys = network.tunnel_keys.take().or(more.tunnel_keys);
    if network.transit.is_empty() {
        network.transit = more.transit;
    }
}

impl ReadNad<'_> {
    fn published(&self) -> PublishedNetwork {
        let NadAnnotations { id, tunnel_keys, .. } = self.annotations.clone();
        let list = self.config.as_ref().map_or("", |config| &config.transit_subnet);
        let subnets = parse_subnets("transitSubnet", list).unwrap_or_default();
        let transit = one_per_family("transitSubnet", &subnets, Subnet::family);
        PublishedNetwork { id, tunnel_keys, transit: transit.unwrap_or_default() }
    }

    /// How firmly it stands.
    pub(super) fn standing(&self) -> Presence {
        if self.annotations.id.is_some() { Presence::Numbered } else { Presence::Exists }
    }

    fn network_name(&self) -> Option<NetworkName> {
        self.made.clone().or_else(|| self.told_name())
    }

    /// Whether the NAD says that its network is a primary one.
    pub(super) fn is_primary(&self) -> bool {
        self.config.as_ref().is_ok_and(|config| config.role == "primary")
    }

    /// The network that the NAD itself names.
    pub(super) fn told_name(&self) -> Option<NetworkName> {
        match &self.config {
            Ok(config) if !config.name.is_empty() => Some(NetworkName::new(&config.name)),
            Ok(_) | Err(_) => self.annotations.name.clone(),
        }
    }

    fn network(&self, settings: &ClusterSettings) -> Result<Network, Refusal> {
        let config = self.config.as_ref().map_err(Clone::clone)?;
        config.read_nad(self.name, settings).map(|read| read.network)
    }
}

/// Orders those with a number before those without.
pub(crate) fn rank(id: Option<NetworkId>) -> u16 {
    id.map_or(u16::MAX, NetworkId::get)
}

/// Whether two NADs mean the same network.
// compat: pkg/util/multi_network.go, AreNetworksCompatible
fn agree(left: &Network, right: &Network) -> bool {
    left.topology == right.topology
        && left.subnets == right.subnets
        && left.excluded == right.excluded
        && left.mtu == right.mtu
        && left.has_persistent_addresses == right.has_persistent_addresses
}

fn disagreement(first: &Network, second: &ObjectName) -> Finding {
    let (name, first) = (&first.name, &first.nads[0]);
    let message = format!(
        "NAD {second} describes network {name} otherwise than NAD {first} does; make them equal or \
         choose another network name"
    );
    let subject = Subject::Nad(second.clone());
    Finding::new(subject, Reason::NameConflict, message).at(CONFIG_PATH)
}
