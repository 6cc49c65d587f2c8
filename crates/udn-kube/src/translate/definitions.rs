//! All NADs of a world, read once.
//!
//! Reads a world; returns networks as the NADs tell them, and the numbers that stand on them.
//! Invariant: where NADs of one network differ, the first in order is right: those made for a UDN
//! or CUDN, then by network id, then by name.

use std::collections::{BTreeMap, BTreeSet};

use udn_model::{
    ClusterSettings, Finding, Findings, Network, NetworkId, NetworkName, ObjectName,
    PublishedNetwork, Reason, Subject, Subnet,
};

use super::owner::{Owner, maker, owner};
use super::rivals::Proposal;
use crate::addresses::{one_per_family, parse_subnets};
use crate::keys::CONFIG_PATH;
use crate::nad_annotations::NadAnnotations;
use crate::nad_config::{NadConfig, NetConf};
use crate::object::Definition;
use crate::refusal::Refusal;
use crate::world::World;

pub(super) type PublishedNetworks = BTreeMap<NetworkName, PublishedNetwork>;

/// The NADs that are ours to read, in order.
pub(super) struct Shelf<'a> {
    definitions: Vec<ReadDefinition<'a>>,
    /// Where the NADs of each owner stand.
    by_owner: BTreeMap<Owner, Vec<usize>>,
    names: BTreeSet<&'a ObjectName>,
}

/// One NAD.
pub(super) struct ReadDefinition<'a> {
    pub(super) name: &'a ObjectName,
    pub(super) owner: Owner,
    /// Whether it says that it was made for a UDN or CUDN.
    is_made: bool,
    config: Result<Box<NetConf>, Refusal>,
    annotations: NadAnnotations,
}

impl<'a> Shelf<'a> {
    /// Reads all NADs; those of other plugins and of the default network are left out.
    pub(super) fn read(world: &'a World, findings: &mut Findings) -> Self {
        let definitions = world.definitions.iter();
        let read = definitions.filter_map(|(name, it)| read(world, name, it, findings));
        let mut definitions: Vec<ReadDefinition<'a>> = read.collect();
        let key = |it: &ReadDefinition<'a>| (!it.is_made, rank(it.annotations.id), it.name);
        definitions.sort_by_key(key);
        let mut by_owner: BTreeMap<Owner, Vec<usize>> = BTreeMap::new();
        for (position, definition) in definitions.iter().enumerate() {
            by_owner.entry(definition.owner.clone()).or_default().push(position);
        }
        let names = definitions.iter().map(|it| it.name).collect();
        Self { definitions, by_owner, names }
    }

    /// The numbers that stand on NADs, whether their networks are in order or not.
    pub(super) fn published(&self) -> PublishedNetworks {
        let mut published = PublishedNetworks::new();
        for definition in &self.definitions {
            let Some(name) = definition.network_name() else { continue };
            let network = published.entry(name).or_default();
            network.id = network.id.or(definition.annotations.id);
            if network.tunnel_keys.is_none() {
                network.tunnel_keys.clone_from(&definition.annotations.tunnel_keys);
            }
            if let (true, Ok(config)) = (network.transit.is_empty(), &definition.config) {
                let key = "transitSubnet";
                let subnets = parse_subnets(key, &config.transit_subnet).unwrap_or_default();
                let subnets = one_per_family(key, &subnets, Subnet::family);
                network.transit = subnets.unwrap_or_default();
            }
        }
        published.retain(|_, network| *network != PublishedNetwork::default());
        published
    }

    /// The networks that the NADs chosen stand for.
    pub(super) fn proposals(
        &self,
        settings: &ClusterSettings,
        is_chosen: impl Fn(&ReadDefinition<'_>) -> bool,
        findings: &mut Findings,
    ) -> Vec<Proposal> {
        self.group(settings, is_chosen, |_, _| None, findings)
    }

    /// The same for all NADs; one without its network's id waits for the cluster office.
    pub(super) fn annotated_proposals(
        &self,
        settings: &ClusterSettings,
        findings: &mut Findings,
    ) -> Vec<Proposal> {
        let waiting = |first: Option<NetworkId>, it: &ReadDefinition<'_>| {
            let message = "waits until the cluster office has written its network-id";
            let subject = Subject::Definition(it.name.clone());
            (first != it.annotations.id).then(|| Finding::new(subject, Reason::Waiting, message))
        };
        self.group(settings, |_| true, waiting, findings)
    }

