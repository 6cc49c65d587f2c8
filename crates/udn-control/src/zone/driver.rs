//! The loop: hears of objects and rows, lets work items be drawn, compared and committed.
//!
//! Invariant: no work item is under way twice, and none before all objects and rows are known; the
//! brain is asked by this loop alone; what one work item meets holds up no other.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use ovsdb_net::client::Changes;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;
use udn_cluster::reconciler::Answer;
use udn_model::{Finding, Findings, ObjectName, Reason, Receipt, Subject};
use udn_zone::{Ports, Progress, Touched, WorkItem};

use super::brain::ZoneBrain;
use super::commit::CommitError;
use super::confirm::Asked;
use super::handle::{Activity, HostNews, Request, Snapshot};
use super::metrics::ZoneMetrics;
use super::reporter::Told;
use super::{Databases, Observer, ZoneSettings};
use crate::cluster::send::SendError;
use crate::queue::Queue;
use crate::watcher::Heard;

mod attempt;
mod confirmation;
mod hearing;
mod lags;
mod pods;
mod publishing;

use attempt::UnderWay;
use lags::Lags;
use pods::Waiters;
pub(super) use publishing::{Publishing, record};

/// How many transactions are under way at a time; more would only wait in the server, and each keeps
/// its sheets until then.
const MOST_UNDER_WAY: usize = 8;

/// How many work items a zone begins with at once.
///
/// Northd and ovn-controller go through everything for each batch that reaches them. A small zone
/// reaches them as one, so that with 50 networks its ports are up a fifth earlier; a large one keeps them
/// busy anyway, and once its replica is large there is no room for so many sheets.
const FIRST_BURST: usize = 64;

/// How many changes are taken in before work begins again.
const MOST_AT_ONCE: usize = 512;

/// How often a work item fails before it counts as settled: it is tried again, but nobody need wait.
const PATIENCE: u32 = 4;

/// How long what the node reported before a restart may stand for what is not known yet.
///
/// Rows outlive the controller, so that a network need not stop being ready because it is restarted;
/// where OVN does not answer, the node must not go on saying so.
const FORMER_REPORT: Duration = Duration::from_secs(10);

/// What the loop waits for.
enum Done {
    Committed(WorkItem, Result<Receipt, CommitError>),
    Asked(Asked),
    /// A patch of a pod as it was at a version.
    Published(ObjectName, u64, Result<Answer, SendError>),
}

type Waiting = FuturesUnordered<futures_util::future::BoxFuture<'static, Done>>;

/// The driver of one zone.
pub(super) struct Driver<B> {
    brain: B,
    databases: Databases,
    settings: ZoneSettings,
    metrics: Arc<ZoneMetrics>,
    observer: Box<dyn Observer>,
    queue: Queue<WorkItem>,
    /// How much of each work item in the queue is to be drawn.
    todo: Touched,
    /// Looked at when there is nothing else to do.
    sweep: Vec<WorkItem>,
    next_sweep: Instant,
    under_way: BTreeMap<WorkItem, UnderWay>,
    /// How many more belong to the first burst.
    first_burst: usize,
    waiting: Waiting,
    /// When changes were heard that are not committed yet.
    lags: Lags,
    /// What each work item could not do when it was last compared.
    shortfalls: BTreeMap<WorkItem, Findings>,
    progress: Progress,
    ports: Ports,
    /// Until when the former report stands, as long as OVN has not confirmed anything.
    former_report: Option<Instant>,
    asked_at: Instant,
    /// OVN is not asked again before; it may be away, or refuse.
    next_question: Instant,
    /// What was written since somebody asked.
    receipt: Receipt,
    publishing: Publishing,
    /// Who waits for a pod to change.
    waiters: Waiters,
}

/// How the driver and others hear of each other.
pub(super) struct Channels {
    pub(super) heard: mpsc::Receiver<Heard>,
    pub(super) requests: mpsc::Receiver<Request>,
    pub(super) activity: watch::Sender<Activity>,
    pub(super) told: watch::Sender<Told>,
    pub(super) host: watch::Sender<HostNews>,
    pub(super) stop: watch::Receiver<bool>,
}

impl<B: ZoneBrain> Driver<B> {
    pub(super) fn new(
        brain: B,
        databases: Databases,
        settings: ZoneSettings,
        metrics: Arc<ZoneMetrics>,
        observer: Box<dyn Observer>,
        publishing: Publishing,
    ) -> Self {
        let now = Instant::now();
        Self {
            brain,
            databases,
            next_sweep: now + settings.full_pass,
            settings,
            metrics,
            observer,
            queue: Queue::default(),
            todo: Touched::default(),
            sweep: Vec::new(),
            under_way: BTreeMap::new(),
            first_burst: FIRST_BURST,
            waiting: FuturesUnordered::new(),
            lags: Lags::default(),
            shortfalls: BTreeMap::new(),
            progress: Progress::default(),
            ports: Ports::default(),
            former_report: Some(now + FORMER_REPORT),
            asked_at: now,
            next_question: now,
            receipt: Receipt::default(),
            publishing,
            waiters: Waiters::default(),
        }
    }

