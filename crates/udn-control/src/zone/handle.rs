//! How others follow a zone controller that runs in their process.
//!
//! Invariant: asking costs the controller a copy and never a wait.

use std::collections::BTreeMap;

use tokio::sync::{mpsc, oneshot, watch};
use udn_model::{Findings, Grants, Intent, ObjectName, Receipt};
use udn_wire::Kind;
use udn_wire::api::ReportStatus;
use udn_zone::{HostView, OwnPod};

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

/// What the controller knows of what its node's host is made from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HostNews {
    /// Whether everything was listed; before that nothing is known.
    pub is_synced: bool,
    /// Another one whenever the host's view is another.
    pub revision: u64,
}

/// One pod, as of a revision.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PodNews {
    /// Another one whenever the pod's view is another; zero for a pod that is not on the node.
    pub revision: u64,
    pub pod: Option<OwnPod>,
}

/// Who wants to hear of a pod that is not as he knows it.
#[derive(Debug)]
pub(super) struct PodQuestion {
    pub(super) pod: ObjectName,
    pub(super) known: Option<u64>,
    pub(super) reply: oneshot::Sender<PodNews>,
}

pub(super) enum Request {
    Snapshot(oneshot::Sender<Snapshot>),
    Host(oneshot::Sender<HostView>),
    Pod(PodQuestion),
}

/// A running controller.
#[derive(Debug, Clone)]
pub struct ZoneHandle {
    pub(super) activity: watch::Receiver<Activity>,
    pub(super) requests: mpsc::Sender<Request>,
    pub(super) host: watch::Receiver<HostNews>,
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
        self.ask(Request::Snapshot).await
    }

    /// Tells whenever what the node's host is made from is another.
    pub fn host_news(&self) -> watch::Receiver<HostNews> {
        self.host.clone()
    }

    /// What the node's host is made from now.
    pub async fn host_view(&self) -> Result<HostView, Ended> {
        self.ask(Request::Host).await
    }

    /// What is known of a pod of the node: at once if that is not of the revision `known`, else as soon
    /// as it is of another. Whoever waits costs nothing until that pod changes.
    pub async fn pod(&self, pod: &ObjectName, known: Option<u64>) -> Result<PodNews, Ended> {
        let pod = pod.clone();
        self.ask(|reply| Request::Pod(PodQuestion { pod, known, reply })).await
    }

    async fn ask<T>(
        &self,
        question: impl FnOnce(oneshot::Sender<T>) -> Request,
    ) -> Result<T, Ended> {
        let (reply, answer) = oneshot::channel();
        self.requests.send(question(reply)).await.map_err(|_| Ended)?;
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
