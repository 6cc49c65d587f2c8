//! What one pod asks for: its main network, those it names, and requests on each.
//!
//! Reads a pod's annotations; returns [`Wish`]es, with findings on what cannot be.
//! Invariant: a wish leads to a network that is open, and has what the pod carries there.

use std::collections::BTreeMap;
use std::sync::Arc;

use udn_model::{AttachmentGrant, AttachmentKey, Finding, Findings, Network, ObjectName, Reason};
use udn_wire::keys::SELECTION;
use udn_wire::network_selection::{self, Selection};
use udn_wire::pod_networks::{PodNetwork, PodNetworks};
use udn_wire::refusal::annotation_path;

use super::asked::{self, Asked, Asking};
use super::attachments::{Guest, Scene, Scope};
use crate::doors::Door;

/// The name of the main network's link.
// compat: pkg/types/const.go, the primary UDN's interface
const MAIN_LINK: &str = "ovn-udn1";

/// One network that a pod can be on.
pub(super) struct Wish<'g> {
    pub(super) guest: &'g Guest<'g>,
    pub(super) key: AttachmentKey,
    pub(super) network: Arc<Network>,
    /// The name of the link inside the pod, if the user chose one.
    pub(super) interface: Option<String>,
    /// The name that the link will have.
    pub(super) link: String,
    pub(super) asked: Asked,
    /// What the pod carries already.
    pub(super) published: Option<AttachmentGrant>,
}

impl Wish<'_> {
    /// A finding at the annotation.
    pub(super) fn finding(&self, reason: Reason, message: String) -> Finding {
        let finding = Finding::new(self.guest.subject(), reason, message);
        finding.at(annotation_path(self.asked.said_in))
    }
}

/// A selection on its way to a wish.
struct Candidate {
    selection: Selection,
    network: Arc<Network>,
    link: String,
    is_main: bool,
}

/// What the pod asks for and can have.
pub(super) fn wishes<'g>(
    scene: &Scene<'_>,
    guest: &'g Guest<'_>,
    findings: &mut Findings,
) -> Vec<Wish<'g>> {
    let mut candidates: Vec<Candidate> = main(scene, guest).into_iter().collect();
    candidates.extend(chosen(scene, guest, findings));
    let networks = match &guest.networks {
        Ok(networks) => networks,
        Err(unreadable) => {
            let is_concerned = !candidates.is_empty();
            findings.extend(is_concerned.then(|| unreadable.about(guest.subject())));
            return Vec::new();
        }
    };
    let mut ports = BTreeMap::new();
    let mut wishes = Vec::new();
    for candidate in candidates {
        let Selection { definition, index, .. } = &candidate.selection;
        let (pod, definition) = (guest.name.clone(), definition.clone());
        let key = AttachmentKey { pod, definition, index: *index };
        if let Some(rival) = ports.insert(port_name(&key), key.clone()) {
            findings.push(same_port(guest, &rival, &key));
            continue;
        }
        match networks.entry(&key.definition_key()) {
            Err(unreadable) => findings.push(unreadable.about(guest.subject())),
            Ok(entry) => wishes.extend(wish(scene, guest, (key, candidate, entry), findings)),
        }
    }
    if scene.scope == Scope::Slice {
        let known = wishes.iter().map(|wish| wish.key.definition_key()).collect();
        wishes.extend(carried(scene, guest, (networks, known)));
    }
    wishes
}

/// The main network of the pod's namespace.
fn main(scene: &Scene<'_>, guest: &Guest<'_>) -> Option<Candidate> {
    let definition = scene.doors.primary.get(&guest.name.namespace)?;
    let network = scene.doors.network(definition)?;
    let selection = Selection::new(definition.clone(), 0);
    let (network, link) = (network.clone(), MAIN_LINK.to_owned());
    Some(Candidate { selection, network, link, is_main: true })
}

