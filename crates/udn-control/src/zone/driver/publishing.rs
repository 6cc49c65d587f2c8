//! Publishes what the zone granted: one patch for a pod, many pods at once.
//!
//! Invariant: of one pod one patch is under way; after a conflict nothing is sent before the pod is
//! heard of anew, save once in a while; what one pod meets holds up no other, and no rows.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use kube::Client;
use tokio::sync::mpsc;
use tokio::time::Instant;
use udn_cluster::reconciler::Answer;
use udn_cluster::{Event, EventType, Write};
use udn_model::{Finding, Findings, NodeName, ObjectName, Reason, Subject};
use udn_wire::Target;

use super::super::brain::ZoneBrain;
use super::{Done, Driver};
use crate::cluster::recorder::{Author, Recorder};
use crate::cluster::send::{SendError, send};
use crate::metrics::Metrics;
use crate::queue::Queue;
use crate::zone::FIELD_MANAGER;

/// How many patches are under way at a time.
const MOST_PATCHES: usize = 16;

/// How long a newer state of a pod is waited for after a conflict.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// How many events wait to be sent before more are left out.
const MOST_UNSENT: usize = 256;

/// The reason of events about pods whose annotation the server does not take.
const NOT_PUBLISHED: &str = "ErrorAllocatingPod";

/// What is published, and what stands in the way.
pub(in crate::zone) struct Publishing {
    client: Client,
    metrics: Arc<Metrics>,
    events: mpsc::Sender<Event>,
    pub(super) queue: Queue<ObjectName>,
    /// The versions of pods that somebody changed since, and until when a newer one is waited for.
    overtaken: BTreeMap<ObjectName, (u64, Instant)>,
    /// Why the server did not take what was sent last.
    failed: BTreeMap<ObjectName, Finding>,
}

impl Publishing {
    /// Where patches go, and where events are to be recorded.
    pub(in crate::zone) fn new(
        client: Client,
        metrics: Arc<Metrics>,
    ) -> (Self, mpsc::Receiver<Event>) {
        let (events, told) = mpsc::channel(MOST_UNSENT);
        let (queue, overtaken, failed) = Default::default();
        (Self { client, metrics, events, queue, overtaken, failed }, told)
    }

    /// Why the server did not take what is to be published of a pod.
    pub(super) fn finding(&self, pod: &ObjectName) -> Option<&Finding> {
        self.failed.get(pod)
    }

    pub(super) fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.failed.values()
    }

    fn tell(&self, events: Vec<Event>) {
        for event in events {
            if let Err(error) = self.events.try_send(event) {
                tracing::warn!(%error, "too much to tell; an event is left out");
            }
        }
    }

    /// Nothing is to be published of a pod, or it was.
    fn is_over(&mut self, pod: &ObjectName) {
        self.overtaken.remove(pod);
        self.failed.remove(pod);
    }

    /// Whether somebody changed the pod, and it was not heard how.
    fn is_awaited(&self, pod: &ObjectName, version: u64, now: Instant) -> bool {
        self.overtaken.get(pod).is_some_and(|(seen, until)| *seen == version && now < *until)
    }
}

/// Records events, one at a time, until nobody is left who could tell any.
pub(in crate::zone) async fn record(
    (client, node): (Client, NodeName),
    metrics: Arc<Metrics>,
    mut told: mpsc::Receiver<Event>,
) {
    let author = Author { component: FIELD_MANAGER, node: Some(node) };
    let mut recorder = Recorder::new(author, client, metrics);
    while let Some(event) = told.recv().await {
        recorder.record(event, jiff::Timestamp::now()).await;
    }
}

impl<B: ZoneBrain> Driver<B> {
    /// Takes in whose writes are others now, and what people are to be told.
    pub(super) fn look_for_writes(&mut self) {
        let zone = self.brain.zone_mut();
        let (news, events) = (zone.take_news(), zone.take_events());
        news.into_iter().for_each(|pod| self.publishing.queue.touch(pod));
        self.publishing.tell(events);
    }

