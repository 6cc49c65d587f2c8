//! The pods that are wired: cables, ports, guards, and the memory of them.
//!
//! Reads facts of pods; returns what was made. The memory is only what the switch's rows say too, and
//! the plans by which disturbed pods are put right.
//! Invariant: who changes a sandbox has its turn.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ovsdb::Retry;
use tracing::{info, warn};
use udn_host::PodFacts;
use udn_host::plan::PodPlan;
use udn_model::AttachmentKey;

use super::CniSettings;
use super::guards::Guards;
use super::locks::Locks;
use super::metrics::CniMetrics;
use super::pods::Pods;
use super::turns::Turns;
use crate::host::Host;
use crate::kernel::KernelError;
use crate::openflow::OpenflowError;
use crate::switch::{PodPort, SwitchError};

mod connect;
mod drift;
mod memory;

pub(super) use memory::Memory;

/// Why a pod is not wired.
#[derive(Debug, thiserror::Error)]
pub enum WireError {
    #[error("could not make the pod's links")]
    Kernel {
        #[from]
        source: KernelError,
    },
    #[error("could not plug the pod into the switch")]
    Switch {
        #[from]
        source: SwitchError,
    },
    #[error("could not guard the pod's port")]
    Guard {
        #[from]
        source: OpenflowError,
    },
    #[error("could not lock the pod's addresses on the default network")]
    Lock { source: KernelError },
}

impl WireError {
    /// What the caller should do next.
    pub fn retry(&self) -> Retry {
        match self {
            Self::Kernel { source } => source.retry(),
            Self::Switch { source } => source.retry(),
            Self::Guard { source } => source.retry(),
            Self::Lock { source } => source.retry(),
        }
    }
}

/// A pod's link that is wired.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WiredPod {
    pub key: AttachmentKey,
    pub sandbox: String,
    /// The host's end of the cable.
    pub link: String,
    /// The pod's end.
    pub interface: String,
    /// The pod's network namespace.
    pub namespace: PathBuf,
}

/// One link to wire: what is known, and what follows from it.
#[derive(Debug, Clone)]
pub(super) struct Plug {
    pub(super) facts: PodFacts,
    pub(super) plan: PodPlan,
}

/// Wires pods; clones share one memory.
#[derive(Debug)]
pub struct Wiring<P> {
    pub(super) host: Host,
    pub(super) pods: Arc<P>,
    pub(super) settings: Arc<CniSettings>,
    pub(super) turns: Turns,
    pub(super) metrics: Arc<CniMetrics>,
    pub(super) locks: Locks,
    guards: Guards,
    memory: Arc<Mutex<Memory>>,
}

impl<P> Clone for Wiring<P> {
    fn clone(&self) -> Self {
        Self {
            host: self.host.clone(),
            pods: Arc::clone(&self.pods),
            settings: Arc::clone(&self.settings),
            turns: self.turns.clone(),
            metrics: Arc::clone(&self.metrics),
            locks: self.locks.clone(),
            guards: self.guards.clone(),
            memory: Arc::clone(&self.memory),
        }
    }
}

impl<P: Pods> Wiring<P> {
    pub(super) fn new(settings: Arc<CniSettings>, host: Host, pods: Arc<P>) -> Self {
        let guards = Guards::new(host.openflow().clone(), settings.integration_bridge.clone());
        let (turns, metrics, locks, memory) = Default::default();
        Self { host, pods, settings, turns, metrics, locks, guards, memory }
    }

    /// The links that are wired.
    pub fn wired(&self) -> Vec<WiredPod> {
        self.memory().pods().cloned().collect()
    }

    /// What follows from the facts of one link.
    pub(super) fn plug(&self, facts: PodFacts) -> Plug {
        let CniSettings { integration_bridge, datapath, .. } = &*self.settings;
        let plan = PodPlan::of(integration_bridge, *datapath, &facts);
        Plug { facts, plan }
    }