/// The networks that the pod names.
fn chosen(scene: &Scene<'_>, guest: &Guest<'_>, findings: &mut Findings) -> Vec<Candidate> {
    let annotation = guest.pod.metadata.annotation(SELECTION);
    let chosen = network_selection::decode(annotation, &guest.name.namespace);
    let chosen = chosen.unwrap_or_else(|unreadable| {
        findings.push(unreadable.about(guest.subject()));
        Vec::new()
    });
    let mut candidates = Vec::new();
    for (position, selection) in chosen.into_iter().enumerate() {
        // compat: Multus, links without a name are numbered by their place in the annotation
        let link = selection.interface.clone().unwrap_or_else(|| format!("net{}", position + 1));
        match objection(scene, &selection.definition) {
            Some((reason, message)) => {
                let finding = Finding::new(guest.subject(), reason, message);
                findings.push(finding.at(annotation_path(SELECTION)));
            }
            None => candidates.extend(
                scene.doors.network(&selection.definition).cloned().map(|network| Candidate {
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
fn objection(scene: &Scene<'_>, definition: &ObjectName) -> Option<(Reason, String)> {
    let namespace = &*definition.namespace;
    if scene.doors.is_primary(definition) {
        let message = format!(
            "names NAD {definition}, the main network of all pods in namespace {namespace} and of \
             no others; remove it there"
        );
        return Some((Reason::InvalidAnnotation, message));
    }
    match scene.doors.at.get(definition) {
        Some(Door::Open(_) | Door::Elsewhere) => None,
        Some(Door::Shut) => {
            let message =
                format!("NAD {definition} leads to no network yet; see what is told of it");
            Some((Reason::Waiting, message))
        }
        None if scene.scope == Scope::Slice || scene.world.namespaces.contains_key(namespace) => {
            let message = format!("NAD {definition} does not exist; create it or correct the name");
            Some((Reason::DefinitionNotFound, message))
        }
        None => {
            let message = format!(
                "NAD {definition} does not exist, nor does namespace {namespace}; create them or \
                 correct the name"
            );
            Some((Reason::NamespaceNotFound, message))
        }
    }
}

/// The wish of a candidate, unless what it asks for cannot be granted.
fn wish<'g>(
    scene: &Scene<'_>,
    guest: &'g Guest<'_>,
    (key, candidate, entry): (AttachmentKey, Candidate, Option<PodNetwork>),
    findings: &mut Findings,
) -> Option<Wish<'g>> {
    let Candidate { selection, network, link, is_main } = candidate;
    let asking = Asking { scene, guest, network: &network, is_settled: entry.is_some() };
    let told = match is_main {
        true => asked::main(&asking),
        false => asked::chosen(&asking, &key.definition, selection.requests),
    };
    findings.extend(told.findings);
    // A pod that has its addresses keeps them, whatever is wrong with its request.
    let asked = told.value.or_else(|| entry.as_ref().map(|_| Asked::default()))?;
    let (interface, published) = (selection.interface, entry.as_ref().map(grant));
    Some(Wish { guest, key, network, interface, link, asked, published })
}

/// What the pod carries on open networks that it does not ask for, or no longer: whoever changed
/// its annotation, its links have these addresses.
fn carried<'g>(
    scene: &Scene<'_>,
    guest: &'g Guest<'_>,
    (networks, known): (&PodNetworks, Vec<String>),
) -> Vec<Wish<'g>> {
    let carried = |key: &str| {
        let key = attachment_key(guest.name, key).filter(|_| !known.iter().any(|it| it == key))?;
        let network = scene.doors.network(&key.definition)?.clone();
        let entry = networks.entry(&key.definition_key()).ok().flatten()?;
        let (interface, link, asked) = Default::default();
        let published = Some(grant(&entry));
        Some(Wish { guest, key, network, interface, link, asked, published })
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
    let definition = ObjectName::new(namespace, name);
    Some(AttachmentKey { pod: pod.clone(), definition, index })
}

fn grant(entry: &PodNetwork) -> AttachmentGrant {
    let PodNetwork { addresses, mac, tunnel_id, .. } = entry;
    AttachmentGrant { addresses: addresses.clone(), mac: *mac, port_key: *tunnel_id }
}

/// What tells a pod's ports apart in OVN's names.
// compat: pkg/util/util.go, GetUserDefinedNetworkLogicalPortName
fn port_name(key: &AttachmentKey) -> String {
    key.definition_key().replace(['-', '/'], ".")
}

fn same_port(guest: &Guest<'_>, first: &AttachmentKey, second: &AttachmentKey) -> Finding {
    let message = format!(
        "NADs {} and {} give the pod ports of the same name in OVN, so it gets only the first; \
         rename one of them",
        first.definition_key(),
        second.definition_key()
    );
    let path = annotation_path(SELECTION);
    Finding::new(guest.subject(), Reason::NameConflict, message).at(path)
}
