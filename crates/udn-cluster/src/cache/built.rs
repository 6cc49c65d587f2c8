//! The networks that were built, and where NADs lead.
//!
//! Reads networks as their own reconciles left them; tells of a NAD what is behind it.
//! Invariant: a NAD is ready only while it stands, stays and carries the network's number.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use udn_model::{Network, NetworkName, ObjectName, SmallSet};
use udn_wire::keys::NETWORK_ID;
use udn_wire::object::Nad;

use super::lookup::Lookup;
use super::pod_index::take_from;
use crate::nad_states::{NadState, NadStates};

/// Networks and the NADs that lead to them.
#[derive(Debug, Default)]
pub(crate) struct Built {
    networks: BTreeMap<NetworkName, Arc<Network>>,
    /// The networks that say that a NAD is theirs: one, unless they are about to agree.
    leads: BTreeMap<ObjectName, SmallSet<NetworkName>>,
    /// The NADs of primary networks in a namespace.
    primary: BTreeMap<Arc<str>, SmallSet<ObjectName>>,
}

impl Built {
    pub(crate) fn network(&self, name: &NetworkName) -> Option<&Arc<Network>> {
        self.networks.get(name)
    }

    /// Puts a network in the place of the one that had its name.
    pub(crate) fn put(&mut self, name: &NetworkName, network: Option<&Arc<Network>>) {
        let before = match network {
            Some(network) => self.networks.insert(name.clone(), network.clone()),
            None => self.networks.remove(name),
        };
        let own = |it: Option<&Arc<Network>>| {
            let all = it.into_iter().flat_map(|it| it.nads.iter().cloned());
            all.collect::<BTreeSet<ObjectName>>()
        };
        let (old, new) = (own(before.as_ref()), own(network));
        for nad in old.difference(&new) {
            take_from(&mut self.leads, nad, name);
        }
        for nad in new.difference(&old) {
            self.leads.entry(nad.clone()).or_default().insert(name.clone());
        }
        let is_primary = |it: Option<&Arc<Network>>| it.is_some_and(|it| it.is_primary());
        let same_role = is_primary(before.as_ref()) == is_primary(network);
        let moved: BTreeSet<&ObjectName> = if same_role {
            old.symmetric_difference(&new).collect()
        } else {
            old.union(&new).collect()
        };
        for nad in moved {
            if self.behind(nad).is_some_and(|it| it.is_primary()) {
                let place = self.primary.entry(nad.namespace.clone()).or_default();
                place.insert(nad.clone());
            } else {
                take_from(&mut self.primary, &nad.namespace, nad);
            }
        }
    }

    /// The networks that say that a NAD is theirs.
    pub(crate) fn who_leads(&self, nad: &ObjectName) -> impl Iterator<Item = &NetworkName> {
        self.leads.get(nad).into_iter().flat_map(SmallSet::iter)
    }

    /// The network that a NAD leads to, whatever stands on the NAD.
    fn behind(&self, nad: &ObjectName) -> Option<&Arc<Network>> {
        let first = self.leads.get(nad).and_then(SmallSet::first);
        first.and_then(|it| self.networks.get(it))
    }

    /// The network behind a NAD as it stands, if the NAD is ready.
    pub(crate) fn ready_network<'a>(
        &'a self,
        name: &ObjectName,
        nad: Option<&Nad>,
    ) -> Option<&'a Arc<Network>> {
        let metadata = &nad?.metadata;
        let is_ready = !metadata.is_leaving() && metadata.annotation(NETWORK_ID).is_some();
        self.behind(name).filter(|_| is_ready)
    }
}

impl<'a> Lookup<'a> {
    /// What is behind a NAD; `None` if there is no such NAD.
    pub(crate) fn nad_state(self, name: &ObjectName) -> Option<NadState> {
        if let Some(network) = self.network_behind(name) {
            return Some(NadState::Ready(network.clone()));
        }
        let summary = self.index.nads.get(name)?;
        Some(if summary.is_ours { NadState::Pending } else { NadState::Foreign })
    }

    /// The network behind a NAD that is ready.
    pub(crate) fn network_behind(self, name: &ObjectName) -> Option<&'a Arc<Network>> {
        self.index.built.ready_network(name, self.world.nads.get(name))
    }

    /// The NAD of a namespace's primary network, if it is ready.
    pub(crate) fn primary_nad(self, namespace: &str) -> Option<&'a ObjectName> {
        let all = self.index.built.primary.get(namespace);
        all.into_iter().flat_map(SmallSet::iter).find(|it| self.network_behind(it).is_some())
    }

    /// Whether a NAD leads to a primary network, ready or not.
    pub(crate) fn leads_to_primary(self, name: &ObjectName) -> bool {
        self.index.built.primary.get(&name.namespace).is_some_and(|it| it.contains(name))
    }

    /// The NADs of a namespace that lead to primary networks, if there are several: one of them is
    /// about to go, and which one is the main one may change for all pods there.
    pub(crate) fn rival_nads(self, namespace: &str) -> Option<&'a SmallSet<ObjectName>> {
        self.index.built.primary.get(namespace).filter(|it| it.len() > 1)
    }

    /// The first ready NAD of a network.
    pub(crate) fn first_ready_nad(self, name: &NetworkName) -> Option<&'a ObjectName> {
        let network = self.index.built.network(name)?;
        let leads_here =
            |it: &&ObjectName| self.network_behind(it).is_some_and(|it| it.name == network.name);
        network.nads.iter().find(leads_here)
    }

    /// Adds the state of a NAD, and that it is the namespace's primary one if it is.
    pub(crate) fn show_nad(self, name: &ObjectName, nad_states: &mut NadStates) {
        if nad_states.at.contains_key(name) {
            return;
        }
        nad_states.at.extend(self.nad_state(name).map(|nad_state| (name.clone(), nad_state)));
        if self.primary_nad(&name.namespace) == Some(name) {
            nad_states.primary.insert(name.namespace.clone(), name.clone());
        }
    }
}
