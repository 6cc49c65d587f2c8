//! Which links are wired, and by which plans.
//!
//! Invariant: an attachment has one link at a time.

use std::collections::BTreeMap;

use super::{Plug, WiredPod};
use crate::switch::PodPort;

/// The links that are wired, by the name of the host's end.
#[derive(Debug, Default)]
pub(in crate::cni) struct Memory(BTreeMap<String, Wired>);

#[derive(Debug)]
struct Wired {
    pod: WiredPod,
    /// None for what an earlier server has wired, until somebody needs it.
    plug: Option<Plug>,
}

impl Memory {
    pub(super) fn put(&mut self, plug: &Plug) {
        let facts = &plug.facts;
        let pod = WiredPod {
            key: facts.key.clone(),
            sandbox: facts.sandbox.clone(),
            link: facts.link.clone(),
            interface: facts.interface.clone(),
            namespace: facts.namespace.clone(),
        };
        self.0.retain(|_, wired| wired.pod.key != pod.key);
        self.0.insert(pod.link.clone(), Wired { pod, plug: Some(plug.clone()) });
    }

    /// Takes in what a port tells; nothing, if it is not one of ours.
    pub(super) fn learn(&mut self, port: PodPort) {
        let PodPort { link, key, sandbox, interface, namespace, .. } = port;
        let (Some(key), Some(namespace)) = (key, namespace) else { return };
        let pod = WiredPod { key, sandbox, link: link.clone(), interface, namespace };
        self.0.entry(link).or_insert(Wired { pod, plug: None });
    }

    pub(super) fn remove(&mut self, link: &str) {
        self.0.remove(link);
    }

    pub(super) fn has(&self, link: &str) -> bool {
        self.0.contains_key(link)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn pods(&self) -> impl Iterator<Item = &WiredPod> {
        self.0.values().map(|wired| &wired.pod)
    }

    pub(super) fn pod(&self, link: &str) -> Option<&WiredPod> {
        self.0.get(link).map(|wired| &wired.pod)
    }

    pub(super) fn plug(&self, link: &str) -> Option<&Plug> {
        self.0.get(link)?.plug.as_ref()
    }
}
