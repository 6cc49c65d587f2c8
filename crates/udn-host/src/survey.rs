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
    Attachment, Family, MacAddress, Mtu, Network, NetworkGrant, NetworkName, ObjectName, PerFamily,
    PlatformAddresses, Route,
};
use udn_wire::keys::{POD_NETWORKS, SELECTION};
use udn_wire::object::Metadata;
use udn_wire::{PodNetwork, PodNetworks, network_selection};

use crate::facts::{
    Datapath, HostFacts, NetworkFacts, NodeFacts, PodFacts, PortNumber, patch_port,
};

#[cfg(test)]
mod tests;

/// The link of a pod into the default network, as kubelets ask for it.
const DEFAULT_INTERFACE: &str = "eth0";
/// The link of a pod's primary network.
// compat: pkg/cni/cni.go, the second interface of pods on primary networks
const PRIMARY_INTERFACE: &str = "ovn-udn1";
/// The longest name of a link that the kernel takes.
const LONGEST_LINK: usize = 15;

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
    let pods = granted.flat_map(|(network, _)| pod_facts(input, network, metadata, places));
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
        mtu: mtu(input, network),
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

fn pod_facts<'a, 'm: 'a>(
    input: &'a DrawingInput<'_>,
    network: &'a Network,
    metadata: &'a PodMetadata<'m>,
    places: &'a BTreeMap<ObjectName, PodPlace>,
) -> impl Iterator<Item = PodFacts> + 'a {
    let local = input.intent.attachments_of(&network.name).filter(|it| it.node == *input.zone);
    local.filter_map(move |attachment| {
        let place = places.get(&attachment.key.pod)?;
        let entry = annotated(attachment, metadata)?;
        let place_in_pod = place_in_pod(attachment, network, metadata);
        Some(PodFacts {
            key: attachment.key.clone(),
            network: network.name.clone(),
            pod_uid: attachment.pod_uid.clone(),
            sandbox: place.sandbox.clone(),
            logical_port: names::pod_port(&attachment.key),
            link: link_name(&place.sandbox, place_in_pod),
            interface: interface(attachment, place_in_pod),
            namespace: place.namespace.clone(),
            mac: entry.mac,
            addresses: entry.addresses.clone(),
            gateways: entry.gateways.clone(),
            routes: entry
                .routes
                .iter()
                .filter_map(|route| {
                    Some(Route { destination: route.destination, next_hop: route.next_hop? })
                })
                .collect(),
            mtu: mtu(input, network),
            is_guarded: network.has_router_guard(input.settings.features),
        })
    })
}

/// What the pod's annotation says about an attachment.
fn annotated(attachment: &Attachment, metadata: &PodMetadata<'_>) -> Option<PodNetwork> {
    let metadata = metadata(&attachment.key.pod)?;
    let entries = PodNetworks::decode(metadata.annotation(POD_NETWORKS)?).ok()?;
    entries.entry(&attachment.key.nad_key()).ok().flatten()
}

/// Which of its pod's networks this is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PlaceInPod {
    Default,
    Primary,
    /// The how-manieth of those that the pod asks for, from one.
    Asked(usize),
}

fn place_in_pod(
    attachment: &Attachment,
    network: &Network,
    metadata: &PodMetadata<'_>,
) -> PlaceInPod {
    if network.is_default() {
        return PlaceInPod::Default;
    }
    if network.is_primary() {
        return PlaceInPod::Primary;
    }
    let annotation = metadata(&attachment.key.pod).and_then(|it| it.annotation(SELECTION));
    let namespace = &attachment.key.pod.namespace;
    let selections = network_selection::decode(annotation, namespace).unwrap_or_default();
    let is_it = |selection: &network_selection::Selection| {
        selection.nad == attachment.key.nad && selection.index == attachment.key.index
    };
    PlaceInPod::Asked(selections.iter().position(is_it).map_or(0, |position| position + 1))
}

fn interface(attachment: &Attachment, place: PlaceInPod) -> String {
    match (&attachment.interface, place) {
        (Some(chosen), _) => chosen.clone(),
        (None, PlaceInPod::Default) => DEFAULT_INTERFACE.to_owned(),
        (None, PlaceInPod::Primary) => PRIMARY_INTERFACE.to_owned(),
        // Multus names links by their place in the pod's annotation.
        (None, PlaceInPod::Asked(position)) => format!("net{position}"),
    }
}

/// The host's end of a cable: the runtime's name, cut so that the place fits behind it.
// compat: pkg/cni/helper_linux.go, the names of host veths; the default network's has no suffix
fn link_name(sandbox: &str, place: PlaceInPod) -> String {
    let suffix = match place {
        PlaceInPod::Default => String::new(),
        PlaceInPod::Primary => "_1".to_owned(),
        PlaceInPod::Asked(position) => format!("_{}", position + 1),
    };
    let start: String = sandbox.chars().take(LONGEST_LINK - suffix.len()).collect();
    start + &suffix
}

fn mtu(input: &DrawingInput<'_>, network: &Network) -> Mtu {
    network.mtu.unwrap_or(input.settings.mtu)
}
