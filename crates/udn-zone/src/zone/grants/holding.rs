//! What the ledger knows: what pods carry and what they were granted.
//!
//! Reads pods as they were read last; writes down what they hold.
//! Invariant: a network is opened with everything that pods carry of it; a grant that is not published
//! gives way to what a pod carries, and to another subnet of the node; of two who carry one number the
//! older holds it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use udn_ledger::{Waiter, attachment_on_node, network_on_node};
use udn_model::{Attachment, AttachmentGrant, AttachmentKey, Intent, NetworkName, ObjectName};

use super::Zone;
use crate::dirty::Piece;
use crate::zone::pods::{Port, put_in};

impl Zone {
    /// What a pod is on, as the ledger has to know it, and what decides where its default routes lead.
    pub(super) fn intent_of(&self, pod: &ObjectName) -> Intent {
        let mut intent = Intent::default();
        for port in self.pods.attachments_of(pod) {
            let (network, key) = port;
            let Some(attachment) = self.intent.attachment(network, key) else { continue };
            let published = self.published(port);
            let attachment = match self.grants_in(network) {
                true if published.is_none() && !self.may_grant(network) => continue,
                true => attachment_on_node(attachment.clone()),
                false => attachment.clone(),
            };
            put_in(&mut intent.attachments, port, Some(&attachment));
            put_in(&mut intent.published.attachments, port, published);
            let known = self.intent.networks.get(network);
            intent.networks.extend(known.map(|it| (network.clone(), it.clone())));
        }
        intent
    }

    pub(super) fn published(&self, (network, key): &Port) -> Option<&AttachmentGrant> {
        self.intent.published.attachments.get(network)?.get(key)
    }

    /// What pods carry at some ports, whether they are on the networks or not.
    fn carried<'p>(&self, ports: impl IntoIterator<Item = &'p Port>) -> Intent {
        let mut intent = Intent::default();
        for port in ports {
            let published = self.published(port);
            let attached = self.intent.attachment(&port.0, &port.1).cloned();
            let attachment = attached.or_else(|| self.bare(port)).filter(|_| published.is_some());
            let attachment = attachment.map(attachment_on_node);
            put_in(&mut intent.attachments, port, attachment.as_ref());
            put_in(&mut intent.published.attachments, port, published);
        }
        intent
    }

    /// Writes down what a pod carries, if it is not written down.
    pub(super) fn hold(&mut self, pod: &ObjectName, ports: &[Port]) {
        let (mut intent, settings) = (self.carried(ports), self.settings.clone());
        let networks: Vec<NetworkName> = intent.attachments.keys().cloned().collect();
        for network in networks {
            let Some(view) = self.own.views.get(&network) else { continue };
            intent.networks.insert(network.clone(), view.clone());
            let woken = self.own.ledger.open_network(&intent, &network, &settings);
            self.wake(woken.into_iter().filter(|it| *it != Waiter::Pod(pod.clone())).collect());
        }
    }

    /// An attachment of a pod that carries addresses of a network on which it is no more.
    fn bare(&self, (network, key): &Port) -> Option<Attachment> {
        let metadata = &self.world.pods.get(&key.pod)?.metadata;
        let created = metadata.creation_timestamp.clone();
        let bare = Attachment::new(key.clone(), network.clone(), self.node.clone(), &metadata.uid);
        Some(Attachment { created, ..bare })
    }

    /// Opens a network in the ledger, or follows the node's subnets there.
    pub(super) fn open(&mut self, name: &NetworkName) {
        let Some(network) = self.intent.networks.get(name) else { return };
        let Some(subnets) = self.grants.node_subnets(name, &self.node) else {
            return self.own.forget_network(name);
        };
        let view = network_on_node(network, subnets);
        if self.own.views.get(name).is_some_and(|it| **it == view) {
            return;
        }
        let view = Arc::new(view);
        let is_new = self.own.views.insert(name.clone(), view.clone()).is_none();
        // Nobody knows what was granted from other subnets and not published.
        self.own.pending.pods_in(name).iter().for_each(|it| self.revoke(it));
        let carried = self.intent.published.attachments.get(name).filter(|_| is_new);
        let ports =
            carried.into_iter().flat_map(BTreeMap::keys).map(|key| (name.clone(), key.clone()));
        let mut intent = self.carried(&ports.collect::<Vec<Port>>());
        intent.networks.insert(name.clone(), view);
        let settings = self.settings.clone();
        let woken = self.own.ledger.open_network(&intent, name, &settings);
        self.wake(woken);
    }

    /// Writes down what a pod carries. What was granted to others and not published gives way to it,
    /// and so does what younger ones carry too: who starts anew sees the older one first.
    pub(super) fn take_carried(&mut self, name: &ObjectName, ports: &[Port]) {
        let carried = self.carried(ports);
        self.own.pending.rivals(name, &carried).iter().for_each(|it| self.revoke(it));
        let younger = self.younger_holders(&carried);
        younger.iter().for_each(|it| self.release(it));
        self.hold(name, ports);
        younger.iter().for_each(|it| self.regain(it));
    }

    /// The pods that hold what an older one of an intent carries.
    fn younger_holders(&self, intent: &Intent) -> BTreeSet<ObjectName> {
        let mut younger = BTreeSet::new();
        for attachment in intent.attachments.values().flat_map(BTreeMap::values) {
            let Attachment { key, network, created, .. } = attachment;
            let carried = intent.published.attachments.get(network).and_then(|it| it.get(key));
            let Some(carried) = carried else { continue };
            let holders = self.own.ledger.holders_of(network, carried).into_iter();
            let is_younger = |it: &AttachmentKey| {
                let of_pod = self.world.pods.get(&it.pod);
                self.own.knows(&it.pod)
                    && of_pod
                        .is_some_and(|pod| (created, key) < (&pod.metadata.creation_timestamp, it))
            };
            younger.extend(holders.filter(is_younger).map(|it| it.pod));
        }
        younger
    }

    /// Takes back what a pod was granted and nobody published. What it carries it goes on to hold.
    fn revoke(&mut self, name: &ObjectName) {
        self.release(name);
        self.regain(name);
    }

    fn release(&mut self, name: &ObjectName) {
        let woken = self.own.ledger.release_pod(name);
        self.wake(woken);
        self.own.pending.forget_pod(name);
    }

    fn regain(&mut self, name: &ObjectName) {
        let ports = self.own.holders.get(name).cloned().unwrap_or_default();
        self.hold(name, &ports);
        self.dirty.add(Piece::Addresses(name.clone()));
    }

    /// Whether a pod may be granted something it does not carry yet.
    fn may_grant(&self, network: &NetworkName) -> bool {
        self.grants.networks.contains_key(network) && self.has_all_families(network)
    }

    /// Whether the node has a subnet of each family of a network: what a pod has once, it keeps.
    fn has_all_families(&self, name: &NetworkName) -> bool {
        let subnets = self.grants.node_subnets(name, &self.node);
        let network = self.intent.networks.get(name);
        let both = network.zip(subnets);
        both.is_some_and(|(network, of)| network.families().all(|it| of.of(it).is_some()))
    }
}
