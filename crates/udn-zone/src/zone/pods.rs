//! Pods, and their ports.
//!
//! Invariant: a change of one pod costs the same however many others there are.

use std::collections::{BTreeMap, BTreeSet};

use udn_cluster::World;
use udn_cluster::cache::PodReferences;
use udn_cluster::translate::{ZonePlace, zone_pods};
use udn_model::{
    Attachment, AttachmentGrant, AttachmentKey, Finding, Findings, Intent, NetworkName, NodeName,
    ObjectName, Part, Told,
};
use udn_wire::keys::OPEN_PORTS;
use udn_wire::object::Pod;
use udn_wire::refusal::annotation_path;

use super::Zone;
use super::nads::put;
use crate::dirty::Piece;
use crate::work::Touched;

/// One port that a pod may have.
pub(super) type Port = (NetworkName, AttachmentKey);

/// Where pods are, what they name, and what they have.
#[derive(Debug, Default)]
pub(crate) struct PodIndex {
    references: BTreeMap<ObjectName, References>,
    by_nad: BTreeMap<ObjectName, BTreeSet<ObjectName>>,
    by_node: BTreeMap<NodeName, BTreeSet<ObjectName>>,
    /// What each pod had when it was last read.
    ports: BTreeMap<ObjectName, Vec<Port>>,
}

#[derive(Debug)]
struct References {
    node: NodeName,
    /// Most pods name one; a set would be ten times as large.
    nads: Box<[ObjectName]>,
}

impl PodIndex {
    /// Takes in where a pod is and what it names; `None` if it is gone. Of a pod of the own node it
    /// matters too what it carries: it holds that though it may no longer ask for it.
    pub(crate) fn index(&mut self, name: &ObjectName, pod: Option<&Pod>, own: &NodeName) {
        if let Some(References { node, nads }) = self.references.remove(name) {
            remove(&mut self.by_node, &node, name);
            nads.iter().for_each(|nad| remove(&mut self.by_nad, nad, name));
        }
        let Some(pod) = pod else { return };
        let node = NodeName::new(&pod.spec.node_name);
        let PodReferences { mut nads, used, .. } = PodReferences::of(name, pod);
        nads.extend(used.into_iter().filter(|_| node == *own));
        let nads: Box<[ObjectName]> = nads.into_iter().collect();
        self.by_node.entry(node.clone()).or_default().insert(name.clone());
        for nad in &nads {
            self.by_nad.entry(nad.clone()).or_default().insert(name.clone());
        }
        self.references.insert(name.clone(), References { node, nads });
    }

    /// The pods that name a NAD.
    pub(crate) fn at(&self, nad: &ObjectName) -> impl Iterator<Item = &ObjectName> {
        self.by_nad.get(nad).into_iter().flatten()
    }

    /// The pods that name a NAD of a namespace, whether it is there or not.
    pub(crate) fn callers_in(&self, namespace: &str) -> impl Iterator<Item = &ObjectName> {
        let first = ObjectName::new(namespace, "");
        let from = self.by_nad.range(first.clone()..);
        let within = from.take_while(move |(nad, _)| nad.namespace == first.namespace);
        within.flat_map(|(_, pods)| pods)
    }

    /// The namespaces of the NADs that a pod names.
    fn named_namespaces(&self, pod: &ObjectName) -> impl Iterator<Item = &str> {
        let nads = self.references.get(pod).into_iter().flat_map(|it| &it.nads);
        nads.map(|nad| &*nad.namespace)
    }

    /// The pods on a node.
    pub(crate) fn on(&self, node: &NodeName) -> impl Iterator<Item = &ObjectName> {
        self.by_node.get(node).into_iter().flatten()
    }

    /// What a pod had when it was last read.
    pub(crate) fn attachments_of(&self, pod: &ObjectName) -> impl Iterator<Item = &Port> {
        self.ports.get(pod).into_iter().flatten()
    }
}

