//! The loop: hears changes, lets work items be reconciled, takes in what came of it.
//!
//! Invariant: no work item is reconciled twice at a time, and none before everything was listed; the
//! brain is asked by this loop alone.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant as Clock};

use jiff::Timestamp;
use kube::Client;
use tokio::sync::{mpsc, watch};
use tokio::task::{Id, JoinError, JoinSet};
use tokio::time::Instant;
use udn_cluster::reconciler::{Answer, Attempt, Change, Conclusion, End};
use udn_cluster::{AgentNews, Event, WorkItem};
use udn_wire::Kind;

use super::attempt::{Sender, decide};
use super::brain::Brain;
use super::labels::labels;
use super::recorder::{Author, Recorder};
use super::send::FIELD_MANAGER;
use super::{Activity, Signals, Stop};
use crate::metrics::Metrics;
use crate::queue::Queue;
use crate::watcher::Heard;

/// How many changes are taken in before reconciles begin again.
const MOST_AT_ONCE: usize = 512;

/// How many events are remembered, so that none is told twice.
const MOST_EVENTS: usize = 4096;

/// How many events wait to be sent before more are left out.
const MOST_UNSENT: usize = 1024;

/// How long reconciles under way may take when the controller stops.
const LONGEST_CLOSING: Duration = Duration::from_secs(5);

/// The dispatcher.
pub(super) struct Dispatcher<B> {
    brain: B,
    sender: Sender,
    workers: usize,
    queue: Queue<WorkItem>,
    under_way: JoinSet<(Attempt, Duration)>,
    /// What each task reconciles.
    items: HashMap<Id, WorkItem>,
    seen: BTreeMap<Kind, u64>,
    told: BTreeSet<Event>,
    events: mpsc::Sender<Event>,
}

impl<B: Brain> Dispatcher<B> {
    pub(super) fn new(brain: B, client: Client, metrics: Arc<Metrics>, workers: usize) -> Self {
        let sender = Sender { client, metrics };
        Self {
            brain,
            events: events(&sender),
            sender,
            workers: workers.max(1),
            queue: Queue::default(),
            under_way: JoinSet::new(),
            items: HashMap::new(),
            seen: BTreeMap::new(),
            told: BTreeSet::new(),
        }
    }

    /// Works until it is told to stop.
    pub(super) async fn work(
        mut self,
        mut heard: mpsc::Receiver<Heard>,
        mut agents: mpsc::Receiver<AgentNews>,
        signals: Signals,
    ) {
        let Signals { ready, activity, mut stop } = signals;
        loop {
            if self.brain.is_synced() {
                ready.send_if_modified(|it| !std::mem::replace(it, true));
                self.begin_reconciles();
            }
            self.report(&activity);
            let wakes = self.queue.wakes();
            tokio::select! {
                biased;
                () = asked(&mut stop) => break,
                Some(ended) = self.under_way.join_next_with_id() => match ended {
                    Ok((id, (attempt, took))) => {
                        self.items.remove(&id);
                        self.conclude(attempt, took);
                    }
                    Err(error) => self.give_up(&error),
                },
                Some(Heard { change, .. }) = heard.recv() => {
                    self.hear(change);
                    for _ in 0..MOST_AT_ONCE {
                        let Ok(Heard { change, .. }) = heard.try_recv() else { break };
                        self.hear(change);
                    }
                }
                Some(news) = agents.recv() => {
                    self.hear_agents(news);
                    while let Ok(news) = agents.try_recv() {
                        self.hear_agents(news);
                    }
                }
                () = rest(wakes) => self.queue.wake(Instant::now()),
            }
            self.sender.metrics.waiting(self.queue.waiting());
        }
        self.close().await;
    }

    /// Lets the reconciles under way end.
    async fn close(&mut self) {
        let all = async { while self.under_way.join_next().await.is_some() {} };
        if tokio::time::timeout(LONGEST_CLOSING, all).await.is_err() {
            tracing::warn!(count = self.under_way.len(), "reconciles did not end in time");
            self.under_way.abort_all();
        }
    }

    fn report(&self, activity: &watch::Sender<Activity>) {
        let is_idle = self.brain.is_synced() && self.queue.is_idle();
        activity.send_if_modified(|it| {
            let is_news = it.is_idle != is_idle || it.seen != self.seen;
            if is_news {
                *it = Activity { seen: self.seen.clone(), is_idle };
            }
            is_news
        });
    }

