//! The cluster controller at a Kubernetes API server.
//!
//! Watches what matters to networks and their pods, reconciles each work item, and writes what is
//! decided. The decisions are those of [`udn_cluster`].
//! Invariant: one work item that fails, waits or panics holds up no other.

use std::collections::BTreeMap;
use std::sync::Arc;

use kube::Client;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use udn_cluster::dry_run::{DryRun, Scope, dry_run};
use udn_cluster::reconciler::{Change, KINDS};
use udn_cluster::{Reconciler, World};
use udn_model::ClusterSettings;
use udn_wire::Kind;

use crate::metrics::Metrics;

mod attempt;
mod brain;
mod complaints;
mod dispatcher;
mod labels;
mod queue;
mod recorder;
mod send;
mod watcher;

pub use brain::Brain;
use complaints::Complaints;
use dispatcher::Dispatcher;
pub use send::FIELD_MANAGER;
use watcher::Watcher;

/// How many changes wait to be taken in before watchers have to wait.
const MOST_HEARD: usize = 1024;

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
}

impl ControllerSettings {
    pub fn new(cluster: ClusterSettings) -> Self {
        Self { cluster, workers: 16, fence: 0 }
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
    let (_watchers, heard) = watch_all(&client, settings.fence);
    Dispatcher::new(brain, client, metrics, settings.workers).work(heard, signals).await;
}

/// What the controller would do now, if it were running: for `--dry-run`.
pub async fn dry_run_at(client: Client, settings: ControllerSettings) -> DryRun {
    let (_watchers, mut heard) = watch_all(&client, settings.fence);
    let (mut world, mut unlisted) = (World::default(), KINDS.to_vec());
    while !unlisted.is_empty() {
        match heard.recv().await {
            Some(Change::Listed { kind, objects, .. }) => {
                objects.into_iter().for_each(|it| drop(world.put(it)));
                unlisted.retain(|it| *it != kind);
            }
            // Whatever changes meanwhile comes too late.
            Some(Change::Put(_) | Change::Removed { .. }) => {}
            None => break,
        }
    }
    dry_run(world, &settings.cluster, Scope::Cluster)
}

/// A watcher for each kind, and where they are heard; they end when the set is dropped.
fn watch_all(client: &Client, fence: u64) -> (JoinSet<()>, mpsc::Receiver<Change>) {
    let (tell, heard) = mpsc::channel(MOST_HEARD);
    let (mut watchers, complaints) = (JoinSet::new(), Complaints::default());
    for kind in KINDS {
        let watcher = Watcher::new(client.clone(), kind, fence, tell.clone(), complaints.clone());
        watchers.spawn(watcher.follow());
    }
    (watchers, heard)
}
