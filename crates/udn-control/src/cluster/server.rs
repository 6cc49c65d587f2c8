//! The cluster controller at a Kubernetes API server.
//!
//! Watches what matters to networks and their pods, gives each work item its reconcile, and writes what the reconcile decides.
//! Invariant: one work item that fails, waits or panics holds up no other.

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};

use kube::Client;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use udn_cluster::WorkItem;
use udn_cluster::controller::{Act, Event, Outcome, StatusUpdate, View, Write, status};
use udn_ledger::Ledger;
use udn_model::ClusterSettings;
use udn_wire::object::AnyObject;

use crate::metrics::Metrics;
use dispatcher::{Dispatcher, KINDS};
use follow::{Heard, Watcher};
use reconcile::{Context, now};

mod books;
mod count;
mod decide;
mod dispatcher;
mod follow;
mod queue;
mod reconcile;
mod send;

pub use send::FIELD_MANAGER;

/// How many changes wait to be taken in before watchers have to wait.
const MOST_HEARD: usize = 1024;

/// Turns true when the controller must close.
pub type Stop = watch::Receiver<bool>;

/// How the controller works.
#[derive(Debug, Clone)]
pub struct ControllerSettings {
    pub cluster: ClusterSettings,
    /// How many work items have their turn at a time.
    pub workers: usize,
    /// Lists that are older than this version are asked for again: the version of the write by
    /// which this program became the leader.
    pub fence: u64,
    /// Runs at the start of every reconcile; tests let it panic.
    pub rehearsed_mishap: Option<fn(&WorkItem)>,
}

impl ControllerSettings {
    pub fn new(cluster: ClusterSettings) -> Self {
        Self { cluster, workers: 16, fence: 0, rehearsed_mishap: None }
    }
}

/// Works until it is told to stop; then finishes the turns that are under way.
///
/// `ready` turns true when everything was listed and the numbers are known.
pub async fn run(
    client: Client,
    settings: ControllerSettings,
    metrics: Arc<Metrics>,
    ready: watch::Sender<bool>,
    stop: Stop,
) {
    let (_watchers, heard) = follow_all(&client, settings.fence);
    dispatcher(client, settings, metrics).work(heard, ready, stop).await;
}

/// What the controller would write now, if it were running: for `--dry-run`.
#[derive(Debug, Clone, Default)]
pub struct Rehearsal {
    pub writes: Vec<Write>,
    pub events: Vec<Event>,
}

/// Lists everything, decides, and writes nothing.
///
/// What would only be written after an answer to another write, such as the next step of a
/// deletion, is not told.
pub async fn rehearse(client: Client, settings: ControllerSettings) -> Rehearsal {
    let (_watchers, mut heard) = follow_all(&client, settings.fence);
    let mut dispatcher = dispatcher(client, settings, Arc::default());
    while !dispatcher.is_open() {
        let Some(change) = heard.recv().await else { break };
        dispatcher.hear(change);
    }
    let mut rehearsal = Rehearsal::default();
    for item in dispatcher.cache.items() {
        let mut view = dispatcher.cache.view(&item);
        let decision = dispatcher.context.decide(&view);
        imagine(&decision.waves, &mut view);
        let outcome = Outcome { now: now(), ..Outcome::default() };
        let decided = decision.decided(&dispatcher.context.settings);
        let StatusUpdate { write, events } = status(&view, decided, &outcome);
        rehearsal.writes.extend(decision.waves.into_iter().flatten());
        rehearsal.writes.extend(write);
        rehearsal.events.extend(events);
    }
    rehearsal
}

/// Lays the objects that would be created over a view, so that the status tells of them.
fn imagine(waves: &[Vec<Write>], view: &mut View) {
    for Write { target, act } in waves.iter().flatten() {
        let (Act::Create(object) | Act::Replace(object)) = act else { continue };
        if let Ok(object) = AnyObject::decode(target.kind, &object.to_string()) {
            view.world.put(object);
        }
    }
}

fn dispatcher(client: Client, settings: ControllerSettings, metrics: Arc<Metrics>) -> Dispatcher {
    let ControllerSettings { cluster, workers, fence: _, rehearsed_mishap } = settings;
    let ledger = Mutex::new(Ledger::new(&cluster));
    Dispatcher::new(
        Context {
            client,
            settings: cluster,
            ledger,
            metrics,
            releases: AtomicU64::new(0),
            woken: Mutex::default(),
            rehearsed_mishap,
        },
        workers,
    )
}

/// A watcher for each kind, and where they are heard; they end when the set is dropped.
fn follow_all(client: &Client, fence: u64) -> (JoinSet<()>, mpsc::Receiver<Heard>) {
    let (tell, heard) = mpsc::channel(MOST_HEARD);
    let mut watchers = JoinSet::new();
    for kind in KINDS {
        watchers.spawn(Watcher::new(client.clone(), kind, fence, tell.clone()).follow());
    }
    (watchers, heard)
}
