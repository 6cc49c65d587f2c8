//! Whose router advertisements the integration bridge drops, as pods come and go.
//!
//! Pods of different networks may have one MAC, so each MAC is guarded as long as one of them holds
//! it. What many ask for at once changes in one bundle.
//! Invariant: when `hold` returns, the bridge drops what the pod may not send.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tracing::warn;
use udn_model::MacAddress;

use crate::openflow::{Openflow, OpenflowError};

/// The guards of one bridge.
#[derive(Debug, Clone)]
pub(super) struct Guards {
    openflow: Openflow,
    bridge: String,
    state: Arc<Mutex<State>>,
    /// Who changes the bridge.
    gate: Arc<tokio::sync::Mutex<()>>,
}

#[derive(Debug, Default)]
struct State {
    /// The links that each MAC is guarded for.
    held: BTreeMap<MacAddress, BTreeSet<String>>,
    /// The MACs that the bridge guards.
    standing: BTreeSet<MacAddress>,
}

impl Guards {
    pub(super) fn new(openflow: Openflow, bridge: String) -> Self {
        Self { openflow, bridge, state: Arc::default(), gate: Arc::default() }
    }

    /// Notes that a link needs its MAC guarded; the bridge stays as it is for now.
    pub(super) fn note(&self, mac: MacAddress, link: &str) {
        self.state().held.entry(mac).or_default().insert(link.to_owned());
    }

    /// Guards all that was noted, before it returns.
    pub(super) async fn hold(&self) -> Result<(), OpenflowError> {
        self.settle().await
    }

    /// Guards nothing on behalf of a link any more.
    pub(super) async fn release(&self, link: &str) {
        {
            let mut state = self.state();
            state.held.retain(|_, links| {
                links.remove(link);
                !links.is_empty()
            });
        }
        if let Err(error) = self.settle().await {
            warn!(%error, link, "a guard stays longer than its pod");
        }
    }

    /// Guards what is held, whatever the bridge guards now; returns how many that changed.
    pub(super) async fn restore(&self) -> Result<usize, OpenflowError> {
        let _gate = self.gate.lock().await;
        let standing = self.openflow.guarded_macs(&self.bridge).await?;
        self.state().standing = standing;
        self.change().await
    }

    async fn settle(&self) -> Result<(), OpenflowError> {
        // Whoever comes next does the work of all who wait.
        let _gate = self.gate.lock().await;
        self.change().await.map(drop)
    }

    async fn change(&self) -> Result<usize, OpenflowError> {
        let (come, go) = {
            let State { held, standing } = &*self.state();
            let wanted: BTreeSet<MacAddress> = held.keys().copied().collect();
            let come: BTreeSet<MacAddress> = wanted.difference(standing).copied().collect();
            let go: BTreeSet<MacAddress> = standing.difference(&wanted).copied().collect();
            (come, go)
        };
        let changed = self.openflow.exchange_guards(&self.bridge, &come, &go).await?;
        let mut state = self.state();
        state.standing.retain(|mac| !go.contains(mac));
        state.standing.extend(come);
        Ok(changed)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
