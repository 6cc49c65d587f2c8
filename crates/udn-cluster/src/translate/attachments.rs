//! Pods and the networks that they are on.
//!
//! Reads pods; adds attachments, claims, and what both were given before, to an intent.
//! Invariant: a pod whose annotation cannot be read gets nothing new, so that nothing is lost; a
//! pod that carries addresses stays on their network, whatever else is wrong with it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use udn_model::{
    Attachment, ClusterSettings, Finding, Findings, Intent, Network, NetworkName, Node, NodeName,
    ObjectName, Reason, Subject,
};
use udn_wire::keys::{POD_NETWORKS, PRIMARY_LABEL};
use udn_wire::object::Pod;
use udn_wire::pod_networks::{PodNetworks, PodRole};
use udn_wire::refusal::Unreadable;

use super::asked::Asked;
use super::attachment_requests::{AttachmentRequest, attachment_requests};
use super::machines::machine_of;
use super::nads::ReadNads;
use super::{claims, users};
use crate::nad_states::{NadState, NadStates};
use crate::world::World;

/// Where pods are looked at.
pub(super) struct Scene<'a> {
    pub(super) world: &'a World,
    pub(super) nad_states: &'a NadStates,
    pub(super) settings: &'a ClusterSettings,
    pub(super) scope: Scope<'a>,
}

/// How much of the cluster a world shows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope<'a> {
    /// All of it, with all nodes.
    Whole(&'a BTreeMap<NodeName, Node>),
    /// Some pods that a zone looks at: who may use a claim was judged before a pod got its addresses.
    Zone(ZonePlace<'a>),
    /// Some pods and claims with what they need: that something is not here says nothing, except
    /// of NADs and claims that they name.
    View,
}

/// Where a zone is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ZonePlace<'a> {
    /// The zone's own node, if it is known: only of its pods the zone knows what they are on where
    /// nodes have subnets of their own.
    pub node: Option<&'a NodeName>,
    pub nodes: &'a BTreeMap<NodeName, Node>,
    /// The default network, if it is ours to build.
    pub default: Option<&'a Arc<Network>>,
}

/// What a pod has to do with a network, as far as those who look at it care.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Concern {
    /// They attach it.
    Attached,
    /// They tell what is wrong with what it asks for; its node attaches it.
    Told,
    Nothing,
}

impl Scene<'_> {
    /// On layer-3 networks and the default network it is the pod's own node that gives addresses.
    pub(super) fn concern(&self, network: &Network, pod: &Pod) -> Concern {
        match (network.layer3(), self.scope) {
            (None, _) => Concern::Attached,
            (Some(_), Scope::Whole(_) | Scope::View) => Concern::Told,
            (Some(_), Scope::Zone(place)) if place.is_here(pod) => Concern::Attached,
            (Some(_), Scope::Zone(_)) => Concern::Nothing,
        }
    }
}

impl ZonePlace<'_> {
    /// Whether a pod is on the zone's own node.
    pub(super) fn is_here(&self, pod: &Pod) -> bool {
        self.node.is_some_and(|node| pod.spec.node_name == node.as_str())
    }
}

/// The pods that take part in networks.
pub(super) struct PodRequests<'a> {
    pod_requests: Vec<PodRequest<'a>>,
    /// The NADs that entries of pods name, each with one of the pods.
    used: BTreeMap<ObjectName, &'a ObjectName>,
}

pub(super) struct PodRequest<'a> {
    pub(super) name: &'a ObjectName,
    pub(super) pod: &'a Pod,
    pub(super) networks: Result<PodNetworks, Unreadable>,
}

impl<'a> PodRequests<'a> {
    pub(super) fn of(world: &'a World) -> Self {
        let present = world.pods.iter().filter(|(_, pod)| pod.is_on_networks());
        let pod_requests: Vec<PodRequest<'a>> =
            present.map(|(name, pod)| PodRequest::of(name, pod)).collect();
        let mut used = BTreeMap::new();
        for pod_request in &pod_requests {
            let named = pod_request.networks.iter().flat_map(PodNetworks::nads);
            used.extend(named.map(|nad| (nad, pod_request.name)));
        }
        Self { pod_requests, used }
    }

    /// A pod that uses this NAD.
    pub(super) fn use_of(&self, nad: &ObjectName) -> Option<&'a ObjectName> {
        self.used.get(nad).copied()
    }

    /// Adds attachments and claims to an intent whose networks are settled.
    pub(super) fn attach(&self, scene: &Scene<'_>, intent: &mut Intent, findings: &mut Findings) {
        let mut all = Vec::new();
        for pod_request in &self.pod_requests {
            let attachment_requests = attachment_requests(scene, pod_request, findings);
            let Some(first) = attachment_requests.first() else { continue };
            let node = first.pod_request.node(scene, findings);
            for attachment_request in attachment_requests {
                note(&attachment_request, intent);
                if !attachment_request.is_attached {
                    continue;
                }
                all.extend(node.clone().map(|node| (node, attachment_request)));
            }
        }
        self.tell_deserted(scene, findings);
        match scene.scope {
            Scope::Whole(_) | Scope::View => {
                let attachment_requests =
                    all.iter().map(|(_, attachment_request)| attachment_request);
                let claims = claims::read(scene, attachment_requests, intent, findings);
                users::settle(scene, claims, &mut all, intent, findings);
            }
            Scope::Zone(_) => (),
        }
        for (node, attachment_request) in all {
            let network = attachment_request.network.name.clone();
            let place = intent.attachments.entry(network).or_default();
            place.insert(attachment_request.key.clone(), attachment(node, attachment_request));
        }
    }

    /// Tells of pods that wait for the main network of their namespace.
    fn tell_deserted(&self, scene: &Scene<'_>, findings: &mut Findings) {
        let is_deserted = |pod_request: &&PodRequest<'_>| {
            let namespace = &pod_request.name.namespace;
            !scene.nad_states.primary.contains_key(namespace) && is_labelled(scene.world, namespace)
        };
        let deserted = self.pod_requests.iter().filter(is_deserted);
        match scene.scope {
            Scope::Whole(_) | Scope::Zone(_) => {
                let namespaces: BTreeSet<&str> = deserted.map(|it| &*it.name.namespace).collect();
                findings.extend(namespaces.into_iter().map(no_primary));
            }
            Scope::View => {
                let waiting = deserted.filter(|it| !it.has_primary());
                findings.extend(waiting.map(|it| it.no_primary(scene.nad_states)));
            }
        }
    }
}