    /// Keeps in mind that links are wired; they are put right from now on.
    pub(super) fn remember(&self, plugs: &[Plug]) {
        let pods: Vec<WiredPod> = {
            let mut memory = self.memory();
            plugs.iter().for_each(|plug| memory.put(plug));
            self.metrics.wired(memory.len());
            plugs.iter().filter_map(|plug| memory.pod(&plug.facts.link).cloned()).collect()
        };
        pods.iter().for_each(|pod| self.follow_lock(pod));
    }

    /// Whether a link was wired before.
    pub(super) fn remembers(&self, link: &str) -> bool {
        self.memory().has(link)
    }

    /// Takes away what a failed request left of links that were not wired before.
    pub(super) async fn undo(&self, plugs: &[Plug]) {
        let links = plugs.iter().map(|plug| plug.facts.link.as_str());
        let ports: Vec<PodPort> =
            links.clone().filter_map(|link| self.host.switch().pod_port(link)).collect();
        if let Err(error) = self.host.switch().remove_pod_ports(&ports).await {
            warn!(%error, "a port of a pod that failed stays until its sandbox goes");
        }
        for link in links {
            self.unlink(link).await;
        }
    }

    /// Takes ports away, and the guards that they needed; their links stay for now.
    pub(super) async fn disconnect_ports(&self, ports: &[PodPort]) -> Result<usize, WireError> {
        let links = || ports.iter().map(|port| port.link.as_str());
        self.forget(links());
        let switch = (self.settings.integration_bridge.as_str(), self.settings.datapath);
        let removed = self.host.remove_pod_ports(ports, switch).await?;
        // All at once, as the switch takes its time for each answer.
        let links: Vec<&str> = links().collect();
        self.guards.release(&links).await;
        self.unlock(&links).await;
        Ok(removed)
    }

    /// Takes ports away, and the links that they are named after.
    pub(super) async fn disconnect(&self, ports: &[PodPort]) -> Result<usize, WireError> {
        let removed = self.disconnect_ports(ports).await?;
        for port in ports {
            self.unlink(&port.link).await;
        }
        Ok(removed)
    }

    /// No longer puts links right.
    pub(super) fn forget<'a>(&self, links: impl Iterator<Item = &'a str>) {
        let mut memory = self.memory();
        links.for_each(|link| {
            memory.remove(link);
            self.leave_lock(link);
        });
        self.metrics.wired(memory.len());
    }

    /// Takes a cable away, and the guard that it needed.
    pub(super) async fn unlink(&self, link: &str) {
        if let Err(error) = self.host.kernel().remove_link(link).await {
            warn!(%error, link, "a pod's link stays until its namespace goes");
        }
        self.guards.release(&[link]).await;
        self.unlock(&[link]).await;
    }

    /// Takes away what others left under OVN's names for these ports.
    // compat: pkg/cni/helper_linux.go, stale ports with the same iface-id
    async fn drop_rivals(&self, plugs: &[Plug]) -> Result<(), WireError> {
        let switch = self.host.switch();
        for Plug { facts, .. } in plugs {
            let rivals = switch.ports_named(&facts.logical_port);
            let rivals: Vec<PodPort> =
                rivals.into_iter().filter(|port| port.link != facts.link).collect();
            if rivals.is_empty() {
                continue;
            }
            let before: Vec<&str> = rivals.iter().map(|port| port.sandbox.as_str()).collect();
            info!(pod = %facts.key, sandboxes = ?before, "took away ports of earlier sandboxes");
            self.disconnect(&rivals).await?;
        }
        Ok(())
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The links of a memory, by what turns are taken for.
pub(super) fn by_sandbox(pods: Vec<WiredPod>) -> BTreeMap<String, Vec<WiredPod>> {
    let mut all: BTreeMap<String, Vec<WiredPod>> = BTreeMap::new();
    for pod in pods {
        all.entry(pod.sandbox.clone()).or_default().push(pod);
    }
    all
}
