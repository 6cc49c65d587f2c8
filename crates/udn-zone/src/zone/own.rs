//! What concerns the zone's own node: its host, and the pods that run on it.
//!
//! Whoever wires the host asks for a view when its revision is another; whoever wires a pod asks for
//! that pod alone.
//! Invariant: a view's revision is another whenever the view is; a change of one pod costs the same
//! however many others there are, and the host's view does not grow with pods.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use udn_model::{
    Attachment, Finding, Grants, Intent, Network, NetworkName, NodeName, ObjectName, PerFamily,
    Subnet,
};
use udn_wire::object::{Metadata, Node};
use udn_wire::texts::Texts;

use super::Zone;

/// What a node's host is made from: the node, and the networks in which its host has a link.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HostView {
    /// The own node as the API has it; none if it is not there.
    pub node: Option<OwnNode>,
    /// The own node, and the networks of the host. No pods.
    pub intent: Intent,
    /// The numbers of these networks, and the own node's subnets in them.
    pub grants: Grants,
}

/// The own Node object, as far as the node itself writes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OwnNode {
    pub uid: String,
    pub annotations: Texts,
}

/// A pod of the own node.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnPod {
    pub uid: String,
    /// It is asked to go, or has ended.
    pub is_leaving: bool,
    pub metadata: Arc<Metadata>,
    /// What it is on, as far as the networks have their numbers.
    pub attachments: Vec<(Attachment, Arc<Network>)>,
    /// What it lacks, and why, as sentences.
    pub waits: Vec<String>,
}

/// How often views became others.
#[derive(Debug, Default)]
pub(crate) struct Revisions {
    host: u64,
    /// Of the own Node what was last looked at.
    node: Option<OwnNode>,
    last: u64,
    pods: BTreeMap<ObjectName, u64>,
    /// The pods whose view is another since somebody asked.
    news: BTreeSet<ObjectName>,
}

impl Revisions {
    pub(super) fn touch_host(&mut self) {
        self.host += 1;
    }
}

impl Zone {
    /// Another one whenever the host's view is another.
    pub fn host_revision(&self) -> u64 {
        self.revisions.host
    }

    /// What the node's host is made from.
    pub fn host_view(&self) -> HostView {
        let mut view = HostView { node: self.revisions.node.clone(), ..HostView::default() };
        let own = self.intent.nodes.get(&self.node);
        view.intent.nodes = own.map(|it| (self.node.clone(), it.clone())).into_iter().collect();
        for (name, network) in &self.intent.networks {
            if !network.is_primary() {
                continue;
            }
            view.intent.networks.insert(name.clone(), Arc::clone(network));
            let granted = self.grants.networks.get(name);
            view.grants.networks.extend(granted.map(|it| (name.clone(), it.clone())));
            if let Some(subnets) = self.grants.node_subnets(name, &self.node) {
                let own: BTreeMap<NodeName, PerFamily<Subnet>> =
                    [(self.node.clone(), *subnets)].into();
                view.grants.node_subnets.insert(name.clone(), own);
            }
        }
        view
    }

    /// Another one whenever the view of a pod is another; zero for a pod that is not here.
    pub fn pod_revision(&self, pod: &ObjectName) -> u64 {
        self.revisions.pods.get(pod).copied().unwrap_or_default()
    }

    /// A pod of the own node; none if it is not there, or is elsewhere.
    pub fn own_pod(&self, name: &ObjectName) -> Option<OwnPod> {
        let pod = self.world.pods.get(name)?;
        if pod.spec.node_name != self.node.as_str() {
            return None;
        }
        let attachments = self.pods.attachments_of(name).filter_map(|(network, key)| {
            self.grants.networks.get(network)?;
            let attachment = self.intent.attachment(network, key)?;
            Some((attachment.clone(), Arc::clone(self.intent.networks.get(network)?)))
        });
        Some(OwnPod {
            uid: pod.metadata.uid.clone(),
            is_leaving: pod.metadata.is_leaving() || pod.is_completed(),
            metadata: Arc::new(pod.metadata.clone()),
            attachments: attachments.collect(),
            waits: self.waits_of(name),
        })
    }

    /// The pods of the own node whose view is another since this was asked last.
    pub fn take_pod_news(&mut self) -> BTreeSet<ObjectName> {
        std::mem::take(&mut self.revisions.news)
    }

    /// The view of a pod is another, if it is on the own node or was.
    pub fn touch_pod(&mut self, name: &ObjectName) {
        let is_own = |it: &udn_wire::object::Pod| it.spec.node_name == self.node.as_str();
        let is_here = self.world.pods.get(name).is_some_and(is_own);
        let revisions = &mut self.revisions;
        let was_here = revisions.pods.remove(name).is_some();
        if is_here {
            revisions.last += 1;
            revisions.pods.insert(name.clone(), revisions.last);
        }
        if is_here || was_here {
            revisions.news.insert(name.clone());
        }
    }

    /// Looks whether the own Node says something else of itself; most of its changes are heartbeats.
    pub(super) fn note_own_node(&mut self) {
        let own = |it: &Node| OwnNode {
            uid: it.metadata.uid.clone(),
            annotations: it.metadata.annotations.clone(),
        };
        let node = self.world.nodes.get(&self.node).map(own);
        if self.revisions.node != node {
            self.revisions.node = node;
            self.revisions.touch_host();
        }
    }

    /// A network is another one now: so are the views of the own pods on it.
    pub(super) fn touch_pods_on(&mut self, network: &NetworkName) {
        let attached = self.intent.attachments_of(network);
        let own = attached.filter(|it| it.node == self.node);
        let own: BTreeSet<ObjectName> = own.map(|it| it.key.pod.clone()).collect();
        own.iter().for_each(|pod| self.touch_pod(pod));
    }

    fn waits_of(&self, name: &ObjectName) -> Vec<String> {
        let told = [&self.told.pods, &self.told.addresses];
        let findings = told.into_iter().filter_map(|it| it.get(name)).flatten();
        let refusal = self.refusal();
        let unnumbered = self.pods.attachments_of(name).filter_map(|(network, _)| {
            let has_numbers = self.grants.networks.contains_key(network);
            (!has_numbers).then(|| match self.told.numbers.get(network) {
                Some(finding) => finding.message.clone(),
                None => format!("network {network} has no number yet"),
            })
        });
        let sentence = |finding: &Finding| finding.message.clone();
        findings.chain(refusal).map(sentence).chain(unnumbered).collect()
    }
}
