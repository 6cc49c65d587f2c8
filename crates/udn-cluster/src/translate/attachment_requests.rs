//! What one pod asks for: its main network, those it names, and requests on each.
//!
//! Reads a pod's annotations; returns [`AttachmentRequest`]es, with findings on what cannot be.
//! Invariant: a request leads to a network that is ready, and has what the pod carries there.

use std::collections::BTreeMap;
use std::sync::Arc;

use udn_model::{
    AttachmentGrant, AttachmentKey, Finding, Findings, Lock, Network, ObjectName, Reason, Subject,
};
use udn_wire::keys::SELECTION;
use udn_wire::network_selection::{self, Selection};
use udn_wire::pod_networks::{PodNetwork, PodNetworks};
use udn_wire::refusal::annotation_path;

use super::asked::{self, Asked, Asking};
use super::attachments::{Concern, PodRequest, Scene, Scope};
use super::on_default::{is_on_default, on_default};
use crate::nad_states::NadState;

/// The name of the main network's link.
// compat: pkg/types/const.go, the primary UDN's interface
const MAIN_LINK: &str = "ovn-udn1";

/// One network that a pod can be on.
pub(super) struct AttachmentRequest<'g> {
    pub(super) pod_request: &'g PodRequest<'g>,
    pub(super) key: AttachmentKey,
    pub(super) network: Arc<Network>,
    /// The name of the link inside the pod, if the user chose one.
    pub(super) interface: Option<String>,
    /// The name that the link will have.
    pub(super) link: String,
    pub(super) asked: Asked,
    /// What the pod carries already.
    pub(super) published: Option<AttachmentGrant>,
    /// What closes its port, on the default network alone.
    pub(super) lock: Option<Lock>,
    /// Whether the pod is on the network; else it only holds what it carries.
    pub(super) is_attached: bool,
}

impl AttachmentRequest<'_> {
    /// A finding at the annotation.
    pub(super) fn finding(&self, reason: Reason, message: String) -> Finding {
        let finding = Finding::new(self.pod_request.subject(), reason, message);
        finding.at(annotation_path(self.asked.said_in))
    }
}

/// A selection on its way to a request.
struct Candidate {
    selection: Selection,
    network: Arc<Network>,
    link: String,
    is_main: bool,
}

/// What the pod asks for and can have.
pub(super) fn attachment_requests<'g>(
    scene: &Scene<'_>,
    pod_request: &'g PodRequest<'_>,
    findings: &mut Findings,
) -> Vec<AttachmentRequest<'g>> {
    let mut candidates: Vec<Candidate> = main(scene, pod_request).into_iter().collect();
    candidates.extend(chosen(scene, pod_request, findings));
    let is_concern =
        |it: &Candidate| scene.concern(&it.network, pod_request.pod) != Concern::Nothing;
    candidates.retain(is_concern);
    let networks = match &pod_request.networks {
        Ok(networks) => networks,
        Err(unreadable) => {
            let is_concerned = !candidates.is_empty() || is_on_default(scene, pod_request);
            findings.extend(is_concerned.then(|| unreadable.about(pod_request.subject())));
            return Vec::new();
        }
    };
    let mut ports = BTreeMap::new();
    let mut attachment_requests = Vec::new();
    for candidate in candidates {
        let Selection { nad, index, .. } = &candidate.selection;
        let (pod, nad) = (pod_request.name.clone(), nad.clone());
        let key = AttachmentKey { pod, nad, index: *index };
        if let Some(rival) = ports.insert(port_name(&key), key.clone()) {
            findings.push(same_port(pod_request, &rival, &key));
            continue;
        }
        match networks.entry(&key.nad_key()) {
            Err(unreadable) => findings.push(unreadable.about(pod_request.subject())),
            Ok(entry) => attachment_requests.extend(attachment_request(
                scene,
                pod_request,
                (key, candidate, entry),
                findings,
            )),
        }
    }
    let known = attachment_requests.iter().map(|it: &AttachmentRequest<'_>| it.key.nad_key());
    let known: Vec<String> = known.collect();
    attachment_requests.extend(carried(scene, pod_request, (networks, known)));
    attachment_requests.extend(on_default(scene, pod_request, networks, findings));
    attachment_requests
}

/// The main network of the pod's namespace.
fn main(scene: &Scene<'_>, pod_request: &PodRequest<'_>) -> Option<Candidate> {
    let nad = scene.nad_states.primary.get(&pod_request.name.namespace)?;
    let network = scene.nad_states.network(nad)?;
    let selection = Selection::new(nad.clone(), 0);
    let (network, link) = (network.clone(), MAIN_LINK.to_owned());
    Some(Candidate { selection, network, link, is_main: true })
}

/// The networks that the pod names.
fn chosen(
    scene: &Scene<'_>,
    pod_request: &PodRequest<'_>,
    findings: &mut Findings,
) -> Vec<Candidate> {
    let annotation = pod_request.pod.metadata.annotation(SELECTION);
    let chosen = network_selection::decode(annotation, &pod_request.name.namespace);
    let chosen = chosen.unwrap_or_else(|unreadable| {
        findings.push(unreadable.about(pod_request.subject()));
        Vec::new()
    });
    let mut candidates = Vec::new();
    for (position, selection) in chosen.into_iter().enumerate() {
        // compat: Multus, links without a name are numbered by their place in the annotation
        let link = selection.interface.clone().unwrap_or_else(|| format!("net{}", position + 1));
        match objection(scene, &selection.nad) {
            Some((reason, message)) => {
                let mut finding = Finding::new(pod_request.subject(), reason, message);
                if reason == Reason::Waiting {
                    finding = finding.waiting_for(Subject::Nad(selection.nad.clone()));
                }
                findings.push(finding.at(annotation_path(SELECTION)));
            }
            None => candidates.extend(
                scene.nad_states.network(&selection.nad).cloned().map(|network| Candidate {
                    selection,
                    network,
                    link,
                    is_main: false,
                }),
            ),
        }
    }
    candidates
}

