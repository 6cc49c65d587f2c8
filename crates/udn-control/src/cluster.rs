//! The cluster controller at a Kubernetes API server.
//!
//! Watches what matters to networks and their pods, reconciles each work item, and writes what is
//! decided. The decisions are those of [`udn_cluster`].
//! Invariant: one work item that fails, waits or panics holds up no other.

use std::collections::BTreeMap;
use std::sync::Arc;

use kube::Client;
use tokio::sync::watch;
use udn_cluster::dry_run::{DryRun, Scope, dry_run};
use udn_cluster::reconciler::{Change, KINDS};
use udn_cluster::{Reconciler, World};
use udn_model::ClusterSettings;
use udn_wire::Kind;

use crate::heartbeat;
use crate::metrics::Metrics;
use crate::pages::Collection;
use crate::watcher::{Heard, watch_all};

mod agents;
mod attempt;
mod brain;
mod dispatcher;
mod labels;
pub(crate) mod recorder;
pub(crate) mod send;

pub use brain::Brain;
use dispatcher::Dispatcher;
pub use send::FIELD_MANAGER;

/// Becomes true when the controller must stop.
pub type Stop = watch::Receiver<bool>;

/// How the controller works.
#[derive(Debug, Clone)]
pub struct ControllerSettings {
    pub cluster: ClusterSettings,
    /// How many work items are reconciled at a time.
    pub workers: usize,
    /// Lists that are older than this version are asked for again: the version of the write by
    /// which this program became the leader.
    pub fence: u64,
    /// Where the leases of the nodes' agents are.
    pub heartbeats: String,
}

impl ControllerSettings {
    pub fn new(cluster: ClusterSettings) -> Self {
        Self { cluster, workers: 16, fence: 0, heartbeats: heartbeat::NAMESPACE.to_owned() }
    }
}

/// How a controller and whoever runs it hear of each other.
#[derive(Debug)]
pub struct Signals {
    /// Becomes true when everything was listed and the numbers are known.
    pub ready: watch::Sender<bool>,
    pub activity: watch::Sender<Activity>,
    pub stop: Stop,
}

impl Signals {
    /// Signals of which only the end is asked for.
    pub fn new(ready: watch::Sender<bool>, stop: Stop) -> Self {
        Self { ready, activity: watch::Sender::default(), stop }
    }
}

/// How far the controller is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Activity {
    /// The highest version that was taken in of each kind, with answers to its own writes.
    pub seen: BTreeMap<Kind, u64>,
    /// Whether nothing is queued, put off or under way.
    pub is_idle: bool,
}

/// Works until it is told to stop; then finishes the reconciles that are under way.
pub async fn run(
    client: Client,
    settings: ControllerSettings,
    metrics: Arc<Metrics>,
    signals: Signals,
) {
    let reconciler = Reconciler::new(settings.cluster.clone());
    run_with(reconciler, client, settings, metrics, signals).await;
}

/// The same with another brain.
pub async fn run_with(
    brain: impl Brain,
    client: Client,
    settings: ControllerSettings,
    metrics: Arc<Metrics>,
    signals: Signals,
) {
    let (_watchers, heard) = watch_all(&client, &collections(), settings.fence);
    let (_listener, agents) = agents::listen(&client, &settings.heartbeats);
    let dispatcher = Dispatcher::new(brain, client, metrics, settings.workers);
    dispatcher.work(heard, agents, signals).await;
}

/// What the controller would do now, if it were running: for `--dry-run`.
pub async fn dry_run_at(client: Client, settings: ControllerSettings) -> DryRun {
    let (_watchers, mut heard) = watch_all(&client, &collections(), settings.fence);
    let (mut world, mut unlisted) = (World::default(), KINDS.to_vec());
    while !unlisted.is_empty() {
        match heard.recv().await {
            Some(Heard { change: Change::Listed { kind, objects, .. }, .. }) => {
                objects.into_iter().for_each(|it| drop(world.put(it)));
                unlisted.retain(|it| *it != kind);
            }
            // Whatever changes meanwhile comes too late.
            Some(Heard { change: Change::Put(_) | Change::Removed { .. }, .. }) => {}
            None => break,
        }
    }
    dry_run(world, &settings.cluster, Scope::Cluster)
}

fn collections() -> Vec<Collection> {
    KINDS.map(Collection::all).into()
}
