//! Addresses that the zone itself grants: to pods of its own node, on networks where each node has
//! subnets of its own.
//!
//! Reads what those pods ask for and carry; returns what rows may be drawn from, and the writes that
//! publish the rest.
//! Invariant: what pods carry is written down before anything is granted in a network; of two who carry
//! one number the older has it, whoever was heard first; a grant counts only once it was heard back;
//! what a pod had is given to another only after its port's rows are gone.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ovn::standing_owners;
use ovsdb::Cache;
use udn_blueprint::names::Prefix;
use udn_blueprint::owners;
use udn_cluster::{Event, Write, annotation_write};
use udn_ledger::{Ledger, Settled, Waiter, settle_pod};
use udn_model::{
    AttachmentGrant, ClusterSettings, Findings, Grants, Intent, Network, NetworkName, ObjectName,
    Part,
};

use super::Zone;
use super::nads::put;
use super::pods::{Port, put_in};
use crate::dirty::Piece;
use crate::work::{Touched, WorkItem};
use pending::Pending;

mod events;
mod holding;
mod pending;

/// What the zone granted and grants.
#[derive(Debug)]
pub(crate) struct OwnGrants {
    ledger: Ledger,
    /// The networks in which something was granted, as the pods of the node see them.
    views: BTreeMap<NetworkName, Arc<Network>>,
    /// The ports for which pods hold addresses.
    holders: BTreeMap<ObjectName, Vec<Port>>,
    /// The ports of pods that are gone, while their rows may stand.
    leaving: BTreeMap<Prefix, BTreeSet<Port>>,
    pending: Pending,
    /// What is not published yet.
    writes: BTreeMap<ObjectName, Write>,
    /// The pods whose writes are others since somebody asked.
    news: BTreeSet<ObjectName>,
    events: Vec<Event>,
}

impl OwnGrants {
    pub(crate) fn new(settings: &ClusterSettings) -> Self {
        let (views, holders, leaving, pending) = Default::default();
        let (writes, news, events) = Default::default();
        let ledger = Ledger::new(settings);
        Self { ledger, views, holders, leaving, pending, writes, news, events }
    }

    /// Whether a pod holds addresses that were granted here.
    pub(super) fn knows(&self, pod: &ObjectName) -> bool {
        self.holders.contains_key(pod)
    }

    /// A network is gone, or no longer of this kind.
    pub(super) fn forget_network(&mut self, network: &NetworkName) {
        if self.views.remove(network).is_some() {
            self.ledger.forget_network(network);
            self.pending.forget_network(network);
        }
    }

    fn write(&mut self, pod: &ObjectName, write: Option<Write>) {
        if self.writes.get(pod) != write.as_ref() {
            put(&mut self.writes, pod, write.as_ref());
            self.news.insert(pod.clone());
        }
    }

    /// The ports of a gone pod whose rows may stand: all that are left.
    fn is_leaving(&self, pod: &ObjectName) -> bool {
        self.leaving.values().flatten().any(|(_, key)| key.pod == *pod)
    }
}

impl Zone {
    /// What has to be written so that pods know their addresses.
    pub fn writes(&self) -> &BTreeMap<ObjectName, Write> {
        &self.own.writes
    }

    /// The pods whose writes came, changed or went since this was asked last.
    pub fn take_news(&mut self) -> BTreeSet<ObjectName> {
        std::mem::take(&mut self.own.news)
    }

