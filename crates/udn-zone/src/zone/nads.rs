//! NADs, and the networks that they lead to.
//!
//! Who has a name in OVN, or is the primary network of a namespace, is decided among all NADs that ask
//! for it. So NADs are read together with those they compete with, and with no others.
//! Invariant: after a renewal, whatever the NAD or one of its rivals said or says is up to date.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use udn_blueprint::names::Prefix;
use udn_cluster::translate::{NadTold, ZoneNetworks, zone_nad, zone_networks};
use udn_cluster::{NadState, World};
use udn_ledger::{accept_attachments, accept_network};
use udn_model::{Findings, NetworkName, ObjectName, Subject, Told};
use udn_wire::object::Nad;

use super::Zone;
use crate::dirty::Piece;
use crate::work::{Touched, WorkItem};

/// What NADs say, and who says the same.
#[derive(Debug, Default)]
pub(crate) struct NadIndex {
    /// What each says now.
    told: BTreeMap<ObjectName, NadTold>,
    /// What each said when its networks were last read.
    read: BTreeMap<ObjectName, NadTold>,
    by_prefix: BTreeMap<Prefix, BTreeSet<ObjectName>>,
    /// Those of primary networks in each namespace.
    primaries: BTreeMap<Arc<str>, BTreeSet<ObjectName>>,
}

impl NadIndex {
    /// Takes in what a NAD says now; `None` if it is gone.
    pub(crate) fn index(&mut self, name: &ObjectName, nad: Option<&Nad>) {
        if let Some(before) = self.told.remove(name) {
            if let Some(network) = &before.network {
                remove(&mut self.by_prefix, &Prefix::of(network), name);
            }
            if before.is_primary {
                remove(&mut self.primaries, &name.namespace, name);
            }
        }
        let Some(told) = nad.and_then(|nad| zone_nad(name, nad)) else { return };
        if let Some(network) = &told.network {
            self.by_prefix.entry(Prefix::of(network)).or_default().insert(name.clone());
        }
        if told.is_primary {
            self.primaries.entry(name.namespace.clone()).or_default().insert(name.clone());
        }
        self.told.insert(name.clone(), told);
    }

    pub(crate) fn primaries_in(&self, namespace: &str) -> impl Iterator<Item = &ObjectName> {
        self.primaries.get(namespace).into_iter().flatten()
    }

    /// The NAD and all with whom it competes or competed, directly or through others.
    fn rivals(&self, nad: &ObjectName) -> BTreeSet<ObjectName> {
        let (mut rivals, mut next) = (BTreeSet::new(), vec![nad.clone()]);
        while let Some(nad) = next.pop() {
            for told in [self.told.get(&nad), self.read.get(&nad)].into_iter().flatten() {
                let prefix = told.network.as_ref().map(Prefix::of);
                let named = prefix.and_then(|prefix| self.by_prefix.get(&prefix));
                let beside = self.primaries.get(&nad.namespace).filter(|_| told.is_primary);
                let all = named.into_iter().chain(beside).flatten();
                next.extend(all.filter(|it| !rivals.contains(*it)).cloned());
            }
            rivals.insert(nad);
        }
        rivals
    }

    /// The networks that these NADs name, or named when they were last read.
    pub(crate) fn networks(&self, nads: &BTreeSet<ObjectName>) -> BTreeSet<NetworkName> {
        let told = nads.iter().flat_map(|nad| [self.told.get(nad), self.read.get(nad)]);
        told.flatten().filter_map(|told| told.network.clone()).collect()
    }

    /// Whether a NAD says that it leads to a network.
    fn tells(&self, nad: &ObjectName, network: &NetworkName) -> bool {
        self.told.get(nad).is_some_and(|told| told.network.as_ref() == Some(network))
    }

    /// What these NADs say was taken in.
    fn mark_read(&mut self, nads: &BTreeSet<ObjectName>) {
        for nad in nads {
            match self.told.get(nad) {
                Some(told) => self.read.insert(nad.clone(), told.clone()),
                None => self.read.remove(nad),
            };
        }
    }
}

impl Zone {
    /// Reads the networks of a NAD and of its rivals again.
    pub(crate) fn renew_networks(&mut self, nad: &ObjectName) -> Touched {
        let nads = self.nads.rivals(nad);
        let Told { value: read, findings } = zone_networks(&self.world_of(&nads), &self.settings);
        let mut touched = Touched::default();
        for network in self.nads.networks(&nads) {
            self.exchange_network(&network, &read, &mut touched);
        }
        self.exchange_states(&nads, &read);
        self.nads.mark_read(&nads);
        for nad in &nads {
            let piece = Piece::Networks(nad.clone());
            self.told.nads.remove(nad);
            self.told.failures.remove(&piece);
            self.dirty.remove(&piece);
        }
        self.tell_of_nads(&nads, findings);
        touched
    }

    /// Each finding stays with a NAD that it concerns, so that whatever may mend it reads that NAD
    /// again: who are rivals now may not be later.
    fn tell_of_nads(&mut self, nads: &BTreeSet<ObjectName>, findings: Findings) {
        for finding in findings {
            let concerned = match &finding.subject {
                Subject::Nad(nad) => nads.get(nad),
                Subject::Network(network) => nads.iter().find(|nad| self.nads.tells(nad, network)),
                Subject::Manifest(_)
                | Subject::Node(_)
                | Subject::Pod(_)
                | Subject::Claim(_)
                | Subject::Namespace(_) => None,
            };
            if let Some(nad) = concerned.or(nads.first()) {
                self.told.nads.entry(nad.clone()).or_default().push(finding);
            }
        }
    }

