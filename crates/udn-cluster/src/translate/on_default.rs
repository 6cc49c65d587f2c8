//! Pods on the default network: all of a node's that have networks of their own at all.
//!
//! Reads a pod, and whether its namespace has a primary network; returns its [`AttachmentRequest`].
//! Invariant: a pod whose main network is another has a locked port from its first moment; one whose
//! main network is promised and not there yet has none at all.

use udn_model::{
    AddressRequest, AttachmentKey, Finding, Findings, Lock, MacAddress, OpenPort, Reason, Subject,
};
use udn_wire::keys::{DEFAULT_SELECTION, OPEN_PORTS};
use udn_wire::network_selection::{Selection, decode_default};
use udn_wire::open_ports;
use udn_wire::pod_networks::{PodNetwork, PodNetworks, PodRole};
use udn_wire::refusal::annotation_path;

use super::asked::Asked;
use super::attachment_requests::{AttachmentRequest, grant};
use super::attachments::{PodRequest, Scene, Scope, is_labelled};

/// The name of the default network's link.
// compat: the container runtime gives it
const LINK: &str = "eth0";

/// Whether the pod is on the default network of a zone that builds it.
pub(super) fn is_on_default(scene: &Scene<'_>, pod_request: &PodRequest<'_>) -> bool {
    match scene.scope {
        Scope::Zone(place) => place.default.is_some() && place.is_here(pod_request.pod),
        Scope::Whole(_) | Scope::View => false,
    }
}

/// What the pod has there, if it may have anything yet.
pub(super) fn on_default<'g>(
    scene: &Scene<'_>,
    pod_request: &'g PodRequest<'_>,
    networks: &PodNetworks,
    findings: &mut Findings,
) -> Option<AttachmentRequest<'g>> {
    let network = match scene.scope {
        Scope::Zone(place) if place.is_here(pod_request.pod) => place.default?.clone(),
        Scope::Zone(_) | Scope::Whole(_) | Scope::View => return None,
    };
    let key = AttachmentKey::on_default_network(pod_request.name.clone());
    let entry = match networks.entry(&key.nad_key()) {
        Ok(entry) => entry,
        Err(unreadable) => {
            findings.push(unreadable.about(pod_request.subject()));
            return None;
        }
    };
    let lock = match is_locked(scene, pod_request, entry.as_ref())? {
        true => Some(Lock { open_ports: open_ports(pod_request, findings) }),
        false => None,
    };
    let mac = match &entry {
        Some(_) => None,
        None => requested_mac(scene, (pod_request, lock.as_ref()), findings),
    };
    let request = AddressRequest { addresses: Vec::new(), mac };
    let asked = Asked { request, said_in: DEFAULT_SELECTION, ..Asked::default() };
    let published = entry.as_ref().and_then(|it| grant(&network, it));
    Some(AttachmentRequest {
        pod_request,
        key,
        network,
        interface: None,
        link: LINK.to_owned(),
        asked,
        published,
        lock,
        is_attached: true,
    })
}

/// Whether the port is locked; `None` while nobody can tell.
fn is_locked(
    scene: &Scene<'_>,
    pod_request: &PodRequest<'_>,
    entry: Option<&PodNetwork>,
) -> Option<bool> {
    let namespace = &*pod_request.name.namespace;
    let is_promised = is_labelled(scene.world, namespace);
    let has_main = scene.nad_states.primary.contains_key(namespace);
    match entry.map(|it| it.role) {
        Some(Some(PodRole::InfrastructureLocked)) => Some(true),
        Some(Some(PodRole::Primary | PodRole::Secondary) | None) | None if has_main => Some(true),
        // It has lived without another network, and nothing was promised to it.
        Some(Some(PodRole::Primary)) => Some(false),
        Some(Some(PodRole::Secondary) | None) => Some(is_promised),
        None if is_promised => None,
        // Watches of different kinds are not heard in one order.
        None => scene.world.namespaces.contains_key(namespace).then_some(false),
    }
}

fn open_ports(pod_request: &PodRequest<'_>, findings: &mut Findings) -> Vec<OpenPort> {
    let Some(text) = pod_request.pod.metadata.annotation(OPEN_PORTS) else { return Vec::new() };
    open_ports::decode(text).unwrap_or_else(|unreadable| {
        findings.push(unreadable.about(pod_request.subject()));
        Vec::new()
    })
}

/// The MAC that the pod asks for. Who names another NAD asks another plugin.
// compat: pkg/ovn/base_network_controller_pods.go, also where the pod's main network is another
fn requested_mac(
    scene: &Scene<'_>,
    (pod_request, lock): (&PodRequest<'_>, Option<&Lock>),
    findings: &mut Findings,
) -> Option<MacAddress> {
    let annotation = pod_request.pod.metadata.annotation(DEFAULT_SELECTION);
    // On the main network the same annotation is read too, and all is told there.
    let mut tell = |finding: Finding| findings.extend(lock.is_none().then_some(finding));
    let selection = match decode_default(annotation, &pod_request.name.namespace) {
        Ok(selection) => selection?,
        Err(unreadable) => {
            tell(unreadable.about(pod_request.subject()));
            return None;
        }
    };
    let Selection { nad, requests, .. } = selection;
    if nad != scene.settings.default_nad || !scene.settings.features.requested_addresses {
        return None;
    }
    match requests {
        Ok(requests) => {
            let AddressRequest { addresses, mac } = requests.addresses;
            if !addresses.is_empty() {
                tell(ips_ignored(pod_request.subject()));
            }
            mac
        }
        Err(unreadable) => {
            tell(unreadable.about(pod_request.subject()));
            None
        }
    }
}

fn ips_ignored(pod: Subject) -> Finding {
    let message = "ips have no effect on the default network, where each node has subnets of its \
                   own; remove them";
    Finding::new(pod, Reason::RequestIgnored, message).at(annotation_path(DEFAULT_SELECTION))
}