/// A pod that is to run on a node which is not there.
pub(crate) fn node_not_found(pod: &ObjectName, node: &str) -> Finding {
    let message = format!("node {node} does not exist; add it or let the pod go elsewhere");
    let subject = Subject::Pod(pod.clone());
    Finding::new(subject, Reason::NotScheduled, message).at("spec.nodeName")
}

impl<'a> PodRequest<'a> {
    fn of(name: &'a ObjectName, pod: &'a Pod) -> Self {
        let annotation = pod.metadata.annotation(POD_NETWORKS);
        let networks = annotation.map(PodNetworks::decode).transpose();
        Self { name, pod, networks: networks.map(Option::unwrap_or_default) }
    }

    pub(super) fn subject(&self) -> Subject {
        Subject::Pod(self.name.clone())
    }

    /// The node the pod is on, if it is on one.
    fn node(&self, scene: &Scene<'_>, findings: &mut Findings) -> Option<NodeName> {
        let name = &self.pod.spec.node_name;
        if name.is_empty() {
            return None;
        }
        let node = NodeName::new(name);
        let is_known = match scene.scope {
            Scope::Whole(nodes) => nodes.contains_key(&node),
            Scope::Zone(place) => place.nodes.contains_key(&node),
            Scope::View => true,
        };
        if is_known {
            return Some(node);
        }
        findings.push(node_not_found(self.name, name));
        None
    }

    /// Whether the pod carries addresses of a primary network, whatever its NAD's state is now.
    fn has_primary(&self) -> bool {
        let Ok(networks) = &self.networks else { return false };
        let is_primary = |key: &str| {
            let entry = networks.entry(key).ok().flatten();
            key.contains('/') && entry.is_some_and(|it| it.role == Some(PodRole::Primary))
        };
        networks.keys().any(is_primary)
    }

    fn no_primary(&self, nad_states: &NadStates) -> Finding {
        let namespace = &self.name.namespace;
        let message = match nad_states.awaited.get(namespace) {
            Some(item) => format!(
                "waits for {item}, the primary network of namespace {namespace}, which is not \
                 built yet; see what is told of it"
            ),
            None => format!(
                "waits for the primary network that the label {PRIMARY_LABEL} of namespace \
                 {namespace} promises; create a UDN there or a CUDN that selects it"
            ),
        };
        Finding::new(self.subject(), Reason::Waiting, message)
    }
}

/// Where NADs lead in a world whose networks are settled.
pub(super) fn nad_states(
    world: &World,
    read_nads: &ReadNads<'_>,
    networks: &BTreeMap<NetworkName, Arc<Network>>,
) -> NadStates {
    let mut nad_states = NadStates::default();
    for name in world.nads.keys() {
        let nad_state = if read_nads.has(name) { NadState::Pending } else { NadState::Foreign };
        nad_states.at.insert(name.clone(), nad_state);
    }
    for network in networks.values() {
        for nad in &network.nads {
            nad_states.at.insert(nad.clone(), NadState::Ready(network.clone()));
            if network.is_primary() {
                nad_states.primary.insert(nad.namespace.clone(), nad.clone());
            }
        }
    }
    nad_states
}

fn attachment(node: NodeName, attachment_request: AttachmentRequest<'_>) -> Attachment {
    let AttachmentRequest { pod_request, key, network, interface, asked, lock, .. } =
        attachment_request;
    let Asked { request, claim, gateways, said_in: _ } = asked;
    let metadata = &pod_request.pod.metadata;
    let created = metadata.creation_timestamp.clone();
    let machine = machine_of(pod_request.pod);
    let bare = Attachment::new(key, network.name.clone(), node, &metadata.uid);
    Attachment { created, interface, request, claim, machine, gateways, lock, ..bare }
}

/// Writes down what the pod was given before.
fn note(attachment_request: &AttachmentRequest<'_>, intent: &mut Intent) {
    let Some(grant) = &attachment_request.published else { return };
    let place =
        intent.published.attachments.entry(attachment_request.network.name.clone()).or_default();
    place.insert(attachment_request.key.clone(), grant.clone());
}

pub(super) fn is_labelled(world: &World, namespace: &str) -> bool {
    let namespace = world.namespaces.get(namespace);
    namespace.is_some_and(|it| it.metadata.labels.contains_key(PRIMARY_LABEL))
}

fn no_primary(namespace: &str) -> Finding {
    let message = format!(
        "has the label {PRIMARY_LABEL} but no primary network, so its pods wait; create a UDN \
         there or a CUDN that selects it"
    );
    let path = format!("metadata.labels[{PRIMARY_LABEL}]");
    Finding::new(Subject::Namespace(namespace.to_owned()), Reason::Waiting, message).at(path)
}