    /// The NADs and their namespaces.
    fn world_of(&self, nads: &BTreeSet<ObjectName>) -> World {
        let mut world = World::default();
        for nad in nads {
            world.nads.share(&self.world.nads, nad);
            world.namespaces.share(&self.world.namespaces, &*nad.namespace);
        }
        world
    }

    /// A network and its numbers as they were read now.
    fn exchange_network(&mut self, name: &NetworkName, read: &ZoneNetworks, touched: &mut Touched) {
        let (networks, published) = (&mut self.intent.networks, &mut self.intent.published);
        let before = (networks.get(name).cloned(), self.grants.networks.get(name).cloned());
        put(networks, name, read.networks.get(name));
        put(&mut published.networks, name, read.published.get(name));
        self.regrant(name);
        let after =
            (self.intent.networks.get(name).cloned(), self.grants.networks.get(name).cloned());
        if before == after {
            return;
        }
        let is_of_host = |it: &Arc<udn_model::Network>| it.is_primary();
        if [&before.0, &after.0].into_iter().flatten().any(is_of_host) {
            self.revisions.touch_host();
        }
        self.touch_pods_on(name);
        match self.grants_in(name) {
            true => self.note_own_pods(name),
            false => self.own.forget_network(name),
        }
        let prefix = Prefix::of(name);
        match &after.0 {
            Some(_) => {
                self.names.insert(prefix.clone(), name.clone());
            }
            // Another may have taken the name in OVN.
            None if self.names.get(&prefix) == Some(name) => {
                self.names.remove(&prefix);
            }
            None => {}
        }
        self.shared(touched);
        touched.whole(WorkItem::Network(prefix));
    }

    /// Accepts what is published of a network, with what pods carry of it.
    fn regrant(&mut self, name: &NetworkName) {
        let is_there = self.intent.networks.contains_key(name);
        let accepted = is_there.then(|| accept_network(&self.intent, name, &self.settings));
        let (grant, finding) = match accepted {
            Some(Ok(grant)) => (Some(grant), None),
            Some(Err(finding)) => (None, Some(finding)),
            None => (None, None),
        };
        self.regrant_node_subnets(name);
        let attachments = grant.as_ref().map(|_| match self.grants_in(name) {
            // Accepted before; each is compared again with what its pod carries.
            true => self.grants.attachments.get(name).cloned().unwrap_or_default(),
            false => accept_attachments(&self.intent, name),
        });
        let attachments = attachments.filter(|it| !it.is_empty());
        put(&mut self.grants.networks, name, grant.as_ref());
        put(&mut self.grants.attachments, name, attachments.as_ref());
        put(&mut self.told.numbers, name, finding.as_ref());
    }

    /// Where NADs lead now; pods that are concerned are read again.
    fn exchange_states(&mut self, nads: &BTreeSet<ObjectName>, read: &ZoneNetworks) {
        let mut namespaces: BTreeMap<Arc<str>, Option<ObjectName>> = BTreeMap::new();
        let mut moved = BTreeSet::new();
        for nad in nads {
            let (before, after) = (self.nad_states.at.get(nad), read.nad_states.at.get(nad));
            if before != after {
                moved.insert(nad.clone());
            }
            let primary = self.nad_states.primary.get(&nad.namespace);
            if primary == Some(nad) || read.nad_states.is_primary(nad) {
                let after = read.nad_states.primary.get(&nad.namespace);
                namespaces.insert(nad.namespace.clone(), after.cloned());
            }
            put::<_, NadState>(&mut self.nad_states.at, nad, after);
        }
        for (namespace, after) in namespaces {
            let before = self.nad_states.primary.get(&namespace);
            let is_other = before != after.as_ref();
            if is_other || before.is_some_and(|nad| moved.contains(nad)) {
                self.note_pods_in(&namespace);
            }
            put(&mut self.nad_states.primary, &namespace, after.as_ref());
        }
        for nad in &moved {
            self.note_pods_at(nad);
        }
    }

    fn note_pods_in(&mut self, namespace: &str) {
        let pods = self.world.pods.within(namespace).map(|(pod, _)| pod);
        pods.for_each(|pod| self.dirty.add(Piece::Pod(pod.clone())));
    }

    fn note_pods_at(&mut self, nad: &ObjectName) {
        self.pods.at(nad).for_each(|pod| self.dirty.add(Piece::Pod(pod.clone())));
    }
}

/// Puts what is there now, or takes out what is not.
pub(crate) fn put<Key: Ord + Clone, Value: Clone>(
    map: &mut BTreeMap<Key, Value>,
    key: &Key,
    value: Option<&Value>,
) {
    match value {
        Some(value) => map.insert(key.clone(), value.clone()),
        None => map.remove(key),
    };
}

fn remove<Key: Ord>(index: &mut BTreeMap<Key, BTreeSet<ObjectName>>, key: &Key, name: &ObjectName) {
    if let Some(names) = index.get_mut(key) {
        names.remove(name);
        if names.is_empty() {
            index.remove(key);
        }
    }
}
