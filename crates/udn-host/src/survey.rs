//! Gathers the facts of one node from what is wanted, granted and published.
//!
//! Reads a drawing input, the pods' annotations and what the switch says; returns [`HostFacts`].
//! Invariant: a pod's addresses and routes come from its annotation, as every CNI plugin sees them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use udn_blueprint::{DrawingInput, names};
use udn_model::derived::network_masquerade;
use udn_model::{
    Attachment, Mtu, Network, NetworkGrant, NetworkName, ObjectName, PerFamily, Route, Subnet,
};
use udn_wire::keys::{POD_NETWORKS, SELECTION};
use udn_wire::object::Metadata;
use udn_wire::{PodNetwork, PodNetworks, network_selection};

use crate::facts::{
    Datapath, HostFacts, NetworkFacts, NodeFacts, PodFacts, PortNumber, patch_port,
};

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
        uplink: seen.uplink,
        service_subnets: input.settings.service_subnets.clone(),
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
        network.is_primary() && input.grants.networks.contains_key(&network.name)
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
    let mut masquerade = PerFamily::default();
    for family in network.subnets.iter().map(Subnet::family) {
        let own = input.settings.masquerade.of(family);
        if let Some(own) = own.and_then(|subnet| network_masquerade(*subnet, grant.id)) {
            masquerade.put(family, own);
        }
    }
    Some(NetworkFacts {
        name: network.name.clone(),
        id: grant.id,
        management_port: names::management_port(&names::Prefix::of(&network.name), input.zone),
        management_mac: network.management_mac()?,
        addresses: network.platform_addresses(),
        masquerade,
        mtu: mtu(input, network),
        patch: seen.patches.get(&network.name).copied(),
    })
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
        let position = position(attachment, network, metadata);
        Some(PodFacts {
            key: attachment.key.clone(),
            network: network.name.clone(),
            pod_uid: attachment.pod_uid.clone(),
            sandbox: place.sandbox.clone(),
            logical_port: names::pod_port(&attachment.key),
            link: link_name(&place.sandbox, position),
            interface: interface(attachment, network, position),
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

/// The how-manieth network of its pod this is: none is before the primary one.
fn position(attachment: &Attachment, network: &Network, metadata: &PodMetadata<'_>) -> usize {
    if network.is_primary() {
        return 0;
    }
    let annotation = metadata(&attachment.key.pod).and_then(|it| it.annotation(SELECTION));
    let namespace = &attachment.key.pod.namespace;
    let selections = network_selection::decode(annotation, namespace).unwrap_or_default();
    let is_it = |selection: &network_selection::Selection| {
        selection.nad == attachment.key.nad && selection.index == attachment.key.index
    };
    selections.iter().position(is_it).map_or(0, |position| position + 1)
}

fn interface(attachment: &Attachment, network: &Network, position: usize) -> String {
    match (&attachment.interface, network.is_primary()) {
        (Some(chosen), _) => chosen.clone(),
        (None, true) => PRIMARY_INTERFACE.to_owned(),
        // Multus names links by their place in the pod's annotation.
        (None, false) => format!("net{position}"),
    }
}

/// The host's end of a cable: the runtime's name, cut so that the place fits behind it.
// compat: pkg/cni/helper_linux.go, the names of host veths; the default network's has no suffix
fn link_name(sandbox: &str, position: usize) -> String {
    let suffix = format!("_{}", position + 1);
    let start: String = sandbox.chars().take(LONGEST_LINK - suffix.len()).collect();
    start + &suffix
}

fn mtu(input: &DrawingInput<'_>, network: &Network) -> Mtu {
    network.mtu.unwrap_or(input.settings.mtu)
}

#[cfg(test)]
mod tests {
    use super::link_name;

    #[test]
    fn links_have_names_that_the_kernel_takes() {
        assert_eq!(link_name("0123456789abcdef0123", 0), "0123456789abc_1");
        assert_eq!(link_name("0123456789abcdef0123", 11), "0123456789ab_12");
    }
}
