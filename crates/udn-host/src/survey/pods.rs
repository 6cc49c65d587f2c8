//! The facts of one attachment of one pod, whatever other networks and pods there are.
//!
//! Reads the attachment, its network, the pod's metadata, and where the container runtime has put
//! the pod; returns [`PodFacts`].
//! Invariant: addresses and routes come from the pod's annotation, as every CNI plugin sees them.

use udn_blueprint::names;
use udn_model::{Attachment, ClusterSettings, Network, Route};
use udn_wire::keys::{LAUNCHER, LAUNCHER_LABEL, POD_NETWORKS, SELECTION};
use udn_wire::network_selection::Selection;
use udn_wire::object::Metadata;
use udn_wire::{PodNetwork, PodNetworks, network_selection};

use super::{PodPlace, bandwidth, mtu};
use crate::facts::{Guest, PodFacts};

/// The link of a pod into the default network, as kubelets ask for it.
const DEFAULT_INTERFACE: &str = "eth0";
/// The link of a pod's primary network.
// compat: pkg/cni/cni.go, the second interface of pods on primary networks
pub const PRIMARY_INTERFACE: &str = "ovn-udn1";
/// The longest name of a link that the kernel takes.
const LONGEST_LINK: usize = 15;
/// On a pod of a virtual machine: its machine takes over the address of the main network.
// compat: kubevirt.io/api/core/v1, AllowPodBridgeNetworkLiveMigrationAnnotation
const TAKES_OVER: &str = "kubevirt.io/allow-pod-bridge-network-live-migration";

/// What is known of one attachment; `None` until the pod's annotation has an entry for it.
///
/// A bandwidth that cannot be read is no bandwidth here: [`bandwidth()`] tells why.
pub fn pod_facts(
    settings: &ClusterSettings,
    (attachment, network): (&Attachment, &Network),
    metadata: &Metadata,
    place: &PodPlace,
) -> Option<PodFacts> {
    let entry = annotated(attachment, metadata)?;
    let routes = entry.routes.iter().filter_map(|route| {
        Some(Route { destination: route.destination, next_hop: route.next_hop? })
    });
    Some(PodFacts {
        key: attachment.key.clone(),
        network: network.name.clone(),
        pod_uid: attachment.pod_uid.clone(),
        sandbox: place.sandbox.clone(),
        logical_port: names::pod_port(&attachment.key),
        link: link_name(&place.sandbox, place_in_pod(attachment, network, metadata)),
        interface: interface(attachment, network, metadata),
        namespace: place.namespace.clone(),
        mac: entry.mac,
        routes: routes.collect(),
        addresses: entry.addresses,
        gateways: entry.gateways,
        mtu: mtu(settings, network),
        is_one_of_several: is_one_of_several(attachment, metadata),
        is_guarded: network.has_router_guard(settings.features),
        router: entry.link_local_gateway.filter(|_| network.is_primary()),
        guest: guest(attachment, network, metadata),
        bandwidth: bandwidth(metadata).unwrap_or_default(),
        lock: attachment.lock.clone(),
    })
}

/// The name of an attachment's link inside the pod.
pub fn interface(attachment: &Attachment, network: &Network, metadata: &Metadata) -> String {
    match (&attachment.interface, place_in_pod(attachment, network, metadata)) {
        (Some(chosen), _) => chosen.clone(),
        (None, PlaceInPod::Default) => DEFAULT_INTERFACE.to_owned(),
        (None, PlaceInPod::Primary) => PRIMARY_INTERFACE.to_owned(),
        // Multus names links by their place in the pod's annotation.
        (None, PlaceInPod::Asked(position)) => format!("net{position}"),
    }
}

/// What the pod's annotation says about an attachment.
fn annotated(attachment: &Attachment, metadata: &Metadata) -> Option<PodNetwork> {
    let entries = PodNetworks::decode(metadata.annotation(POD_NETWORKS)?).ok()?;
    entries.entry(&attachment.key.nad_key()).ok().flatten()
}

// compat: pkg/kubevirt/pod.go, IsPodLiveMigratable; pods with a primary network keep their address
// on the default one, for the kubelet
fn guest(attachment: &Attachment, network: &Network, metadata: &Metadata) -> Guest {
    let is_main = network.is_default() && attachment.lock.is_none();
    let is_launcher = metadata.labels.get(LAUNCHER_LABEL).is_some_and(|it| it == LAUNCHER);
    match (is_launcher, metadata.annotation(TAKES_OVER)) {
        (false, _) => Guest::None,
        (true, Some(_)) if is_main => Guest::TakingOver,
        (true, _) => Guest::Sharing,
    }
}

/// Which of its pod's networks this is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PlaceInPod {
    Default,
    Primary,
    /// The how-manieth of those that the pod asks for, from one.
    Asked(usize),
}

fn place_in_pod(attachment: &Attachment, network: &Network, metadata: &Metadata) -> PlaceInPod {
    if network.is_default() {
        return PlaceInPod::Default;
    }
    if network.is_primary() {
        return PlaceInPod::Primary;
    }
    let selections = selections(attachment, metadata);
    let is_it = |selection: &Selection| {
        selection.nad == attachment.key.nad && selection.index == attachment.key.index
    };
    PlaceInPod::Asked(selections.iter().position(is_it).map_or(0, |position| position + 1))
}

/// Whether the pod asks for more links through the same NAD.
fn is_one_of_several(attachment: &Attachment, metadata: &Metadata) -> bool {
    let selections = selections(attachment, metadata);
    selections.iter().filter(|it| it.nad == attachment.key.nad).count() > 1
}

fn selections(attachment: &Attachment, metadata: &Metadata) -> Vec<Selection> {
    let namespace = &attachment.key.pod.namespace;
    network_selection::decode(metadata.annotation(SELECTION), namespace).unwrap_or_default()
}

/// The host's end of a cable: the runtime's name, cut so that the place fits behind it.
// compat: pkg/cni/helper_linux.go, the names of host veths; the default network's has no suffix
pub(super) fn link_name(sandbox: &str, place: PlaceInPod) -> String {
    let suffix = match place {
        PlaceInPod::Default => String::new(),
        PlaceInPod::Primary => "_1".to_owned(),
        PlaceInPod::Asked(position) => format!("_{}", position + 1),
    };
    let start: String = sandbox.chars().take(LONGEST_LINK - suffix.len()).collect();
    start + &suffix
}
