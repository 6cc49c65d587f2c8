//! Keeps the host's programs from locked pods: looks whenever the packet filter or the kubelet is another.
//!
//! Invariant: whatever happens to it is looked at on the event that tells it; what cannot be done is tried again,
//! and told.

use std::time::Duration;

use kube::Client;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};
use tracing::{info, warn};
use udn_host::isolation::Kubelet;
use udn_model::NodeName;

use super::filter_watch::FilterWatch;
use super::kubelet_watch::{KubeletWatch, unknowable};
use crate::host::{Isolation, KubeletPlace};
use crate::publish::warn_of;

/// Everything is looked at this often, in case somebody's change was missed.
const SWEEP: Duration = Duration::from_secs(300);

/// The first rest after a failure, and the longest.
const FIRST_REST: Duration = Duration::from_millis(100);
const LONGEST_REST: Duration = Duration::from_secs(15);

/// What people are told where locked pods are open to their host.
const REASON: &str = "HostIsolationNotSupported";

/// The task of one node.
pub(super) struct IsolationTask {
    client: Client,
    node: NodeName,
    isolation: Isolation,
    filter: FilterWatch,
    kubelet: Option<KubeletWatch>,
    last: Kubelet,
    rest: Duration,
}

impl IsolationTask {
    /// Notes where the kubelet is, before any pod can come.
    pub(super) fn new(
        (client, node): (Client, NodeName),
        isolation: Isolation,
        filter: FilterWatch,
        settings: &super::KubeletSettings,
    ) -> Self {
        let (place, kubelet) = match KubeletWatch::open(settings) {
            Ok(mut kubelet) => (kubelet.place(), Some(kubelet)),
            Err(error) => (unknowable(&error), None),
        };
        let last = place.kubelet;
        isolation.place_kubelet(place);
        Self { client, node, isolation, filter, kubelet, last, rest: FIRST_REST }
    }

    /// Works until it is told to stop.
    pub(super) async fn work(mut self, mut stop: watch::Receiver<bool>) {
        let mut trouble = self.isolation.trouble();
        let mut stopped = std::pin::pin!(async move { drop(stop.wait_for(|it| *it).await) });
        let mut wakes = self.look().await;
        loop {
            tokio::select! {
                () = &mut stopped => return,
                () = self.filter.changed() => {}
                () = moved(self.kubelet.as_ref()) => if !self.place_kubelet() { continue },
                () = self.isolation.failed() => {
                    wakes = wakes.min(Instant::now() + self.rest);
                    continue;
                }
                Ok(()) = trouble.changed() => {
                    let told = trouble.borrow_and_update().clone();
                    self.tell(told).await;
                    continue;
                }
                () = sleep_until(wakes) => {}
            }
            wakes = self.look().await;
        }
    }

    /// Looks at what stands; returns when to look again at the latest.
    async fn look(&mut self) -> Instant {
        match self.isolation.restore().await {
            Ok(()) => {
                self.rest = FIRST_REST;
                Instant::now() + SWEEP
            }
            Err(error) => {
                let error = &error as &dyn std::error::Error;
                warn!(error, "could not isolate pods from their host; trying again");
                let rest = self.rest;
                self.rest = (rest * 2).min(LONGEST_REST);
                Instant::now() + rest
            }
        }
    }

    /// Looks where the kubelet is; whether that is news.
    fn place_kubelet(&mut self) -> bool {
        let Some(place) = self.kubelet.as_mut().map(KubeletWatch::place) else { return false };
        let KubeletPlace { kubelet, .. } = place;
        if kubelet == self.last {
            return false;
        }
        match kubelet {
            Kubelet::Away => info!(
                "the kubelet does not run; until it does, no program of the host reaches locked pods"
            ),
            Kubelet::In(group) => info!(?group, "found the kubelet"),
            Kubelet::NeverSeen | Kubelet::Unknowable => {}
        }
        self.last = kubelet;
        self.isolation.place_kubelet(place);
        true
    }

    async fn tell(&self, trouble: Option<String>) {
        let Some(trouble) = trouble else {
            return info!("locked pods are isolated from their host again");
        };
        let message = format!(
            "every program on this node reaches the default network's addresses of pods on primary networks, \
             because the kubelet's probes could not be told from others: {trouble}"
        );
        warn!(reason = REASON, message, "pods are not isolated from their host");
        warn_of(&self.client, &self.node, REASON, &message).await;
    }
}

/// Waits until the kubelet may be elsewhere.
async fn moved(kubelet: Option<&KubeletWatch>) {
    match kubelet {
        Some(kubelet) => match kubelet.changed().await {
            Ok(()) => {}
            Err(error) => {
                warn!(%error, "the kubelet is not followed any more");
                std::future::pending::<()>().await;
            }
        },
        None => std::future::pending::<()>().await,
    }
}
