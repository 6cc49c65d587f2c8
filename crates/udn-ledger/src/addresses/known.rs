//! In which networks a pod or claim is known, so that it can leave without asking all of them.
//!
//! Invariant: who holds something in a book, or waits there, is known here.

use udn_model::{Attachment, Claim, NetworkName, ObjectName};

use super::Waiter;
use crate::by_name::Mark;
use crate::ledger::Ledger;

/// A pod that holds or held something.
#[derive(Debug, Clone)]
pub(crate) struct KnownPod {
    /// Tells it from a later one of the same name; the whole uid would take ten times as much.
    uid: Mark,
    pub(super) networks: Vec<NetworkName>,
}

impl Ledger {
    /// Writes down that a pod is in a network's book.
    pub(crate) fn note(&mut self, attachment: &Attachment) {
        let Attachment { key, network, pod_uid, .. } = attachment;
        match self.pods.get_mut(&key.pod) {
            Some(known) if known.networks.contains(network) => {}
            Some(known) => known.networks.push(network.clone()),
            None => {
                let (uid, networks) = (Mark::of(pod_uid.as_str()), vec![network.clone()]);
                self.pods.insert(&key.pod, KnownPod { uid, networks });
            }
        }
    }

    /// A pod takes its reconcile with all its requests, and waits no longer.
    pub(super) fn greet(&mut self, pod: &ObjectName, wanted: &[&Attachment]) -> Vec<Waiter> {
        let mut woken = Vec::new();
        if let Some(first) = wanted.first() {
            woken = self.meet(pod, &first.pod_uid);
        }
        match self.pods.get_mut(pod) {
            None => {
                let has_book = |it: &&&Attachment| self.networks.contains_key(&it.network);
                let here = wanted.iter().filter(has_book).map(|it| it.network.clone());
                let mut networks: Vec<NetworkName> = here.collect();
                // There is one for each pod, and most are in one network.
                networks.shrink_to_fit();
                let uid = wanted.first().filter(|_| !networks.is_empty()).map(|it| &it.pod_uid);
                if let Some(uid) = uid {
                    let uid = Mark::of(uid.as_str());
                    self.pods.insert(pod, KnownPod { uid, networks });
                }
            }
            Some(known) => {
                let waiter = Waiter::Pod(pod.clone());
                for network in &known.networks {
                    let Some(book) = self.networks.get_mut(network) else { continue };
                    book.waiting.withdraw(&waiter);
                    if !wanted.iter().any(|it| it.network == *network) {
                        woken.extend(book.woken());
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

    /// A pod stands there: what an earlier one of that name held is given back.
    pub(crate) fn meet(&mut self, pod: &ObjectName, uid: &str) -> Vec<Waiter> {
        match self.pods.get(pod) {
            Some(known) if known.uid != Mark::of(uid) => self.release_pod(pod),
            Some(_) | None => Vec::new(),
        }
    }

    /// A claim stands there: what it held in another network is given back.
    pub(super) fn meet_claim(&mut self, claim: &Claim) -> Vec<Waiter> {
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
    pub(crate) fn close_book(&mut self, name: &NetworkName) {
        let Some(book) = self.networks.remove(name) else { return };
        for pod in book.pods() {
            if let Some(known) = self.pods.get_mut(pod) {
                known.networks.retain(|it| it != name);
                if known.networks.is_empty() {
                    self.pods.remove(pod);
                }
            }
        }
        for claim in book.claims() {
            self.claims.remove(claim);
        }
    }
}
