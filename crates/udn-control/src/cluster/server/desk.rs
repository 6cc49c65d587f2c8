//! The loop: hears changes, gives affairs their turns, takes in what came of them.
//!
//! Invariant: no affair has two turns at a time, and none before everything was listed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant as Clock};

use tokio::sync::{mpsc, watch};
use tokio::task::{Id, JoinError, JoinSet};
use tokio::time::Instant;
use udn_cluster::office::{self, Notice};
use udn_cluster::{Affair, Cabinet, translate};
use udn_ledger::Ledger;
use udn_model::{Findings, Reason};
use udn_wire::Kind;

use super::Stop;
use super::books;
use super::count::labels;
use super::follow::Heard;
use super::queue::Queue;
use super::send::{Answer, notify};
use super::turn::{End, Turned, Workroom, now};

/// How many changes are taken in before turns are given again.
const MOST_AT_ONCE: usize = 512;

/// How many notices are remembered, so that none is told twice.
const MOST_NOTICES: usize = 4096;

/// How many notices wait to be sent before more are left out.
const MOST_UNSENT: usize = 1024;

/// What is told to those who wait for numbers.
const WAITING_FOR_NUMBERS: [Reason; 2] = [Reason::PoolExhausted, Reason::AlreadyTaken];

/// How long turns under way may take when the office closes.
const LONGEST_CLOSING: Duration = Duration::from_secs(5);

/// The kinds that matter to networks and the pods on them.
pub(super) const KINDS: [Kind; 9] = [
    Kind::Namespace,
    Kind::Node,
    Kind::UserDefinedNetwork,
    Kind::ClusterUserDefinedNetwork,
    Kind::Definition,
    Kind::Pod,
    Kind::Report,
    Kind::Claim,
    Kind::Machine,
];

/// The desk.
pub(super) struct Desk {
    pub(super) workroom: Arc<Workroom>,
    pub(super) cabinet: Cabinet,
    /// How many turns there may be at a time.
    pub(super) turns: usize,
    queue: Queue,
    under_way: JoinSet<(Turned, Duration)>,
    /// Whose turn each task is.
    affairs: HashMap<Id, Affair>,
    unlisted: BTreeSet<Kind>,
    told: BTreeSet<Notice>,
    notices: mpsc::Sender<Notice>,
    /// Affairs that wait for numbers which others hold, and how many releases each has seen.
    short: BTreeMap<Affair, u64>,
}

impl Desk {
    pub(super) fn new(workroom: Workroom, turns: usize) -> Self {
        let cabinet = Cabinet::new(workroom.settings.default_definition.clone());
        let workroom = Arc::new(workroom);
        Self {
            cabinet,
            turns: turns.max(1),
            queue: Queue::default(),
            under_way: JoinSet::new(),
            affairs: HashMap::new(),
            notices: notices(&workroom),
            unlisted: KINDS.into(),
            told: BTreeSet::new(),
            short: BTreeMap::new(),
            workroom,
        }
    }

    /// Works until it is told to stop.
    pub(super) async fn work(
        mut self,
        mut heard: mpsc::Receiver<Heard>,
        ready: watch::Sender<bool>,
        mut stop: Stop,
    ) {
        loop {
            if self.unlisted.is_empty() {
                ready.send_if_modified(|it| !std::mem::replace(it, true));
                self.give_turns();
            }
            let wakes = self.queue.wakes();
            tokio::select! {
                biased;
                () = asked(&mut stop) => break,
                Some(ended) = self.under_way.join_next_with_id() => match ended {
                    Ok((id, (turned, took))) => {
                        self.affairs.remove(&id);
                        self.take_in(turned, took);
                    }
                    Err(error) => self.give_up(&error),
                },
                Some(change) = heard.recv() => {
                    self.hear(change);
                    for _ in 0..MOST_AT_ONCE {
                        let Ok(change) = heard.try_recv() else { break };
                        self.hear(change);
                    }
                }
                () = rest(wakes) => self.queue.wake(Instant::now()),
            }
            self.workroom.meters.waiting(self.queue.waiting());
        }
        self.close().await;
    }

    /// Lets the turns under way end.
    async fn close(&mut self) {
        let all = async { while self.under_way.join_next().await.is_some() {} };
        if tokio::time::timeout(LONGEST_CLOSING, all).await.is_err() {
            tracing::warn!(count = self.under_way.len(), "turns did not end in time");
            self.under_way.abort_all();
        }
    }

    fn give_turns(&mut self) {
        while self.queue.under_way() < self.turns {
            let Some(affair) = self.queue.next() else { return };
            let begun = Clock::now();
            let prepared = self.workroom.prepare(self.cabinet.slice(&affair));
            let workroom = self.workroom.clone();
            let task = self.under_way.spawn(async move {
                let turned = workroom.turn(prepared).await;
                (turned, begun.elapsed())
            });
            self.affairs.insert(task.id(), affair);
        }
    }

    /// A turn ended without a word: a bug of ours that no other affair suffers from.
    fn give_up(&mut self, error: &JoinError) {
        tracing::error!(%error, "a turn was lost");
        if let Some(affair) = self.affairs.remove(&error.id()) {
            self.queue.failed(affair, Instant::now());
        }
        self.wake();
    }

