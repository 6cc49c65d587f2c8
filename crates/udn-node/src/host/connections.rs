//! Pods' ports go, and with them what is known of their connections.
//!
//! Reads ports; returns how many were there.
//! Invariant: connections are forgotten after the port is gone, so that none comes back, and before
//! anybody is told that it is gone, so that the next pod with such an address finds none.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::timeout;
use tracing::warn;
use udn_host::Datapath;
use udn_host::connections::Traces;

use super::{Host, HostError};
use crate::switch::{PodPort, SwitchError};

/// How long a switch or a kernel may take; a pod that goes need not wait for one that is stuck.
const PATIENCE: Duration = Duration::from_secs(5);

/// What is still to be forgotten; of many pods that go at once, one does it for all.
#[derive(Debug, Clone, Default)]
pub(super) struct Forgetting {
    waiting: Arc<Mutex<Traces>>,
    gate: Arc<tokio::sync::Mutex<()>>,
}

impl Forgetting {
    fn waiting(&self) -> MutexGuard<'_, Traces> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Host {
    /// Takes ports of pods off the integration bridge, and has forgotten what was open to them.
    ///
    /// What cannot be forgotten expires by itself, so that is no failure.
    // compat: pkg/cni/helper_linux.go, deletePodConntrack, which does so in all zones, and in the kernel
    // alone
    pub async fn remove_pod_ports(
        &self,
        ports: &[PodPort],
        on: (&str, Datapath),
    ) -> Result<usize, SwitchError> {
        // The zones of a port that is gone are soon unknown.
        let traces = self.switch.traces(ports, on.0);
        let removed = self.switch.remove_pod_ports(ports).await?;
        if !traces.is_empty() {
            self.forgetting.waiting().append(traces);
            self.forget_waiting(on).await;
        }
        Ok(removed)
    }

    /// Has everything forgotten that waits for it, unless somebody else has done so meanwhile.
    async fn forget_waiting(&self, on: (&str, Datapath)) {
        let _gate = self.forgetting.gate.lock().await;
        let traces = std::mem::take(&mut *self.forgetting.waiting());
        if traces.is_empty() {
            return;
        }
        match timeout(PATIENCE, self.forget(traces, on)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                let error = &error as &dyn std::error::Error;
                warn!(error, "connections of pods stay that are gone, until they expire");
            }
            Err(_) => {
                warn!(?PATIENCE, "connections of pods that are gone are not forgotten in time");
            }
        }
    }

    async fn forget(
        &self,
        traces: Traces,
        (bridge, datapath): (&str, Datapath),
    ) -> Result<(), HostError> {
        match datapath {
            Datapath::Userspace => self.openflow.forget(bridge, &traces).await?,
            // The switch could be asked too, but would read all connections for each zone and address,
            // and move no packets meanwhile.
            Datapath::Kernel => self.kernel.forget(traces).await.map(drop)?,
        }
        Ok(())
    }
}