    /// What people are to be told of pods.
    pub fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.own.events)
    }

    /// Whether the zone grants addresses of a network to its own pods.
    pub(super) fn grants_in(&self, network: &NetworkName) -> bool {
        self.intent.networks.get(network).is_some_and(|it| it.layer3().is_some())
    }

    /// Grants a pod what it lacks, or takes in that it is gone.
    pub(super) fn renew_addresses(&mut self, name: &ObjectName) -> Touched {
        let mut touched = Touched::default();
        let ports = self.pods.attachments_of(name).filter(|(network, _)| self.grants_in(network));
        let ports: Vec<Port> = ports.cloned().collect();
        if ports.is_empty() {
            self.leave(name, &mut touched);
            return touched;
        }
        for (network, _) in &ports {
            self.open(network);
        }
        self.take_carried(name, &ports);
        let intent = self.intent_of(name);
        let settings = self.settings.clone();
        let settled = settle_pod(&intent, name, &mut self.own.ledger, &settings);
        let Settled { value: mut granted, findings, woken } = settled;
        self.wake(woken);
        self.own.leaving.values_mut().for_each(|all| all.retain(|(_, key)| key.pod != *name));
        self.own.leaving.retain(|_, all| !all.is_empty());
        self.own.holders.insert(name.clone(), ports.clone());
        for port in &ports {
            self.exchange_grant(port, &granted, &mut touched);
        }
        // What is published stays as it is.
        for (network, of_network) in &intent.published.attachments {
            for key in of_network.keys() {
                let port = (network.clone(), key.clone());
                put_in::<AttachmentGrant>(&mut granted.attachments, &port, None);
            }
        }
        self.own.pending.put(name, &granted);
        let write = self.write_of(name, &intent, granted);
        self.own.write(name, write);
        self.tell_addresses(name, findings);
        touched
    }

    /// A row may be drawn from what the pod carries, if that is what it was granted.
    fn exchange_grant(&mut self, port: &Port, granted: &Grants, touched: &mut Touched) {
        let (network, key) = port;
        let published = self.published(port);
        let is_drawn = self.grants.networks.contains_key(network)
            && self.intent.attachment(network, key).is_some();
        let accepted =
            granted.attachment(network, key).filter(|it| is_drawn && published == Some(*it));
        if self.grants.attachment(network, key) != accepted {
            put_in::<AttachmentGrant>(&mut self.grants.attachments, port, accepted);
            touched.part(Part::Pod(network.clone(), key.clone()));
        }
    }

    fn write_of(&self, name: &ObjectName, intent: &Intent, mut granted: Grants) -> Option<Write> {
        let pod = self.world.pods.get(name)?;
        for network in granted.attachments.keys() {
            let subnets = self.grants.node_subnets(network, &self.node);
            let own = subnets.map(|it| (self.node.clone(), *it));
            granted.node_subnets.insert(network.clone(), own.into_iter().collect());
        }
        annotation_write(name, pod, (intent, &granted), &self.settings)
    }

    /// A pod is gone, or has nothing to do with these networks any more.
    fn leave(&mut self, name: &ObjectName, touched: &mut Touched) {
        self.own.write(name, None);
        self.own.pending.forget_pod(name);
        self.tell_addresses(name, Findings::new());
        for (network, key) in self.own.holders.remove(name).unwrap_or_default() {
            let port = (network.clone(), key.clone());
            self.own.leaving.entry(Prefix::of(&network)).or_default().insert(port);
            // So that somebody looks whether its rows are gone.
            touched.part(Part::Pod(network, key));
        }
    }

    /// A work item stands as it should: the addresses of gone pods whose ports are gone too are free.
    pub fn ports_gone(&mut self, item: &WorkItem, rows: &Cache) {
        let WorkItem::Network(prefix) = item else { return };
        let Some(mut leaving) = self.own.leaving.remove(prefix) else { return };
        let mut gone = BTreeSet::new();
        leaving.retain(|(network, key)| {
            let owner = owners::owner(&Part::Pod(network.clone(), key.clone()));
            let stands = standing_owners(rows, owner.as_str()).contains(&owner);
            if !stands {
                gone.insert(key.pod.clone());
            }
            stands
        });
        if !leaving.is_empty() {
            self.own.leaving.insert(prefix.clone(), leaving);
        }
        for pod in gone {
            if !self.own.is_leaving(&pod) && !self.own.knows(&pod) {
                let woken = self.own.ledger.release_pod(&pod);
                self.wake(woken);
            }
        }
    }

    pub(super) fn wake(&mut self, woken: Vec<Waiter>) {
        for waiter in woken {
            match waiter {
                Waiter::Pod(pod) => self.dirty.add(Piece::Addresses(pod)),
                // No claim is held here.
                Waiter::Claim(_) => {}
            }
        }
    }

    /// The pods of the node that are on a network, or carry addresses of it, are looked at again.
    pub(super) fn note_own_pods(&mut self, network: &NetworkName) {
        let attached = self.intent.attachments.get(network).into_iter().flat_map(BTreeMap::keys);
        let carried = self.intent.published.attachments.get(network);
        let all = attached.chain(carried.into_iter().flat_map(BTreeMap::keys));
        all.for_each(|key| self.dirty.add(Piece::Addresses(key.pod.clone())));
    }
}
