//! Gathers the facts of one node from what is wanted, granted and published.
//!
//! Reads a drawing input, the pods' annotations and what the switch says; returns [`HostFacts`].
//! Invariant: a pod's addresses and routes come from its annotation, as every CNI plugin sees them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use udn_blueprint::{DrawingInput, names};
use udn_model::derived::{
    FixedMasquerade, NetworkMasquerade, fixed_masquerade, network_masquerade,
};
use udn_model::{
    ClusterSettings, Family, MacAddress, Mtu, Network, NetworkGrant, NetworkName, ObjectName,
    PerFamily, PlatformAddresses,
};
use udn_wire::object::Metadata;

use crate::facts::{
    Datapath, HostFacts, NetworkFacts, NodeFacts, PodFacts, PortNumber, patch_port,
};

mod bandwidth;
mod pods;
#[cfg(test)]
mod tests;

pub use bandwidth::{BandwidthError, bandwidth};
pub use pods::{PRIMARY_INTERFACE, interface, pod_facts};

/// What the switch says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    pub integration_bridge: String,
    pub uplink: PortNumber,
    pub datapath: Datapath,
    /// The ports that lead to networks' gateway routers, as far as they are there.
    pub patches: BTreeMap<NetworkName, PortNumber>,
}

/// The metadata of pods, by name.
pub type PodMetadata<'a> = dyn Fn(&ObjectName) -> Option<&'a Metadata> + 'a;

/// Where the container runtime has put a pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PodPlace {
    /// The pod's network namespace, by its file.
    pub namespace: PathBuf,
    /// The runtime's name for this life of the pod.
    pub sandbox: String,
}

/// The facts of the zone's own node; `None` until the node has told its gateway.
pub fn survey(
    input: &DrawingInput<'_>,
    metadata: &PodMetadata<'_>,
    seen: &Seen,
    places: &BTreeMap<ObjectName, PodPlace>,
) -> Option<HostFacts> {
    let gateway = input.intent.nodes.get(input.zone)?.gateway.clone()?;
    let node = NodeFacts {
        integration_bridge: seen.integration_bridge.clone(),
        gateway,
        gateway_mode: input.settings.gateway_mode,
        uplink: seen.uplink,
        service_subnets: input.settings.service_subnets.clone(),
        masquerade: fixed_addresses(input),
        datapath: seen.datapath,
    };
    let networks = input.intent.networks.values();
    let granted = networks.filter_map(|it| Some((it, input.grants.networks.get(&it.name)?)));
    let networks = granted.clone().filter_map(|(it, grant)| network_facts(input, it, grant, seen));
    let pods = granted.flat_map(|(network, _)| pods_on(input, network, metadata, places));
    Some(HostFacts { node, networks: networks.collect(), pods: pods.collect() })
}

/// The ports of the external bridge that will lead to the zone's primary networks, by network.
pub fn patch_ports(
    input: &DrawingInput<'_>,
    integration_bridge: &str,
) -> BTreeMap<NetworkName, String> {
    let Some(gateway) = input.intent.nodes.get(input.zone).and_then(|node| node.gateway.as_ref())
    else {
        return BTreeMap::new();
    };
    let networks = input.intent.networks.values().filter(|network| {
        !own_addresses(input, network).is_empty()
            && input.grants.networks.contains_key(&network.name)
    });
    let named = networks.map(|network| {
        let prefix = names::Prefix::of(&network.name);
        let port = names::bridge_port(&gateway.bridge, &prefix, input.zone);
        (network.name.clone(), patch_port(&port, integration_bridge))
    });
    named.collect()
}

fn network_facts(
    input: &DrawingInput<'_>,
    network: &Network,
    grant: &NetworkGrant,
    seen: &Seen,
) -> Option<NetworkFacts> {
    let addresses = own_addresses(input, network);
    Some(NetworkFacts {
        name: network.name.clone(),
        id: grant.id,
        management_port: names::management_port(&names::Prefix::of(&network.name), input.zone),
        management_mac: MacAddress::from_ip(addresses.first()?.management),
        addresses,
        ranges: network.ranges().collect(),
        masquerade: masquerade(input, network, grant),
        mtu: mtu(input.settings, network),
        patch: seen.patches.get(&network.name).copied(),
    })
}

/// The network's own addresses on the node, where the host has a link into it.
fn own_addresses(input: &DrawingInput<'_>, network: &Network) -> Vec<PlatformAddresses> {
    if !network.is_primary() {
        return Vec::new();
    }
    match network.layer3() {
        None => network.platform_addresses(),
        Some(_) => {
            let subnets = input.grants.node_subnets(&network.name, input.zone);
            subnets.map(PlatformAddresses::on_node).unwrap_or_default()
        }
    }
}

fn fixed_addresses(input: &DrawingInput<'_>) -> PerFamily<FixedMasquerade> {
    let mut fixed = PerFamily::default();
    for family in Family::BOTH {
        let own = input.settings.masquerade.of(family);
        if let Some(own) = own.and_then(|subnet| fixed_masquerade(*subnet)) {
            fixed.put(family, own);
        }
    }
    fixed
}

fn masquerade(
    input: &DrawingInput<'_>,
    network: &Network,
    grant: &NetworkGrant,
) -> PerFamily<NetworkMasquerade> {
    let mut masquerade = PerFamily::default();
    for family in network.families().filter(|_| !network.is_default()) {
        let own = input.settings.masquerade.of(family);
        if let Some(own) = own.and_then(|subnet| network_masquerade(*subnet, grant.id)) {
            masquerade.put(family, own);
        }
    }
    masquerade
}

/// What is known of the attachments of a network that are here.
fn pods_on<'a, 'm: 'a>(
    input: &'a DrawingInput<'_>,
    network: &'a Network,
    metadata: &'a PodMetadata<'m>,
    places: &'a BTreeMap<ObjectName, PodPlace>,
) -> impl Iterator<Item = PodFacts> + 'a {
    let local = input.intent.attachments_of(&network.name).filter(|it| it.node == *input.zone);
    local.filter_map(move |attachment| {
        let place = places.get(&attachment.key.pod)?;
        let metadata = metadata(&attachment.key.pod)?;
        pod_facts(input.settings, (attachment, network), metadata, place)
    })
}

fn mtu(settings: &ClusterSettings, network: &Network) -> Mtu {
    network.mtu.unwrap_or(settings.mtu)
}