    /// Begins with as many patches as may be under way.
    pub(super) fn publish_some(&mut self) {
        let now = Instant::now();
        while self.publishing.queue.under_way() < MOST_PATCHES {
            let Some(pod) = self.publishing.queue.next() else { return };
            let zone = self.brain.zone();
            let version = zone.world().pods.get(&pod).map(|it| it.metadata.version());
            let (Some(write), Some(version)) = (zone.writes().get(&pod), version) else {
                self.publishing.is_over(&pod);
                self.publishing.queue.done(pod);
                continue;
            };
            if self.publishing.is_awaited(&pod, version, now) {
                self.publishing.queue.failed(pod, now);
                continue;
            }
            let write = write.clone();
            self.publish(pod, version, write);
        }
    }

    fn publish(&mut self, pod: ObjectName, version: u64, write: Write) {
        let (client, metrics) = (self.publishing.client.clone(), self.publishing.metrics.clone());
        let sent = async move {
            let answer = send(&client, &write, &metrics).await;
            Done::Published(pod, version, answer)
        };
        self.waiting.push(sent.boxed());
    }

    /// Takes in what came of a patch: what the server answers is heard as if it were told.
    pub(super) fn published(
        &mut self,
        pod: ObjectName,
        version: u64,
        outcome: Result<Answer, SendError>,
    ) {
        let now = Instant::now();
        match outcome {
            Ok(answer) => {
                tracing::debug!(%pod, "addresses are published");
                self.publishing.is_over(&pod);
                self.publishing.queue.done(pod);
                match answer {
                    Answer::Stands(object) => self.brain.zone_mut().hear_answer(*object),
                    Answer::Gone { .. } => {}
                }
                self.renew_all(u64::MAX, now);
            }
            Err(error @ (SendError::Overtaken { .. } | SendError::NamespaceEnding { .. })) => {
                tracing::debug!(%pod, %error, "trying again");
                self.publishing.overtaken.insert(pod.clone(), (version, now + LONGEST_WAIT));
                self.publishing.queue.failed(pod, now);
            }
            Err(error @ SendError::Unavailable { .. }) => {
                tracing::debug!(%pod, %error, "trying again");
                self.not_published(&pod, &error);
                self.publishing.queue.failed(pod, now);
            }
            Err(error @ SendError::Refused { .. }) => {
                tracing::warn!(%pod, %error, "addresses were refused");
                if self.not_published(&pod, &error) {
                    self.tell_refused(&pod, error.to_string());
                }
                self.publishing.queue.failed(pod, now);
            }
        }
    }

    /// Keeps why a pod has no addresses; returns whether that is news.
    fn not_published(&mut self, pod: &ObjectName, error: &SendError) -> bool {
        let message =
            format!("addresses are granted and not published: {error}; it is tried again");
        let finding = Finding::new(Subject::Pod(pod.clone()), Reason::Waiting, message);
        let before = self.publishing.failed.insert(pod.clone(), finding.clone());
        let is_news = before.is_none_or(|it| it != finding);
        if is_news {
            // Who waits for the pod is to know why.
            self.brain.zone_mut().touch_pod(pod);
            self.answer_waiters();
        }
        is_news
    }

    fn tell_refused(&self, pod: &ObjectName, message: String) {
        let Some(object) = self.brain.zone().world().pods.get(pod) else { return };
        let (about, uid) = (Target::pod(pod), object.metadata.uid.clone());
        let (kind, reason) = (EventType::Warning, NOT_PUBLISHED.to_owned());
        self.publishing.tell(vec![Event { about, uid, kind, reason, message }]);
    }

    /// What stands in the way of publishing.
    pub(super) fn unpublished(&self) -> Findings {
        self.publishing.findings().cloned().collect()
    }
}
