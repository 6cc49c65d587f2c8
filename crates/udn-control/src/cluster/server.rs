//! The cluster office at a Kubernetes API server.
//!
//! Watches what matters to networks and their pods, gives each affair its turn, and writes what the turn decides.
//! Invariant: one affair that fails, waits or panics holds up no other.

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};

use kube::Client;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use udn_cluster::Affair;
use udn_cluster::office::{Account, Act, Notice, Outcome, Slice, Write, status};
use udn_ledger::Ledger;
use udn_model::ClusterSettings;
use udn_wire::object::AnyObject;

use crate::meters::Meters;
use desk::{Desk, KINDS};
use follow::{Heard, Watcher};
use turn::{Workroom, now};

mod books;
mod count;
mod decide;
mod desk;
mod follow;
mod queue;
mod send;
mod turn;

pub use send::FIELD_MANAGER;

/// How many changes wait to be taken in before watchers have to wait.
const MOST_HEARD: usize = 1024;

/// Turns true when the office must close.
pub type Stop = watch::Receiver<bool>;

/// How the office works.
#[derive(Debug, Clone)]
pub struct OfficeSettings {
    pub cluster: ClusterSettings,
    /// How many affairs have their turn at a time.
    pub turns: usize,
    /// Lists that are older than this version are asked for again: the version of the write by
    /// which this program became the leader.
    pub fence: u64,
    /// Runs at the start of every turn; tests let it panic.
    pub rehearsed_mishap: Option<fn(&Affair)>,
}

impl OfficeSettings {
    pub fn new(cluster: ClusterSettings) -> Self {
        Self { cluster, turns: 16, fence: 0, rehearsed_mishap: None }
    }
}

/// Works until it is told to stop; then finishes the turns that are under way.
///
/// `ready` turns true when everything was listed and the numbers are known.
pub async fn run(
    client: Client,
    settings: OfficeSettings,
    meters: Arc<Meters>,
    ready: watch::Sender<bool>,
    stop: Stop,
) {
    let (_watchers, heard) = follow_all(&client, settings.fence);
    desk(client, settings, meters).work(heard, ready, stop).await;
}

/// What the office would write now, if it were running: for `--dry-run`.
#[derive(Debug, Clone, Default)]
pub struct Rehearsal {
    pub writes: Vec<Write>,
    pub notices: Vec<Notice>,
}

/// Lists everything, decides, and writes nothing.
///
/// What would only be written after an answer to another write, such as the next step of a
/// deletion, is not told.
pub async fn rehearse(client: Client, settings: OfficeSettings) -> Rehearsal {
    let (_watchers, mut heard) = follow_all(&client, settings.fence);
    let mut desk = desk(client, settings, Arc::default());
    while !desk.is_open() {
        let Some(change) = heard.recv().await else { break };
        desk.hear(change);
    }
    let mut rehearsal = Rehearsal::default();
    for affair in desk.cabinet.affairs() {
        let mut slice = desk.cabinet.slice(&affair);
        let decision = desk.workroom.decide(&slice);
        imagine(&decision.waves, &mut slice);
        let outcome = Outcome { now: now(), ..Outcome::default() };
        let verdict = decision.verdict(&desk.workroom.settings);
        let Account { write, notices } = status(&slice, verdict, &outcome);
        rehearsal.writes.extend(decision.waves.into_iter().flatten());
        rehearsal.writes.extend(write);
        rehearsal.notices.extend(notices);
    }
    rehearsal
}

/// Lays the objects that would be created over a slice, so that the status tells of them.
fn imagine(waves: &[Vec<Write>], slice: &mut Slice) {
    for Write { target, act } in waves.iter().flatten() {
        let (Act::Create(object) | Act::Replace(object)) = act else { continue };
        if let Ok(object) = AnyObject::decode(target.kind, &object.to_string()) {
            slice.world.put(object);
        }
    }
}

fn desk(client: Client, settings: OfficeSettings, meters: Arc<Meters>) -> Desk {
    let OfficeSettings { cluster, turns, fence: _, rehearsed_mishap } = settings;
    let ledger = Mutex::new(Ledger::new(&cluster));
    Desk::new(
        Workroom {
            client,
            settings: cluster,
            ledger,
            meters,
            releases: AtomicU64::new(0),
            woken: Mutex::default(),
            rehearsed_mishap,
        },
        turns,
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
