//! How far a change goes among pods and claims.
//!
//! Invariant: a pod that is reached takes the claims that it names along, and all who name them.

use udn_model::{NetworkName, ObjectName};
use udn_wire::object::Nad;

use super::super::cached::Change;
use super::super::references::PodReferences;
use super::Impact;
use crate::work_item::WorkItem;

impl Impact<'_> {
    /// A pod that may get something else now.
    pub(in super::super) fn pod(&mut self, name: &ObjectName) {
        if !self.pods.insert(name.clone()) {
            return;
        }
        self.touch(&WorkItem::Pod(name.clone()));
        let Some(pod) = self.lookup.world.pods.get(name) else { return };
        for claim in PodReferences::of(name, pod).claims {
            self.claimants(&claim);
        }
    }

    /// A claim and the pods that name it: which of them may use it is one question.
    pub(in super::super) fn claimants(&mut self, claim: &ObjectName) {
        if !self.claims.insert(claim.clone()) {
            return;
        }
        self.touch(&WorkItem::Claim(claim.clone()));
        let pods = self.lookup.index.pods.claimants(claim);
        pods.for_each(|it| self.touch(&WorkItem::Pod(it.clone())));
    }

    /// The pods of a machine that came, went or has another owner.
    pub(in super::super) fn pods_of_machine(&mut self, machine: &ObjectName) {
        self.lookup.index.pods.pods_of_machine(machine).for_each(|it| self.pod(it));
    }

    /// The pods of a namespace.
    pub(in super::super) fn pods_in(&mut self, namespace: &str) {
        self.lookup.world.pods.within(namespace).for_each(|(name, _)| self.pod(name));
    }

    /// The pods that wait for the primary network of a namespace: for another one now, perhaps.
    pub(in super::super) fn waiting_in(&mut self, namespace: &str) {
        if self.lookup.is_deserted(namespace) {
            let pods = self.lookup.world.pods.within(namespace);
            let waiting = pods.filter(|(_, pod)| pod.is_on_networks());
            waiting.for_each(|(name, _)| self.touch(&WorkItem::Pod(name.clone())));
        }
    }

    /// The pods that name a NAD of a namespace that came or went.
    pub(in super::super) fn callers_in(&mut self, namespace: &str) {
        let index = &self.lookup.index.pods;
        for nad in index.called_in(namespace) {
            index.callers(nad).for_each(|it| self.pod(it));
        }
    }

    /// A NAD that may lead elsewhere now.
    pub(in super::super) fn nad_state(&mut self, name: &ObjectName, change: &Change<'_, Nad>) {
        let built = &self.lookup.index.built;
        let [before, after] = [change.before, change.after].map(|it| built.ready_network(name, it));
        let is_open = [before, after].map(|it| it.is_some());
        let configs = [change.before, change.after].map(|it| it.map(|it| &it.spec.config));
        let is_same =
            is_open == [true, true] || (is_open == [false, false] && configs[0] == configs[1]);
        if is_same {
            return;
        }
        self.callers(name);
        let networks = [before, after].into_iter().flatten().map(|it| it.name.clone());
        for network in networks.collect::<Vec<NetworkName>>() {
            if self.lookup.first_ready_nad(&network) == Some(name) {
                self.claims_on(&network);
            }
        }
    }

    /// The pods at a NAD: those that name or use it, and those whose main network it leads to.
    /// Who has an entry on the main network keeps it, whatever becomes of the NAD; only claims ask
    /// whether they still have users.
    pub(in super::super) fn callers(&mut self, nad: &ObjectName) {
        let index = &self.lookup.index.pods;
        index.callers(nad).for_each(|it| self.pod(it));
        let is_main = self.lookup.leads_to_primary(nad);
        if self.lookup.index.built.who_leads(nad).next().is_some() {
            let is_at_home = |it: &&ObjectName| is_main && it.namespace == nad.namespace;
            index.users(nad).filter(|it| !is_at_home(it)).for_each(|it| self.pod(it));
        }
        if !is_main {
            return;
        }
        if let Some(rivals) = self.lookup.rival_nads(&nad.namespace) {
            rivals.iter().flat_map(|it| index.callers(it)).for_each(|it| self.pod(it));
            return self.pods_in(&nad.namespace);
        }
        for (name, pod) in self.lookup.world.pods.within(&nad.namespace) {
            if !index.is_user(nad, name) {
                if pod.is_on_networks() {
                    self.pod(name);
                }
                continue;
            }
            let claims = PodReferences::of(name, pod).claims;
            claims.iter().for_each(|it| self.claimants(it));
        }
    }

    /// All claims on a network.
    pub(in super::super) fn claims_on(&mut self, network: &NetworkName) {
        self.lookup.index.pods.claims_on(network).for_each(|it| self.claimants(it));
    }
}