    /// What stands on the NADs made for an owner.
    pub(super) fn made_for(&self, owner: &Owner) -> impl Iterator<Item = &ReadDefinition<'a>> {
        let positions = self.by_owner.get(owner).into_iter().flatten();
        positions.map(|position| &self.definitions[*position])
    }

    /// The number of the network that NADs were made for.
    pub(super) fn published_id(&self, owner: &Owner) -> Option<NetworkId> {
        self.made_for(owner).find_map(|it| it.annotations.id)
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

    /// Whether a NAD of this name is ours to read.
    pub(super) fn has(&self, name: &ObjectName) -> bool {
        self.names.contains(name)
    }

    fn group(
        &self,
        settings: &ClusterSettings,
        is_chosen: impl Fn(&ReadDefinition<'_>) -> bool,
        waiting: impl Fn(Option<NetworkId>, &ReadDefinition<'_>) -> Option<Finding>,
        findings: &mut Findings,
    ) -> Vec<Proposal> {
        let mut groups: BTreeMap<NetworkName, Proposal> = BTreeMap::new();
        for definition in self.definitions.iter().filter(|it| is_chosen(it)) {
            let subject = Subject::Definition(definition.name.clone());
            let network = match definition.network(settings) {
                Ok(network) => network,
                Err(refusal) => {
                    findings.push(refusal.at(CONFIG_PATH).about(subject));
                    continue;
                }
            };
            let Some(group) = groups.get_mut(&network.name) else {
                let id = definition.annotations.id;
                let name = network.name.clone();
                groups.insert(name, Proposal { network, id, maker: None, place: None });
                continue;
            };
            if !agree(&group.network, &network) {
                findings.push(disagreement(&group.network, definition.name));
            } else if let Some(finding) = waiting(group.id, definition) {
                findings.push(finding);
            } else {
                group.network.definitions.push(definition.name.clone());
            }
        }
        groups.into_values().collect()
    }
}

fn read<'a>(
    world: &'a World,
    name: &'a ObjectName,
    definition: &'a Definition,
    findings: &mut Findings,
) -> Option<ReadDefinition<'a>> {
    let config = match NadConfig::decode(&definition.spec.config) {
        Ok(NadConfig::Network(config)) => Ok(config),
        Ok(NadConfig::Elsewhere | NadConfig::DefaultNetwork) => return None,
        Err(refusal) => Err(refusal),
    };
    let annotations = NadAnnotations::decode(&definition.metadata.annotations);
    let annotations = annotations.unwrap_or_else(|unreadable| {
        findings.push(unreadable.about(Subject::Definition(name.clone())));
        NadAnnotations::default()
    });
    let owner = owner(world, name, definition);
    let is_made = maker(&definition.metadata).is_some();
    Some(ReadDefinition { name, owner, is_made, config, annotations })
}

impl ReadDefinition<'_> {
    fn network_name(&self) -> Option<NetworkName> {
        match &self.config {
            Ok(config) if !config.name.is_empty() => Some(NetworkName::new(&config.name)),
            Ok(_) | Err(_) => self.annotations.name.clone(),
        }
    }

    fn network(&self, settings: &ClusterSettings) -> Result<Network, Refusal> {
        let config = self.config.as_ref().map_err(Clone::clone)?;
        config.read_definition(self.name, settings).map(|read| read.network)
    }
}

/// Orders those with a number before those without.
pub(super) fn rank(id: Option<NetworkId>) -> u16 {
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
    let (name, first) = (&first.name, &first.definitions[0]);
    let message = format!(
        "NAD {second} describes network {name} otherwise than NAD {first} does; make them equal or \
         choose another network name"
    );
    let subject = Subject::Definition(second.clone());
    Finding::new(subject, Reason::NameConflict, message).at(CONFIG_PATH)
}