    /// Takes in a change that somebody made, or the answer to one of ours.
    pub(super) fn hear(&mut self, change: Heard) {
        let touched = match change {
            Heard::Put(object) => self.cabinet.put(*object),
            Heard::Removed { target, version } => self.cabinet.remove(&target, version),
            Heard::All { kind, objects, version } => {
                let touched = self.cabinet.replace(kind, objects, version);
                if self.unlisted.remove(&kind) && self.unlisted.is_empty() {
                    return self.open();
                }
                touched
            }
        };
        if self.unlisted.is_empty() {
            touched.into_iter().for_each(|affair| self.queue.touch(affair));
        }
    }

    /// Everything was listed: the numbers are known, and every affair has its first turn.
    fn open(&mut self) {
        let settings = &self.workroom.settings;
        let intent = translate::cluster(self.cabinet.world(), settings).value;
        *self.workroom.ledger() = Ledger::rebuild(&intent.published, settings);
        for network in intent.networks.values() {
            // Whom it concerns has a turn anyway.
            books::build(network, &mut self.cabinet, &self.workroom);
        }
        self.workroom.woken().clear();
        let affairs = self.cabinet.affairs();
        tracing::info!(affairs = affairs.len(), "everything was listed");
        affairs.into_iter().for_each(|affair| self.queue.touch(affair));
    }

    /// All kinds were listed.
    pub(super) fn is_open(&self) -> bool {
        self.unlisted.is_empty()
    }

    fn take_in(&mut self, turned: Turned, took: Duration) {
        let Turned { affair, answers, mut notices, findings, others, releases, standing, end } =
            turned;
        if !answers.is_empty() {
            tracing::info!(%affair, writes = answers.len(), findings = findings.len(), "wrote");
        }
        for answer in answers {
            let touched = match answer {
                Answer::Stands(object) => self.cabinet.put(*object),
                Answer::Gone { target, version } => self.cabinet.remove(&target, version),
            };
            // What the affair itself wrote, it knows.
            let others = touched.into_iter().filter(|it| *it != affair);
            others.for_each(|it| self.queue.touch(it));
        }
        let concerned = books::follow(&affair, standing, &mut self.cabinet, &self.workroom);
        concerned.into_iter().for_each(|it| self.queue.touch(it));
        self.wake();
        self.workroom.meters.turned(&affair, took, end != End::Failed);
        self.workroom.meters.found(&affair, &findings);
        self.workroom.meters.network(&affair, labels(self.cabinet.world(), &affair));
        self.remember_who_waits(&affair, &findings, releases);
        notices.extend(office::notices_of_others(self.cabinet.world(), &others));
        self.tell(&affair, notices);
        self.end(affair, end);
    }

    /// Pods and claims that waited for addresses have another turn.
    fn wake(&mut self) {
        let woken = std::mem::take(&mut *self.workroom.woken());
        woken.into_iter().for_each(|affair| self.queue.touch(affair));
    }

    /// Whoever waits for numbers has another turn once some were given back, also while its last
    /// turn was under way.
    fn remember_who_waits(&mut self, affair: &Affair, findings: &Findings, releases: u64) {
        // The ledger itself knows which pods and claims wait for which addresses.
        let is_known = matches!(affair, Affair::Pod(_) | Affair::Claim(_));
        let is_short = findings.iter().any(|it| WAITING_FOR_NUMBERS.contains(&it.reason));
        if is_short && !is_known {
            self.short.insert(affair.clone(), releases);
        } else {
            self.short.remove(affair);
        }
        let now = self.workroom.releases.load(Ordering::SeqCst);
        let missed = self.short.iter_mut().filter(|(_, seen)| **seen != now);
        for (affair, seen) in missed {
            *seen = now;
            self.queue.touch(affair.clone());
        }
    }

    fn end(&mut self, affair: Affair, end: End) {
        match end {
            End::Settled => self.queue.done(affair),
            End::Again => {
                self.queue.touch(affair.clone());
                self.queue.done(affair);
            }
            End::Failed => self.queue.failed(affair, Instant::now()),
        }
    }

    /// Sends notices without waiting for them.
    ///
    /// Those about a UDN or CUDN tell of changes of its status; where there is no status, the same
    /// is found in every turn and told once.
    fn tell(&mut self, affair: &Affair, notices: Vec<Notice>) {
        let has_status = match affair {
            Affair::UserDefinedNetwork(_) | Affair::ClusterUserDefinedNetwork(_) => true,
            Affair::Written(_)
            | Affair::Node(_)
            | Affair::DefaultDefinition
            | Affair::Pod(_)
            | Affair::Claim(_) => false,
        };
        for notice in notices {
            if self.told.len() >= MOST_NOTICES {
                self.told.clear();
            }
            if (has_status || self.told.insert(notice.clone()))
                && let Err(error) = self.notices.try_send(notice)
            {
                tracing::warn!(%error, "too much to tell; an event is left out");
            }
        }
    }
}

/// Where notices go: one is sent at a time, and the work waits for none of them.
fn notices(workroom: &Arc<Workroom>) -> mpsc::Sender<Notice> {
    let (tell, mut told) = mpsc::channel::<Notice>(MOST_UNSENT);
    let workroom = workroom.clone();
    tokio::spawn(async move {
        while let Some(notice) = told.recv().await {
            notify(&workroom.client, &notice, &now(), &workroom.meters).await;
        }
    });
    tell
}

/// Ends when the office is asked to stop, or nobody is left who could ask.
async fn asked(stop: &mut Stop) {
    // Either way it is over.
    drop(stop.wait_for(|it| *it).await);
}

async fn rest(until: Option<Instant>) {
    match until {
        Some(instant) => tokio::time::sleep_until(instant).await,
        None => std::future::pending().await,
    }
}
