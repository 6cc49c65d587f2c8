//! In which networks a pod or claim is known, so that it can leave without asking all of them.
//!
//! Invariant: who holds something in a network, or waits there, is known here.

use udn_model::{Attachment, Claim, NetworkName, ObjectName};

use super::Waiter;
use crate::by_name::NameHash;
use crate::ledger::Ledger;

/// A pod that holds or held something.
#[derive(Debug, Clone)]
pub(crate) struct KnownPod {
    /// Tells it from a later one of the same name; the whole uid would take ten times as much.
    uid: NameHash,
    pub(super) networks: Vec<NetworkName>,
}

impl Ledger {
    /// Writes down that a pod holds something in a network, or waits there.
    pub(crate) fn note(&mut self, attachment: &Attachment) {
        let Attachment { key, network, pod_uid, .. } = attachment;
        match self.pods.get_mut(&key.pod) {
            Some(known) if known.networks.contains(network) => {}
            Some(known) => known.networks.push(network.clone()),
            None => {
                let (uid, networks) = (NameHash::of(pod_uid.as_str()), vec![network.clone()]);
                self.pods.insert(&key.pod, KnownPod { uid, networks });
            }
        }
    }

    /// Begins to settle a pod with all its attachments; it waits no longer.
    pub(super) fn register_pod(&mut self, pod: &ObjectName, wanted: &[&Attachment]) -> Vec<Waiter> {
        let mut woken = Vec::new();
        if let Some(first) = wanted.first() {
            woken = self.release_earlier(pod, &first.pod_uid);
        }
        match self.pods.get_mut(pod) {
            None => {
                let is_open = |it: &&&Attachment| self.networks.contains_key(&it.network);
                let here = wanted.iter().filter(is_open).map(|it| it.network.clone());
                let mut networks: Vec<NetworkName> = here.collect();
                // There is one for each pod, and most are in one network.
                networks.shrink_to_fit();
                let uid = wanted.first().filter(|_| !networks.is_empty()).map(|it| &it.pod_uid);
                if let Some(uid) = uid {
                    let uid = NameHash::of(uid.as_str());
                    self.pods.insert(pod, KnownPod { uid, networks });
                }
            }
            Some(known) => {
                let waiter = Waiter::Pod(pod.clone());
                for network in &known.networks {
                    let Some(allocations) = self.networks.get_mut(network) else { continue };
                    allocations.waiting.withdraw(&waiter);
                    if !wanted.iter().any(|it| it.network == *network) {
                        woken.extend(allocations.woken());
                    }
                }
                let here = wanted.iter().filter(|it| self.networks.contains_key(&it.network));
                for network in here.map(|it| &it.network) {
                    if !known.networks.contains(network) {
                        known.networks.push(network.clone());
                    }
                }
            }
        }
        woken
    }

    /// Gives back what an earlier pod of that name held.
    pub(crate) fn release_earlier(&mut self, pod: &ObjectName, uid: &str) -> Vec<Waiter> {
        match self.pods.get(pod) {
            Some(known) if known.uid != NameHash::of(uid) => self.release_pod(pod),
            Some(_) | None => Vec::new(),
        }
    }

    /// Begins to settle a claim; what it held in another network is given back.
    pub(super) fn register_claim(&mut self, claim: &Claim) -> Vec<Waiter> {
        let Claim { name, network, .. } = claim;
        let woken = match self.claims.get(name) {
            Some(former) if former != network => self.release_claim(name),
            Some(_) | None => Vec::new(),
        };
        if self.networks.contains_key(network) && !self.claims.contains_key(name) {
            self.claims.insert(name.clone(), network.clone());
        }
        woken
    }

    /// Forgets the addresses of a network that is over.
    pub(crate) fn close_network(&mut self, name: &NetworkName) {
        let Some(allocations) = self.networks.remove(name) else { return };
        for pod in allocations.pods() {
            if let Some(known) = self.pods.get_mut(pod) {
                known.networks.retain(|it| it != name);
                if known.networks.is_empty() {
                    self.pods.remove(pod);
                }
            }
        }
        for claim in allocations.claims() {
            self.claims.remove(claim);
        }
    }
}
