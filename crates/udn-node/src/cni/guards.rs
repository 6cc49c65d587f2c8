//! Whose router advertisements the integration bridge drops, as pods come and go.
//!
//! Pods of different networks may have one MAC, so each MAC is guarded as long as one of them holds
//! it. What many ask for at once changes in one bundle.
//! Invariant: when `hold` returns, the bridge drops what the pod may not send.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tracing::{info, warn};
use udn_model::MacAddress;

use crate::openflow::{Openflow, OpenflowError};

/// The first rest before the bridge is looked at again, and the longest.
const FIRST_REST: Duration = Duration::from_millis(100);
const LONGEST_REST: Duration = Duration::from_secs(5);

/// The guards of one bridge.
#[derive(Debug, Clone)]
pub(super) struct Guards {
    openflow: Openflow,
    bridge: String,
    state: Arc<Mutex<State>>,
    /// Who changes the bridge.
    gate: Arc<tokio::sync::Mutex<()>>,
    is_retrying: Arc<AtomicBool>,
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
        let (state, gate, is_retrying) = Default::default();
        Self { openflow, bridge, state, gate, is_retrying }
    }

    /// Notes that a link needs its MAC guarded; the bridge stays as it is for now.
    pub(super) fn note(&self, mac: MacAddress, link: &str) {
        self.state().held.entry(mac).or_default().insert(link.to_owned());
    }

    /// Guards all that was noted, before it returns.
    pub(super) async fn hold(&self) -> Result<(), OpenflowError> {
        self.settle().await
    }

    /// Guards nothing on behalf of these links any more.
    pub(super) async fn release(&self, links: &[&str]) {
        {
            let mut state = self.state();
            state.held.retain(|_, holders| {
                holders.retain(|link| !links.contains(&link.as_str()));
                !holders.is_empty()
            });
        }
        if let Err(error) = self.settle().await {
            warn!(%error, ?links, "a guard stays longer than its pod");
        }
    }

    /// Whether one of these MACs is to be guarded.
    pub(super) fn holds_any(&self, macs: &BTreeSet<MacAddress>) -> bool {
        let state = self.state();
        macs.iter().any(|mac| state.held.contains_key(mac))
    }

    /// Guards what is held, whatever the bridge guards now; returns how many that changed.
    pub(super) async fn restore(&self) -> Result<usize, OpenflowError> {
        let _gate = self.gate.lock().await;
        let standing = self.openflow.guarded_macs(&self.bridge).await?;
        self.state().standing = standing;
        self.change().await
    }

    /// The same, until it succeeds: a switch that begins may tell nobody when it is ready.
    pub(super) fn restore_later(&self) {
        if self.is_retrying.swap(true, Ordering::Relaxed) {
            return;
        }
        let guards = self.clone();
        tokio::spawn(async move {
            let mut rest = FIRST_REST;
            loop {
                // waits: until the switch is better
                tokio::time::sleep(rest).await;
                match guards.restore().await {
                    Ok(changes) => break info!(changes, "put the guards of pods right"),
                    Err(_) => rest = (rest * 2).min(LONGEST_REST),
                }
            }
            guards.is_retrying.store(false, Ordering::Relaxed);
        });
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
