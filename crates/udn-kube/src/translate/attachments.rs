//! Pods and the networks that they are on.
//!
//! Reads pods; adds attachments, and what pods were given before, to an intent.
//! Invariant: a pod whose annotation cannot be read gets nothing new, so that nothing is lost.

use std::collections::{BTreeMap, BTreeSet};

use udn_model::{
    Attachment, AttachmentGrant, AttachmentKey, Finding, Findings, Intent, NetworkName, NodeName,
    ObjectName, Reason, Subject,
};

use super::definitions::Shelf;
use crate::keys::{POD_NETWORKS, PRIMARY_LABEL, SELECTION};
use crate::network_selection::{self, Selection};
use crate::object::Pod;
use crate::pod_networks::{PodNetwork, PodNetworks};
use crate::refusal::{Unreadable, annotation_path};
use crate::world::World;

/// The pods that take part in networks.
pub(super) struct Guests<'a> {
    guests: Vec<Guest<'a>>,
    /// The NADs that entries of pods name, each with one of the pods.
    used: BTreeMap<ObjectName, &'a ObjectName>,
}

struct Guest<'a> {
    name: &'a ObjectName,
    pod: &'a Pod,
    networks: Result<PodNetworks, Unreadable>,
}

impl<'a> Guests<'a> {
    pub(super) fn of(world: &'a World) -> Self {
        let present = world.pods.iter().filter(|(_, pod)| pod.is_on_networks());
        let guests: Vec<Guest<'a>> = present.map(|(name, pod)| Guest::of(name, pod)).collect();
        let mut used = BTreeMap::new();
        for guest in &guests {
            let named = guest.networks.iter().flat_map(PodNetworks::definitions);
            used.extend(named.map(|definition| (definition, guest.name)));
        }
        Self { guests, used }
    }

    /// A pod that uses this NAD.
    pub(super) fn use_of(&self, definition: &ObjectName) -> Option<&'a ObjectName> {
        self.used.get(definition).copied()
    }

    /// Adds attachments to an intent whose networks and nodes are settled.
    pub(super) fn attach(
        &self,
        world: &World,
        shelf: &Shelf<'_>,
        intent: &mut Intent,
        findings: &mut Findings,
    ) {
        let doors = Doors::of(intent);
        let mut deserted = BTreeSet::new();
        for guest in &self.guests {
            let namespace = &*guest.name.namespace;
            if !doors.primary.contains_key(namespace) && is_labelled(world, namespace) {
                deserted.insert(namespace);
            }
            let wishes = guest.wishes(world, shelf, &doors, findings);
            guest.attach(wishes, intent, findings);
        }
        findings.extend(deserted.into_iter().map(no_primary));
    }
}

/// What tells a pod's ports apart in OVN's names.
// compat: pkg/util/util.go, GetUserDefinedNetworkLogicalPortName
fn port_name(key: &AttachmentKey) -> String {
    key.definition_key().replace(['-', '/'], ".")
}

/// Which NAD leads where.
struct Doors {
    networks: BTreeMap<ObjectName, NetworkName>,
    /// The NAD of each namespace's primary network.
    primary: BTreeMap<String, ObjectName>,
}

impl Doors {
    fn of(intent: &Intent) -> Self {
        let mut doors = Self { networks: BTreeMap::new(), primary: BTreeMap::new() };
        for network in intent.networks.values() {
            for definition in &network.definitions {
                doors.networks.insert(definition.clone(), network.name.clone());
                if network.is_primary() {
                    doors.primary.insert(definition.namespace.to_string(), definition.clone());
                }
            }
        }
        doors
    }

    fn is_primary(&self, definition: &ObjectName) -> bool {
        self.primary.get(&*definition.namespace) == Some(definition)
    }
}

impl<'a> Guest<'a> {
    fn of(name: &'a ObjectName, pod: &'a Pod) -> Self {
        let annotation = pod.metadata.annotation(POD_NETWORKS);
        let networks = annotation.map(PodNetworks::decode).transpose();
        Self { name, pod, networks: networks.map(Option::unwrap_or_default) }
    }

    fn subject(&self) -> Subject {
        Subject::Pod(self.name.clone())
    }

    /// The attachments that the pod asks for, with the networks they lead to.
    fn wishes(
        &self,
        world: &World,
        shelf: &Shelf<'_>,
        doors: &Doors,
        findings: &mut Findings,
    ) -> Vec<(NetworkName, Selection)> {
        let main = doors.primary.get(&*self.name.namespace).cloned();
        let main = main.map(|definition| Selection { definition, index: 0, interface: None });
        let annotation = self.pod.metadata.annotation(SELECTION);
        let chosen = network_selection::decode(annotation, &self.name.namespace);
        let chosen = chosen.unwrap_or_else(|unreadable| {
            findings.push(unreadable.about(self.subject()));
            Vec::new()
        });
        let is_possible = |selection: &Selection| {
            let objection = self.objection(world, shelf, doors, selection);
            let is_possible = objection.is_none();
            findings.extend(objection);
            is_possible
        };
        let chosen: Vec<Selection> = chosen.into_iter().filter(is_possible).collect();
        let all = main.into_iter().chain(chosen);
        let known = all.filter_map(|it| Some((doors.networks.get(&it.definition)?.clone(), it)));
        known.collect()
    }

