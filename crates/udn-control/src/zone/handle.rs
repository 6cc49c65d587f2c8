//! How others follow a zone controller that runs in their process.
//!
//! Invariant: asking costs the controller a copy and never a wait.

use std::collections::BTreeMap;

use tokio::sync::{mpsc, oneshot, watch};
use udn_model::{Findings, Grants, Intent, Receipt};
use udn_wire::Kind;
use udn_wire::api::ReportStatus;

/// How far the controller is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Activity {
    /// The highest version that was heard of each kind.
    pub seen: BTreeMap<Kind, u64>,
    /// Whether nothing waits or is under way; what failed again and again is not waited for.
    pub is_idle: bool,
}

/// What the controller knows and did.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    pub intent: Intent,
    pub grants: Grants,
    pub findings: Findings,
    /// What was written since the last snapshot.
    pub receipt: Receipt,
}

pub(super) enum Request {
    Snapshot(oneshot::Sender<Snapshot>),
}

/// A running controller.
#[derive(Debug)]
pub struct ZoneHandle {
    pub(super) activity: watch::Receiver<Activity>,
    pub(super) requests: mpsc::Sender<Request>,
    pub(super) reported: watch::Receiver<ReportStatus>,
}

/// The controller ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the zone controller ended")]
pub struct Ended;

impl ZoneHandle {
    /// Waits until the controller has heard of these versions and has nothing left to do.
    pub async fn settled(&mut self, wanted: &BTreeMap<Kind, u64>) -> Result<Snapshot, Ended> {
        let is_settled = |it: &Activity| {
            let has_seen = wanted
                .iter()
                .all(|(kind, version)| it.seen.get(kind).is_some_and(|it| it >= version));
            it.is_idle && has_seen
        };
        self.activity.wait_for(is_settled).await.map_err(|_| Ended)?;
        let (reply, answer) = oneshot::channel();
        self.requests.send(Request::Snapshot(reply)).await.map_err(|_| Ended)?;
        answer.await.map_err(|_| Ended)
    }

    /// Waits until the node's report says that everything up to a version of NADs is programmed.
    pub async fn reported(&mut self, nads: u64) -> Result<(), Ended> {
        let is_told = |it: &ReportStatus| {
            let up_to = it.programmed_up_to.as_deref().and_then(|it| it.parse::<u64>().ok());
            up_to.is_some_and(|it| it >= nads)
        };
        self.reported.wait_for(is_told).await.map(drop).map_err(|_| Ended)
    }

    /// Waits until the controller has ended.
    pub(super) async fn ended(&mut self) {
        while self.activity.changed().await.is_ok() {}
    }

    /// How far the controller is.
    pub fn activity(&self) -> watch::Receiver<Activity> {
        self.activity.clone()
    }
}