impl Zone {
    /// Reads a pod again.
    pub(crate) fn renew_pod(&mut self, name: &ObjectName) -> Touched {
        let mut world = World::default();
        world.pods.share(&self.world.pods, name);
        let named = self.pods.named_namespaces(name);
        for namespace in named.chain([&*name.namespace]) {
            world.namespaces.share(&self.world.namespaces, namespace);
        }
        let (node, nodes) = (Some(&self.node), &self.intent.nodes);
        let place = ZonePlace { node, nodes, default: self.default.as_ref() };
        let Told { value: read, findings } =
            zone_pods(&world, &self.nad_states, place, &self.settings);
        self.tell_pod_findings(name, findings);
        let ports = ports(&read);
        let before = self.pods.ports.remove(name).unwrap_or_default();
        let mut touched = Touched::default();
        let all: BTreeSet<&Port> = before.iter().chain(&ports).collect();
        for port in all {
            self.exchange_port(port, &read, &mut touched);
        }
        let is_granted_here = ports.iter().any(|(network, _)| self.grants_in(network));
        if is_granted_here || self.own.knows(name) {
            self.dirty.add(Piece::Addresses(name.clone()));
        }
        if !ports.is_empty() {
            self.pods.ports.insert(name.clone(), ports);
        }
        touched
    }

    /// Keeps what was found about a pod. That ports cannot be opened nobody else tells.
    fn tell_pod_findings(&mut self, name: &ObjectName, findings: Findings) {
        let path = Some(annotation_path(OPEN_PORTS));
        let before = self.told.pods.get(name);
        let is_news = |it: &&Finding| !before.is_some_and(|all| all.contains(it));
        let closed: Findings =
            findings.iter().filter(|it| it.path == path).filter(is_news).cloned().collect();
        self.tell_closed(name, &closed);
        let told = (!findings.is_empty()).then_some(findings);
        put(&mut self.told.pods, name, told.as_ref());
    }

    fn exchange_port(&mut self, port: &Port, read: &Intent, touched: &mut Touched) {
        let (network, key) = port;
        let attachment = read.attachment(network, key);
        let published = read.published.attachments.get(network).and_then(|it| it.get(key));
        let granted = attachment.and(published);
        let granted = granted.filter(|_| self.grants.networks.contains_key(network));
        // What the zone itself grants, it has yet to compare with what the pod carries.
        let before = self.grants.attachment(network, key);
        let granted = granted.filter(|it| !self.grants_in(network) || before == Some(*it));
        let is_same = self.intent.attachment(network, key) == attachment
            && self.grants.attachment(network, key) == granted;
        put_in::<Attachment>(&mut self.intent.attachments, port, attachment);
        put_in(&mut self.intent.published.attachments, port, published);
        put_in::<AttachmentGrant>(&mut self.grants.attachments, port, granted);
        if !is_same {
            touched.part(Part::Pod(network.clone(), key.clone()));
        }
    }
}

/// What a pod is on, or carries addresses of.
fn ports(read: &Intent) -> Vec<Port> {
    let attached = read.attachments.iter().flat_map(|(network, all)| {
        all.keys().map(|key| (network.clone(), key.clone())).collect::<Vec<_>>()
    });
    let carried = read.published.attachments.iter().flat_map(|(network, all)| {
        all.keys().map(|key| (network.clone(), key.clone())).collect::<Vec<_>>()
    });
    let ports: BTreeSet<Port> = attached.chain(carried).collect();
    ports.into_iter().collect()
}

pub(super) fn put_in<Value: Clone>(
    all: &mut BTreeMap<NetworkName, BTreeMap<AttachmentKey, Value>>,
    (network, key): &Port,
    value: Option<&Value>,
) {
    match value {
        Some(value) => {
            all.entry(network.clone()).or_default().insert(key.clone(), value.clone());
        }
        None => {
            if let Some(of_network) = all.get_mut(network) {
                of_network.remove(key);
                if of_network.is_empty() {
                    all.remove(network);
                }
            }
        }
    }
}

fn remove<Key: Ord>(index: &mut BTreeMap<Key, BTreeSet<ObjectName>>, key: &Key, name: &ObjectName) {
    if let Some(names) = index.get_mut(key) {
        names.remove(name);
        if names.is_empty() {
            index.remove(key);
        }
    }
}
