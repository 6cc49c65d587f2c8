//! The loop: hears changes, gives work items their turns, takes in what came of them.
//!
//! Invariant: no work item has two turns at a time, and none before everything was listed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant as Clock};

use tokio::sync::{mpsc, watch};
use tokio::task::{Id, JoinError, JoinSet};
use tokio::time::Instant;
use udn_cluster::controller::{self, Event};
use udn_cluster::{ObjectCache, WorkItem, translate};
use udn_ledger::Ledger;
use udn_model::{Findings, Reason};
use udn_wire::Kind;

use super::Stop;
use super::books;
use super::count::labels;
use super::follow::Heard;
use super::queue::Queue;
use super::reconcile::{Context, End, Reconciled, now};
use super::send::{Answer, notify};

/// How many changes are taken in before turns are given again.
const MOST_AT_ONCE: usize = 512;

/// How many events are remembered, so that none is told twice.
const MOST_EVENTS: usize = 4096;

/// How many events wait to be sent before more are left out.
const MOST_UNSENT: usize = 1024;

/// What is told to those who wait for numbers.
const WAITING_FOR_NUMBERS: [Reason; 2] = [Reason::PoolExhausted, Reason::AlreadyTaken];

/// How long turns under way may take when the controller closes.
const LONGEST_CLOSING: Duration = Duration::from_secs(5);

/// The kinds that matter to networks and the pods on them.
pub(super) const KINDS: [Kind; 9] = [
    Kind::Namespace,
    Kind::Node,
    Kind::UserDefinedNetwork,
    Kind::ClusterUserDefinedNetwork,
    Kind::Nad,
    Kind::Pod,
    Kind::Report,
    Kind::Claim,
    Kind::Machine,
];

/// The desk.
pub(super) struct Dispatcher {
    pub(super) context: Arc<Context>,
    pub(super) cache: ObjectCache,
    /// How many turns there may be at a time.
    pub(super) workers: usize,
    queue: Queue,
    under_way: JoinSet<(Reconciled, Duration)>,
    /// Whose turn each task is.
    items: HashMap<Id, WorkItem>,
    unlisted: BTreeSet<Kind>,
    told: BTreeSet<Event>,
    events: mpsc::Sender<Event>,
    /// Work items that wait for numbers which others hold, and how many releases each has seen.
    short: BTreeMap<WorkItem, u64>,
}