    fn begin_reconciles(&mut self) {
        while self.queue.under_way() < self.workers {
            let Some(item) = self.queue.next() else { return };
            let begun = Clock::now();
            let Some(attempt) = decide(&mut self.brain, &item) else {
                self.queue.done(item);
                continue;
            };
            let sender = self.sender.clone();
            let task = self.under_way.spawn(async move {
                let attempt = sender.carry_out(attempt).await;
                (attempt, begun.elapsed())
            });
            self.items.insert(task.id(), item);
        }
    }

    /// A reconcile ended without a word: a bug of ours that no other work item suffers from.
    fn give_up(&mut self, error: &JoinError) {
        tracing::error!(%error, "a reconcile was lost");
        if let Some(item) = self.items.remove(&error.id()) {
            self.queue.failed(item, Instant::now());
        }
        let woken = self.brain.take_woken();
        self.touch(woken);
    }

    /// Takes in a change that somebody made.
    fn hear(&mut self, change: Change) {
        match &change {
            Change::Put(object) => self.see(object.kind(), object.metadata().version()),
            Change::Removed { target, version } => self.see(target.kind, *version),
            Change::Listed { kind, version, .. } => self.see(*kind, *version),
        }
        let was_synced = self.brain.is_synced();
        let touched = self.brain.observe(change);
        if !was_synced && self.brain.is_synced() {
            tracing::info!(items = touched.len(), "everything was listed");
        }
        self.touch(touched);
    }

    fn hear_agents(&mut self, news: AgentNews) {
        let touched = self.brain.observe_agents(news);
        self.touch(touched);
    }

    fn see(&mut self, kind: Kind, version: u64) {
        let seen = self.seen.entry(kind).or_default();
        *seen = version.max(*seen);
    }

    fn touch(&mut self, items: BTreeSet<WorkItem>) {
        items.into_iter().for_each(|item| self.queue.touch(item));
    }

    fn conclude(&mut self, attempt: Attempt, took: Duration) {
        let item = attempt.item().clone();
        if attempt.written() > 0 {
            let findings = attempt.decision.findings.len();
            tracing::info!(%item, writes = attempt.written(), findings, "wrote");
        }
        for answer in attempt.answers() {
            if let Answer::Stands(object) = answer {
                self.see(object.kind(), object.metadata().version());
            }
        }
        let Conclusion { touched, events, news, findings, end } = self.brain.conclude(attempt);
        self.touch(touched);
        let metrics = &self.sender.metrics;
        metrics.reconciled(&item, took, end != End::Failed);
        metrics.found(&item, &findings);
        metrics.network(&item, labels(self.brain.world(), &item));
        let untold = self.untold(&item, events);
        self.tell(untold.into_iter().chain(news));
        self.end(item, end);
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

    /// The events that were not told before.
    ///
    /// Those about a UDN or CUDN tell of changes of its status; where there is no status, the same
    /// is found in every reconcile and told once.
    fn untold(&mut self, item: &WorkItem, mut events: Vec<Event>) -> Vec<Event> {
        let has_status = match item {
            WorkItem::Network(_) => true,
            WorkItem::HandWritten(_)
            | WorkItem::Node(_)
            | WorkItem::DefaultNad
            | WorkItem::Pod(_)
            | WorkItem::Claim(_) => false,
        };
        if !has_status {
            events.retain(|event| {
                if self.told.len() >= MOST_EVENTS {
                    self.told.clear();
                }
                self.told.insert(event.clone())
            });
        }
        events
    }

    /// Sends events without waiting for them.
    fn tell(&self, events: impl IntoIterator<Item = Event>) {
        for event in events {
            if let Err(error) = self.events.try_send(event) {
                tracing::warn!(%error, "too much to tell; an event is left out");
            }
        }
    }
}

/// Where events go: one is sent at a time, and the work waits for none of them.
fn events(sender: &Sender) -> mpsc::Sender<Event> {
    let (tell, mut told) = mpsc::channel::<Event>(MOST_UNSENT);
    let Sender { client, metrics } = sender.clone();
    let mut recorder =
        Recorder::new(Author { component: FIELD_MANAGER, node: None }, client, metrics);
    tokio::spawn(async move {
        while let Some(event) = told.recv().await {
            recorder.record(event, Timestamp::now()).await;
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