/// Why a pod cannot name this NAD.
fn objection(scene: &Scene<'_>, nad: &ObjectName) -> Option<(Reason, String)> {
    let namespace = &*nad.namespace;
    if scene.nad_states.is_primary(nad) {
        let message = format!(
            "names NAD {nad}, the main network of all pods in namespace {namespace} and of \
             no others; remove it there"
        );
        return Some((Reason::InvalidAnnotation, message));
    }
    match scene.nad_states.at.get(nad) {
        Some(NadState::Ready(_) | NadState::Foreign) => None,
        Some(NadState::Pending) => {
            let message = format!("NAD {nad} leads to no network yet; see what is told of it");
            Some((Reason::Waiting, message))
        }
        None if scene.world.namespaces.contains_key(namespace) => {
            let message = format!("NAD {nad} does not exist; create it or correct the name");
            Some((Reason::DefinitionNotFound, message))
        }
        None => {
            let message = format!(
                "NAD {nad} does not exist, nor does namespace {namespace}; create them or \
                 correct the name"
            );
            Some((Reason::NamespaceNotFound, message))
        }
    }
}

/// The request of a candidate, unless what it asks for cannot be granted.
fn attachment_request<'g>(
    scene: &Scene<'_>,
    pod_request: &'g PodRequest<'_>,
    (key, candidate, entry): (AttachmentKey, Candidate, Option<PodNetwork>),
    findings: &mut Findings,
) -> Option<AttachmentRequest<'g>> {
    let Candidate { selection, network, link, is_main } = candidate;
    let asking = Asking { scene, pod_request, network: &network, is_settled: entry.is_some() };
    let told = match is_main {
        true => asked::main(&asking),
        false => asked::chosen(&asking, &key.nad, selection.requests),
    };
    findings.extend(told.findings);
    if scene.concern(&network, pod_request.pod) == Concern::Told {
        return None;
    }
    // A pod that has its addresses keeps them, whatever is wrong with its request.
    let asked = told.value.or_else(|| entry.as_ref().map(|_| Asked::default()))?;
    let (interface, published) =
        (selection.interface, entry.as_ref().and_then(|it| grant(&network, it)));
    let (lock, is_attached) = (None, true);
    Some(AttachmentRequest {
        pod_request,
        key,
        network,
        interface,
        link,
        asked,
        published,
        lock,
        is_attached,
    })
}

/// What the pod carries on ready networks that it does not ask for, or no longer: whoever changed
/// its annotation, its links have these addresses. Where its node gave them, it does not get ports
/// for them.
fn carried<'g>(
    scene: &Scene<'_>,
    pod_request: &'g PodRequest<'_>,
    (networks, known): (&PodNetworks, Vec<String>),
) -> Vec<AttachmentRequest<'g>> {
    let carried = |key: &str| {
        let key =
            attachment_key(pod_request.name, key).filter(|_| !known.iter().any(|it| it == key))?;
        let network = scene.nad_states.network(&key.nad)?.clone();
        let is_attached = match scene.scope {
            Scope::Whole(_) => return None,
            Scope::View => true,
            Scope::Zone(_) => false,
        };
        let is_holder = scene.concern(&network, pod_request.pod) == Concern::Attached;
        if !is_holder || (!is_attached && network.layer3().is_none()) {
            return None;
        }
        let entry = networks.entry(&key.nad_key()).ok().flatten()?;
        let (interface, link, asked, lock) = Default::default();
        let published = grant(&network, &entry);
        Some(AttachmentRequest {
            pod_request,
            key,
            network,
            interface,
            link,
            asked,
            published,
            lock,
            is_attached,
        })
    };
    networks.keys().filter_map(carried).collect()
}

/// Reads `ns/nad` and `ns/nad/1`.
fn attachment_key(pod: &ObjectName, text: &str) -> Option<AttachmentKey> {
    let (namespace, rest) = text.split_once('/')?;
    let (name, index) = match rest.split_once('/') {
        Some((name, index)) => (name, index.parse().ok()?),
        None => (rest, 0),
    };
    let nad = ObjectName::new(namespace, name);
    Some(AttachmentKey { pod: pod.clone(), nad, index })
}

/// What an entry says that the pod was given; nothing, where addresses should be and are not.
pub(super) fn grant(network: &Network, entry: &PodNetwork) -> Option<AttachmentGrant> {
    let PodNetwork { addresses, mac, tunnel_id, .. } = entry;
    let is_whole = network.layer3().is_none() || !addresses.is_empty();
    let grant =
        || AttachmentGrant { addresses: addresses.clone(), mac: *mac, port_key: *tunnel_id };
    is_whole.then(grant)
}

/// What tells a pod's ports apart in OVN's names.
// compat: pkg/util/util.go, GetUserDefinedNetworkLogicalPortName
fn port_name(key: &AttachmentKey) -> String {
    key.nad_key().replace(['-', '/'], ".")
}

fn same_port(
    pod_request: &PodRequest<'_>,
    first: &AttachmentKey,
    second: &AttachmentKey,
) -> Finding {
    let message = format!(
        "NADs {} and {} give the pod ports of the same name in OVN, so it gets only the first; \
         rename one of them",
        first.nad_key(),
        second.nad_key()
    );
    let path = annotation_path(SELECTION);
    Finding::new(pod_request.subject(), Reason::NameConflict, message).at(path)
}
