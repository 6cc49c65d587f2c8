//! Records events at an API server, as client-go's recorder does.
//!
//! Reads [`Event`]s and the time of each; writes one object of the core group for each of them, and
//! counts a repetition on the object that told of it first.
//! Invariant: every object has `firstTimestamp`, `lastTimestamp` and `count`, by which tools sort,
//! beside `eventTime`; only the core group takes them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use jiff::Timestamp;
use kube::Client;
use kube::core::Request;
use kube::core::params::{Patch, PatchParams, PostParams};
use serde::Deserialize;
use serde_json::{Value, json};
use udn_cluster::Event;
use udn_model::NodeName;

use super::send::{LONGEST_REQUEST, SendError, bytes, judge};
use crate::metrics::Metrics;

#[cfg(test)]
mod tests;

/// How many events are remembered, so that a repetition finds its object.
// compat: client-go/tools/record/events_cache.go, maxLruCacheEntries
const MOST_RECORDED: usize = 4096;

/// Where events go.
pub(crate) struct Recorder {
    author: Author,
    client: Client,
    metrics: Arc<Metrics>,
    recorded: BTreeMap<Event, Record>,
}

/// Who tells.
#[derive(Debug, Clone)]
pub(crate) struct Author {
    pub(crate) component: &'static str,
    /// The node that it speaks for; none for whoever speaks for the cluster.
    pub(crate) node: Option<NodeName>,
}

/// What the server holds of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Record {
    name: String,
    first: Timestamp,
    count: u32,
}

impl Recorder {
    pub(crate) fn new(author: Author, client: Client, metrics: Arc<Metrics>) -> Self {
        Self { author, client, metrics, recorded: BTreeMap::new() }
    }

    /// Tells people; what cannot be told is only logged.
    pub(crate) async fn record(&mut self, event: Event, now: Timestamp) {
        match self.write(&event, now).await {
            Ok(record) => {
                if self.recorded.len() >= MOST_RECORDED {
                    self.recorded.clear();
                }
                self.recorded.insert(event, record);
            }
            Err(error @ SendError::NamespaceEnding { .. }) => {
                tracing::debug!(%error, reason = event.reason, "an event comes too late");
            }
            Err(error) => {
                tracing::warn!(%error, reason = event.reason, "could not send an event");
            }
        }
    }

    async fn write(&self, event: &Event, now: Timestamp) -> Result<Record, SendError> {
        let Some(before) = self.recorded.get(event) else {
            let first = Record { name: String::new(), first: now, count: 1 };
            return self.create(event, first, now).await;
        };
        let again = Record { count: before.count.saturating_add(1), ..before.clone() };
        let patch = json!({ "count": again.count, "lastTimestamp": seconds(now) });
        let params = PatchParams::default();
        let request =
            Request::new(collection(event)).patch(&again.name, &params, &Patch::Merge(&patch));
        match self.send(event, request).await {
            Ok(_) => Ok(again),
            // Servers keep events for an hour; what was told then is told anew with its count.
            Err(SendError::Overtaken { .. }) => self.create(event, again, now).await,
            Err(error) => Err(error),
        }
    }

    async fn create(
        &self,
        event: &Event,
        record: Record,
        now: Timestamp,
    ) -> Result<Record, SendError> {
        #[derive(Deserialize)]
        struct Created {
            metadata: CreatedMetadata,
        }
        #[derive(Deserialize)]
        struct CreatedMetadata {
            name: String,
        }
        let object = event_object(&self.author, (event, &record), now);
        let request =
            Request::new(collection(event)).create(&PostParams::default(), bytes(&object));
        let text = self.send(event, request).await?;
        let created: Created = serde_json::from_str(&text).map_err(|error| {
            let message = format!("the answer cannot be read: {error}");
            SendError::Unavailable { target: event.about.to_string(), message }
        })?;
        Ok(Record { name: created.metadata.name, ..record })
    }

    async fn send(&self, event: &Event, request: Built) -> Result<String, SendError> {
        let request = request.expect("the parameters of a write go together");
        let begun = Instant::now();
        let sent = tokio::time::timeout(LONGEST_REQUEST, self.client.request_text(request)).await;
        let (code, outcome) = judge(&event.about, sent);
        self.metrics.requested("event", code, begun.elapsed());
        outcome
    }
}

type Built = Result<hyper::Request<Vec<u8>>, kube::core::request::Error>;

fn collection(event: &Event) -> String {
    format!("/api/v1/namespaces/{}/events", namespace(event))
}

/// An event lives where its object does; one about an object of the cluster in `default`.
fn namespace(event: &Event) -> &str {
    match event.about.namespace.as_str() {
        "" => "default",
        namespace => namespace,
    }
}

// compat: client-go/tools/record/event.go, makeEvent
fn event_object(author: &Author, (event, record): (&Event, &Record), now: Timestamp) -> Value {
    let Author { component, node } = author;
    let mut source = json!({ "component": component });
    if let Some(node) = node {
        source["host"] = node.as_str().into();
    }
    let instance = node.as_ref().map_or(*component, NodeName::as_str);
    let Event { about, uid, kind, reason, message } = event;
    json!({
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": { "generateName": format!("{}-", about.name), "namespace": namespace(event) },
        "involvedObject": {
            "apiVersion": about.kind.api_version(), "kind": about.kind.as_str(),
            "namespace": about.namespace, "name": about.name, "uid": uid,
        },
        "reason": reason,
        "message": shortened(message),
        "type": kind.as_str(),
        "action": "Reconcile",
        "source": source,
        "reportingComponent": component,
        "reportingInstance": instance,
        "eventTime": format!("{now:.6}"),
        "firstTimestamp": seconds(record.first),
        "lastTimestamp": seconds(now),
        "count": record.count,
    })
}

fn seconds(time: Timestamp) -> String {
    format!("{time:.0}")
}

/// A message has at most 1024 bytes.
fn shortened(message: &str) -> String {
    const MOST: usize = 1024;
    if message.len() <= MOST {
        return message.to_owned();
    }
    let end = (0..=MOST - 3).rev().find(|it| message.is_char_boundary(*it)).unwrap_or(0);
    format!("{}…", &message[..end])
}