    /// Works until it is told to stop, or the databases' clients are closed.
    pub(super) async fn work(mut self, mut channels: Channels) {
        let clients =
            [self.databases.northbound.client.clone(), self.databases.southbound.client.clone()];
        for client in &clients {
            let is_synced = tokio::select! {
                biased;
                () = asked_to_stop(&mut channels.stop) => false,
                synced = client.wait_synced() => synced.is_ok(),
            };
            if !is_synced {
                return;
            }
        }
        let [mut northbound, mut southbound] = clients.map(|client| client.changes());
        self.read_ports();
        self.look_at_platform(&WorkItem::Shared);
        self.sweep_all();
        loop {
            self.begin_some();
            self.publish_some();
            self.ask_for_confirmation();
            self.tell(&channels);
            let wakes = self.wakes();
            tokio::select! {
                biased;
                () = asked_to_stop(&mut channels.stop) => break,
                changes = northbound.next() => if self.hear_rows(changes, &WorkItem::Shared) { break },
                changes = southbound.next() => if self.hear_rows(changes, &WorkItem::Southbound) { break },
                Some(done) = self.waiting.next() => {
                    // Whatever the transaction changed is told already, and must not look foreign.
                    self.drain(&mut northbound, &WorkItem::Shared);
                    self.drain(&mut southbound, &WorkItem::Southbound);
                    self.take_in(done);
                }
                Some(heard) = channels.heard.recv() => self.hear_all(heard, &mut channels.heard),
                Some(request) = channels.requests.recv() => self.answer(request),
                () = tokio::time::sleep_until(wakes) => self.wake(Instant::now()),
            }
        }
    }

    /// When there is something to do though nobody said so.
    fn wakes(&self) -> Instant {
        let question = self.progress.wants_confirmation().then_some(self.next_question);
        let publishing = self.publishing.queue.wakes();
        let others = [self.queue.wakes(), publishing, self.former_report, question];
        others.into_iter().flatten().fold(self.next_sweep, Instant::min)
    }

    fn take_in(&mut self, done: Done) {
        match done {
            Done::Committed(item, outcome) => self.conclude(item, outcome),
            Done::Asked(asked) => self.take_in_question(asked),
            Done::Published(pod, version, outcome) => self.published(pod, version, outcome),
        }
    }

    fn drain(&mut self, changes: &mut Changes, of: &WorkItem) {
        while let Some(next) = changes.try_next() {
            self.hear_rows(next, of);
        }
    }

    fn wake(&mut self, now: Instant) {
        self.queue.wake(now);
        self.publishing.queue.wake(now);
        self.former_report = self.former_report.filter(|until| *until > now);
        if now >= self.next_sweep {
            self.sweep_all();
        }
    }

    /// Looks at everything again, when there is nothing else to do.
    fn sweep_all(&mut self) {
        let rows = |rows: &ovsdb::Cache| self.brain.zone().everything(rows);
        let all = self.databases.northbound.client.with_cache(rows);
        self.waiters.forget_gone();
        self.sweep = all.0.into_keys().rev().collect();
        self.next_sweep = Instant::now() + self.settings.full_pass;
    }

    fn touch(&mut self, touched: Touched) {
        for item in touched.0.keys() {
            self.queue.touch(item.clone());
        }
        self.todo.append(touched);
    }

    fn touch_whole(&mut self, item: WorkItem) {
        let mut touched = Touched::default();
        touched.whole(item);
        self.touch(touched);
    }

    /// Tells how far the zone is, where that is news.
    fn tell(&mut self, channels: &Channels) {
        let zone = self.brain.zone();
        let is_idle = zone.is_synced()
            && zone.next_dirty().is_none()
            && self.sweep.is_empty()
            && self.queue.is_settled(PATIENCE)
            && self.publishing.queue.is_settled(PATIENCE);
        let seen = zone.seen();
        channels.activity.send_if_modified(|it| {
            let is_news = it.is_idle != is_idle || it.seen != *seen;
            if is_news {
                *it = Activity { seen: seen.clone(), is_idle };
            }
            is_news
        });
        let news = HostNews { is_synced: zone.is_synced(), revision: zone.host_revision() };
        channels.host.send_if_modified(|it| std::mem::replace(it, news) != news);
        let is_news_due = self.former_report.is_none() || zone.refusal().is_some();
        if zone.is_synced() && is_news_due {
            let (all, troubled) = (zone.intent().networks.len(), self.progress.troubled().len());
            self.metrics.networks(all, troubled);
            let told = Told::of(zone, &self.progress);
            channels.told.send_if_modified(|it| {
                *it != told && {
                    *it = told;
                    true
                }
            });
        }
        self.metrics.queued(self.queue.waiting() + self.queue.under_way());
    }

    fn answer(&mut self, request: Request) {
        let reply = match request {
            Request::Snapshot(reply) => reply,
            Request::Host(reply) => return drop(reply.send(self.brain.zone().host_view())),
            Request::Pod(question) => return self.wait_for_pod(question),
        };
        let zone = self.brain.zone();
        let mut findings = zone.findings();
        findings.extend(self.shortfalls.values().flatten().cloned());
        findings.extend(self.unpublished());
        let snapshot = Snapshot {
            intent: zone.intent().clone(),
            grants: zone.grants().clone(),
            findings,
            receipt: std::mem::take(&mut self.receipt),
        };
        // Whoever asked may be gone.
        let _ = reply.send(snapshot);
    }

    fn stumbled(&self, what: &str, panic: &(dyn std::any::Any + Send), of: Subject) -> Finding {
        let message = crate::panics::message_of(panic);
        tracing::error!(node = %self.brain.zone().node(), message, what, "stumbled");
        let sentence =
            format!("the zone controller stumbled over {what}: {message}; please report it");
        Finding::new(of, Reason::RowConflict, sentence)
    }
}

/// Ends when the driver is asked to stop, or nobody is left who could ask.
async fn asked_to_stop(stop: &mut watch::Receiver<bool>) {
    // Either way it is over.
    drop(stop.wait_for(|it| *it).await);
}