impl Dispatcher {
    pub(super) fn new(context: Context, workers: usize) -> Self {
        let cache = ObjectCache::new(context.settings.default_nad.clone());
        let context = Arc::new(context);
        Self {
            cache,
            workers: workers.max(1),
            queue: Queue::default(),
            under_way: JoinSet::new(),
            items: HashMap::new(),
            events: events(&context),
            unlisted: KINDS.into(),
            told: BTreeSet::new(),
            short: BTreeMap::new(),
            context,
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
                    Ok((id, (reconciled, took))) => {
                        self.items.remove(&id);
                        self.take_in(reconciled, took);
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
            self.context.metrics.waiting(self.queue.waiting());
        }
        self.close().await;
    }

    /// Lets the turns under way end.
    async fn close(&mut self) {
        let all = async { while self.under_way.join_next().await.is_some() {} };
        if tokio::time::timeout(LONGEST_CLOSING, all).await.is_err() {
            tracing::warn!(count = self.under_way.len(), "workers did not end in time");
            self.under_way.abort_all();
        }
    }

    fn give_turns(&mut self) {
        while self.queue.under_way() < self.workers {
            let Some(item) = self.queue.next() else { return };
            let begun = Clock::now();
            let prepared = self.context.prepare(self.cache.view(&item));
            let context = self.context.clone();
            let task = self.under_way.spawn(async move {
                let reconciled = context.reconcile(prepared).await;
                (reconciled, begun.elapsed())
            });
            self.items.insert(task.id(), item);
        }
    }

    /// A turn ended without a word: a bug of ours that no other work item suffers from.
    fn give_up(&mut self, error: &JoinError) {
        tracing::error!(%error, "a reconcile was lost");
        if let Some(item) = self.items.remove(&error.id()) {
            self.queue.failed(item, Instant::now());
        }
        self.wake();
    }

    /// Takes in a change that somebody made, or the answer to one of ours.
    pub(super) fn hear(&mut self, change: Heard) {
        let touched = match change {
            Heard::Put(object) => self.cache.put(*object),
            Heard::Removed { target, version } => self.cache.remove(&target, version),
            Heard::All { kind, objects, version } => {
                let touched = self.cache.replace(kind, objects, version);
                if self.unlisted.remove(&kind) && self.unlisted.is_empty() {
                    return self.open();
                }
                touched
            }
        };
        if self.unlisted.is_empty() {
            touched.into_iter().for_each(|item| self.queue.touch(item));
        }
    }

    /// Everything was listed: the numbers are known, and every work item has its first reconcile.
    fn open(&mut self) {
        let settings = &self.context.settings;
        let intent = translate::cluster(self.cache.world(), settings).value;
        *self.context.ledger() = Ledger::rebuild(&intent.published, settings);
        for network in intent.networks.values() {
            // Whom it concerns has a reconcile anyway.
            books::build(network, &mut self.cache, &self.context);
        }
        self.context.woken().clear();
        let items = self.cache.items();
        tracing::info!(items = items.len(), "everything was listed");
        items.into_iter().for_each(|item| self.queue.touch(item));
    }

    /// All kinds were listed.
    pub(super) fn is_open(&self) -> bool {
        self.unlisted.is_empty()
    }

    fn take_in(&mut self, reconciled: Reconciled, took: Duration) {
        let Reconciled {
            item,
            answers,
            mut events,
            findings,
            others,
            releases,
            network_state,
            end,
        } = reconciled;
        if !answers.is_empty() {
            tracing::info!(%item, writes = answers.len(), findings = findings.len(), "wrote");
        }
        for answer in answers {
            let touched = match answer {
                Answer::Stands(object) => self.cache.put(*object),
                Answer::Gone { target, version } => self.cache.remove(&target, version),
            };
            // What the work item itself wrote, it knows.
            let others = touched.into_iter().filter(|it| *it != item);
            others.for_each(|it| self.queue.touch(it));
        }
        let concerned = books::follow(&item, network_state, &mut self.cache, &self.context);
        concerned.into_iter().for_each(|it| self.queue.touch(it));
        self.wake();
        self.context.metrics.reconciled(&item, took, end != End::Failed);
        self.context.metrics.found(&item, &findings);
        self.context.metrics.network(&item, labels(self.cache.world(), &item));
        self.remember_who_waits(&item, &findings, releases);
        events.extend(controller::events_of_others(self.cache.world(), &others));
        self.tell(&item, events);
        self.end(item, end);
    }

    /// Pods and claims that waited for addresses have another turn.
    fn wake(&mut self) {
        let woken = std::mem::take(&mut *self.context.woken());
        woken.into_iter().for_each(|item| self.queue.touch(item));
    }

    /// Whoever waits for numbers has another turn once some were given back, also while its last
    /// turn was under way.
    fn remember_who_waits(&mut self, item: &WorkItem, findings: &Findings, releases: u64) {
        // The ledger itself knows which pods and claims wait for which addresses.
        let is_known = matches!(item, WorkItem::Pod(_) | WorkItem::Claim(_));
        let is_short = findings.iter().any(|it| WAITING_FOR_NUMBERS.contains(&it.reason));
        if is_short && !is_known {
            self.short.insert(item.clone(), releases);
        } else {
            self.short.remove(item);
        }
        let now = self.context.releases.load(Ordering::SeqCst);
        let missed = self.short.iter_mut().filter(|(_, seen)| **seen != now);
        for (item, seen) in missed {
            *seen = now;
            self.queue.touch(item.clone());
        }
    }

    fn end(&mut self, item: WorkItem, end: End) {
        match end {
            End::Settled => self.queue.done(item),
            End::Again => {
                self.queue.touch(item.clone());
                self.queue.done(item);
            }
            End::Failed => self.queue.failed(item, Instant::now()),
        }
    }

    /// Sends events without waiting for them.
    ///
    /// Those about a UDN or CUDN tell of changes of its status; where there is no status, the same
    /// is found in every reconcile and told once.
    fn tell(&mut self, item: &WorkItem, events: Vec<Event>) {
        let has_status = match item {
            WorkItem::UserDefinedNetwork(_) | WorkItem::ClusterUserDefinedNetwork(_) => true,
            WorkItem::HandWritten(_)
            | WorkItem::Node(_)
            | WorkItem::DefaultNad
            | WorkItem::Pod(_)
            | WorkItem::Claim(_) => false,
        };
        for event in events {
            if self.told.len() >= MOST_EVENTS {
                self.told.clear();
            }
            if (has_status || self.told.insert(event.clone()))
                && let Err(error) = self.events.try_send(event)
            {
                tracing::warn!(%error, "too much to tell; an event_object is left out");
            }
        }
    }
}

/// Where events go: one is sent at a time, and the work waits for none of them.
fn events(context: &Arc<Context>) -> mpsc::Sender<Event> {
    let (tell, mut told) = mpsc::channel::<Event>(MOST_UNSENT);
    let context = context.clone();
    tokio::spawn(async move {
        while let Some(event) = told.recv().await {
            notify(&context.client, &event, &now(), &context.metrics).await;
        }
    });
    tell
}

/// Ends when the controller is asked to stop, or nobody is left who could ask.
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
