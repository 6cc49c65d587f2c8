//! The host's programs are kept from locked pods: who is locked, where the kubelet is, and that the kernel
//! knows.
//!
//! Reads what the pods' wiring and the agent note; returns once the kernel has it. What many ask for at once is
//! one change.
//! Invariant: after `settle` the kernel drops what it has to, or somebody is told why it does not.

use std::collections::BTreeMap;
use std::fs::File;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, watch};
use tracing::info;
use udn_host::isolation::{Knowledge, Kubelet, LockedPod};

use crate::kernel::{IsolationFacts, Kernel, KernelError};

/// Where the kubelet is, as far as the agent can tell.
#[derive(Debug, Clone)]
pub struct KubeletPlace {
    pub kubelet: Kubelet,
    /// The namespace from whose root levels of control groups are counted, where it is not the process' own.
    pub control_groups: Option<Arc<File>>,
    /// What stands in the way and what to do about it, where the kubelet is not known.
    pub remedy: String,
}

/// Who is kept from whom on one host; clones share it.
#[derive(Debug, Clone)]
pub struct Isolation {
    kernel: Kernel,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    /// Who changes the kernel.
    gate: tokio::sync::Mutex<()>,
    /// Something could not be done.
    failed: Notify,
    trouble: watch::Sender<Option<String>>,
}

#[derive(Debug)]
struct State {
    /// The locked pods, by their links.
    pods: BTreeMap<String, LockedPod>,
    knowledge: Knowledge,
    place: KubeletPlace,
    /// Another one whenever any of that is.
    version: u64,
    /// Of which the kernel has everything.
    applied: u64,
}

impl Isolation {
    pub(super) fn new(kernel: Kernel) -> Self {
        let place = KubeletPlace {
            kubelet: Kubelet::Unknowable,
            control_groups: None,
            remedy: String::new(),
        };
        let (pods, knowledge) = Default::default();
        let state = Mutex::new(State { pods, knowledge, place, version: 0, applied: 0 });
        let (gate, failed, trouble) = (Default::default(), Notify::new(), watch::Sender::new(None));
        Self { kernel, shared: Arc::new(Shared { state, gate, failed, trouble }) }
    }

    /// Notes what is known of the pod behind a link; whether that is news.
    pub(crate) fn note(&self, link: &str, pod: Option<LockedPod>) -> bool {
        let mut state = self.state();
        if state.pods.get(link) == pod.as_ref() {
            return false;
        }
        match pod {
            Some(pod) => state.pods.insert(link.to_owned(), pod),
            None => state.pods.remove(link),
        };
        state.version += 1;
        true
    }

    /// All pods are known that an earlier agent has wired.
    pub(crate) fn know_all(&self) {
        let mut state = self.state();
        state.knowledge = Knowledge::Whole;
        state.version += 1;
    }

    /// Notes where the kubelet is.
    pub fn place_kubelet(&self, place: KubeletPlace) {
        let mut state = self.state();
        state.place = place;
        state.version += 1;
    }

    /// Has the kernel know what was noted, before it returns.
    pub(crate) async fn settle(&self) -> Result<(), KernelError> {
        let noted = self.state().version;
        // Whoever comes next does the work of all who wait.
        let _gate = self.shared.gate.lock().await;
        if self.state().applied >= noted {
            return Ok(());
        }
        let (version, facts) = {
            let state = self.state();
            let facts = IsolationFacts {
                pods: state.pods.values().cloned().collect(),
                kubelet: state.place.kubelet,
                knowledge: state.knowledge,
                control_groups: state.place.control_groups.clone(),
            };
            (state.version, facts)
        };
        let is_any = !facts.pods.is_empty();
        let trouble = match self.kernel.isolate(facts).await {
            Ok(done) => {
                if done.changes > 0 {
                    info!(changes = done.changes, "the packet filter isolates pods as it should");
                }
                (is_any && !done.kubelet.is_known()).then(|| self.state().place.remedy.clone())
            }
            Err(error) if error.is_unsupported() => Some(
                "the kernel cannot match control groups of programs (nf_tables, nft_socket); load or \
                 build these modules"
                    .to_owned(),
            ),
            Err(error) => {
                self.shared.failed.notify_one();
                return Err(error);
            }
        };
        self.state().applied = version;
        self.shared
            .trouble
            .send_if_modified(|it| std::mem::replace(it, trouble.clone()) != trouble);
        Ok(())
    }

    /// The same, whatever was applied before.
    pub(crate) async fn restore(&self) -> Result<(), KernelError> {
        self.state().version += 1;
        self.settle().await
    }

    /// Waits until something could not be done.
    pub(crate) async fn failed(&self) {
        self.shared.failed.notified().await;
    }

    /// Why locked pods are not kept from the host's programs, if they are not.
    pub(crate) fn trouble(&self) -> watch::Receiver<Option<String>> {
        self.shared.trouble.subscribe()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