    fn objection(
        &self,
        world: &World,
        shelf: &Shelf<'_>,
        doors: &Doors,
        selection: &Selection,
    ) -> Option<Finding> {
        let definition = &selection.definition;
        let (reason, message) = if doors.is_primary(definition) {
            let message = format!(
                "names NAD {definition}, the main network of all pods in namespace {} and of no others; \
                 remove it there",
                definition.namespace
            );
            (Reason::InvalidAnnotation, message)
        } else if doors.networks.contains_key(definition) {
            return None;
        } else if !world.definitions.contains_key(definition) {
            let namespace = &*definition.namespace;
            if world.namespaces.contains_key(namespace) {
                let message =
                    format!("NAD {definition} does not exist; create it or correct the name");
                (Reason::DefinitionNotFound, message)
            } else {
                let message = format!(
                    "NAD {definition} does not exist, nor does namespace {namespace}; create them \
                     or correct the name"
                );
                (Reason::NamespaceNotFound, message)
            }
        } else if shelf.has(definition) {
            let message =
                format!("NAD {definition} leads to no network yet; see what is told of it");
            (Reason::Waiting, message)
        } else {
            return None;
        };
        Some(Finding::new(self.subject(), reason, message).at(annotation_path(SELECTION)))
    }

    fn same_port(&self, first: &AttachmentKey, second: &AttachmentKey) -> Finding {
        let message = format!(
            "NADs {} and {} give the pod ports of the same name in OVN, so it gets only the first; \
             rename one of them",
            first.definition_key(),
            second.definition_key()
        );
        let path = annotation_path(SELECTION);
        Finding::new(self.subject(), Reason::NameConflict, message).at(path)
    }

    fn attach(
        &self,
        wishes: Vec<(NetworkName, Selection)>,
        intent: &mut Intent,
        findings: &mut Findings,
    ) {
        if wishes.is_empty() {
            return;
        }
        let networks = match &self.networks {
            Ok(networks) => networks,
            Err(unreadable) => return findings.push(unreadable.about(self.subject())),
        };
        let node = self.node(intent, findings);
        let mut ports = BTreeMap::new();
        for (network, Selection { definition, index, interface }) in wishes {
            let key = AttachmentKey { pod: self.name.clone(), definition, index };
            if let Some(rival) = ports.insert(port_name(&key), key.clone()) {
                findings.push(self.same_port(&rival, &key));
                continue;
            }
            match networks.entry(&key.definition_key()) {
                Err(unreadable) => {
                    findings.push(unreadable.about(self.subject()));
                    continue;
                }
                Ok(entry) => {
                    let published = &mut intent.published.attachments;
                    entry.iter().for_each(|entry| note(published, &network, &key, entry));
                }
            }
            let Some(node) = node.clone() else { continue };
            let pod_uid = self.pod.metadata.uid.clone();
            let place = intent.attachments.entry(network.clone()).or_default();
            place.insert(key.clone(), Attachment { key, network, node, pod_uid, interface });
        }
    }

    /// The node the pod is on, if it is on one.
    fn node(&self, intent: &Intent, findings: &mut Findings) -> Option<NodeName> {
        let name = &self.pod.spec.node_name;
        if name.is_empty() {
            return None;
        }
        let node = NodeName::new(name);
        if intent.nodes.contains_key(&node) {
            return Some(node);
        }
        let message = format!("node {name} does not exist; add it or let the pod go elsewhere");
        let finding = Finding::new(self.subject(), Reason::NotScheduled, message);
        findings.push(finding.at("spec.nodeName"));
        None
    }
}

/// Writes down what the pod was given before.
fn note(
    published: &mut BTreeMap<NetworkName, BTreeMap<AttachmentKey, AttachmentGrant>>,
    network: &NetworkName,
    key: &AttachmentKey,
    entry: &PodNetwork,
) {
    let PodNetwork { addresses, mac, tunnel_id, .. } = entry;
    let grant = AttachmentGrant { addresses: addresses.clone(), mac: *mac, port_key: *tunnel_id };
    published.entry(network.clone()).or_default().insert(key.clone(), grant);
}

fn is_labelled(world: &World, namespace: &str) -> bool {
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
