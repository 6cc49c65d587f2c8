//! Follows objects of one kind at an API server.
//!
//! Lists, then watches from the version of the list; what is heard goes into one bounded channel.
//! Invariant: every change is heard at least once and in order; after a gap comes a whole list that
//! is not older than anything heard before it.

use std::time::Duration;

use http_body_util::BodyExt;
use kube::Client;
use kube::client::Body;
use kube::core::params::WatchParams;
use kube::core::{Request, Status};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::Instant;
use udn_cluster::reconciler::Change;
use udn_wire::Kind;

use crate::complaints::Complaints;
use crate::pages::{self, Collection, Listed, PageError, decode};

/// After this long a watch is asked for anew, in seconds; servers take less than 300.
const WATCH_SECONDS: u32 = 290;

/// How long the first wait after a failure is, and the longest.
const FIRST_WAIT: Duration = Duration::from_millis(50);
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// How long a kind that the server does not serve is left alone.
const ABSENT_WAIT: Duration = Duration::from_secs(60);

/// Everything is listed anew this often, so that even a server that forgot to tell something is
/// made up for.
const LIST_AGAIN: Duration = Duration::from_secs(3600);

/// The longest line of a watch; servers take no object of more than 3 MiB.
const LONGEST_LINE: usize = 16 << 20;

/// How many changes wait to be taken in before watchers have to wait.
const MOST_HEARD: usize = 1024;

/// A change, and when the server's words had come.
#[derive(Debug)]
pub(crate) struct Heard {
    pub(crate) change: Change,
    pub(crate) at: Instant,
}

/// A watcher for each collection, and where they are heard; they end when the set is dropped.
pub(crate) fn watch_all(
    client: &Client,
    collections: &[Collection],
    fence: u64,
) -> (JoinSet<()>, mpsc::Receiver<Heard>) {
    let (tell, heard) = mpsc::channel(MOST_HEARD);
    let (mut watchers, complaints) = (JoinSet::new(), Complaints::default());
    for collection in collections {
        let (collection, complaints) = (collection.clone(), complaints.clone());
        let watcher = Watcher::new(client.clone(), collection, fence, tell.clone(), complaints);
        watchers.spawn(watcher.follow());
    }
    (watchers, heard)
}

/// One line of a watch.
#[derive(Deserialize)]
struct Line<'a> {
    r#type: &'a str,
    #[serde(borrow)]
    object: &'a RawValue,
}

/// Why a watch ended.
#[derive(Debug, thiserror::Error)]
enum WatchError {
    #[error("the version is too old")]
    Gone,
    #[error("the server does not serve {kind}")]
    Absent { kind: Kind },
    #[error("the answer cannot be read")]
    Unreadable { source: serde_json::Error },
    #[error("a line of the watch is too long")]
    Long,
    #[error(transparent)]
    Server(#[from] Box<kube::Error>),
    #[error("the controller is closed")]
    Closed,
}

/// Follows one collection for ever.
struct Watcher {
    client: Client,
    collection: Collection,
    /// Lists that are older are asked for again.
    fence: u64,
    /// Up to where everything was heard; `None` before the first list and after a gap.
    reached: Option<u64>,
    listed: Instant,
    /// The kind was listed at least once.
    was_served: bool,
    heard: mpsc::Sender<Heard>,
    complaints: Complaints,
}

impl Watcher {
    fn new(
        client: Client,
        collection: Collection,
        fence: u64,
        heard: mpsc::Sender<Heard>,
        complaints: Complaints,
    ) -> Self {
        let (reached, listed, was_served) = (None, Instant::now(), false);
        Self { client, collection, fence, reached, listed, was_served, heard, complaints }
    }

    /// Ends when nobody listens any more.
    async fn follow(mut self) {
        let mut wait = FIRST_WAIT;
        loop {
            if self.listed.elapsed() > LIST_AGAIN {
                self.reached = None;
            }
            let before = self.reached;
            let outcome = match before {
                None => self.list().await,
                Some(from) => self.watch_for_a_while(from).await,
            };
            match outcome {
                Ok(()) => {}
                Err(WatchError::Closed) => return,
                Err(WatchError::Gone) => self.reached = None,
                Err(WatchError::Absent { kind }) if kind.is_optional() => {
                    tracing::debug!(kind = kind.as_str(), "the server does not serve it");
                    if self.live_without().await.is_err() {
                        return;
                    }
                    continue;
                }
                Err(error) => {
                    self.complain(&chain(&error));
                }
            }
            if self.reached.is_some() && self.reached > before {
                self.complaints.is_over(self.collection.kind);
                wait = FIRST_WAIT;
                continue;
            }
            // waits: until the server is better; a watch that failed goes on where it was
            tokio::time::sleep(wait).await;
            wait = (wait * 2).min(LONGEST_WAIT);
        }
    }

    fn complain(&self, error: &str) {
        let kind = self.collection.kind.as_str();
        match self.complaints.is_news(self.collection.kind, error) {
            true => tracing::warn!(kind, error, "could not follow; trying again"),
            false => tracing::debug!(kind, error, "could not follow, as before; trying again"),
        }
    }

    /// A kind that was never served has no objects; it may be served later.
    ///
    /// Of one that is no longer served every object went by an event of its own; what no event told
    /// of stays, so that nobody loses addresses to a server that is wrong for a moment.
    async fn live_without(&mut self) -> Result<(), WatchError> {
        self.reached = None;
        if !self.was_served {
            let (kind, version) = (self.collection.kind, self.fence);
            let change = Change::Listed { kind, objects: Vec::new(), version };
            self.tell(change, Instant::now()).await?;
        }
        // waits: a server tells nobody when it begins to serve a kind
        tokio::time::sleep(ABSENT_WAIT).await;
        Ok(())
    }

    /// Lists everything, page by page.
    async fn list(&mut self) -> Result<(), WatchError> {
        let Listed { objects, version } = match pages::list(&self.client, &self.collection).await {
            Ok(listed) => listed,
            Err(error) => return Err(self.unlisted(error)),
        };
        if version < self.fence {
            let (kind, fence) = (self.collection.kind.as_str(), self.fence);
            tracing::debug!(kind, version, fence, "the list is older than what was heard before");
            return Err(WatchError::Gone);
        }
        (self.fence, self.reached, self.listed) = (version, Some(version), Instant::now());
        self.was_served = true;
        self.tell(Change::Listed { kind: self.collection.kind, objects, version }, self.listed)
            .await
    }

    fn unlisted(&self, error: PageError) -> WatchError {
        let source = match error {
            PageError::Server { source } => source,
            PageError::Unreadable { source } => return WatchError::Unreadable { source },
        };
        match &*source {
            kube::Error::Api(status) if status.code == 410 => WatchError::Gone,
            kube::Error::Api(status) if status.code == 404 => {
                WatchError::Absent { kind: self.collection.kind }
            }
            _ => WatchError::Server(source),
        }
    }

    /// Watches, but not longer than a live connection could last.
    async fn watch_for_a_while(&mut self, from: u64) -> Result<(), WatchError> {
        let longest = Duration::from_secs(u64::from(WATCH_SECONDS) + 10);
        tokio::time::timeout(longest, self.watch(from)).await.unwrap_or(Ok(()))
    }

    /// Watches from a version until the server ends the watch.
    async fn watch(&mut self, from: u64) -> Result<(), WatchError> {
        let mut body = self.open(from).await?;
        let mut rest = Vec::new();
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|error| WatchError::Server(Box::new(error)))?;
            let Ok(bytes) = frame.into_data() else { continue };
            let at = Instant::now();
            rest.extend_from_slice(&bytes);
            let Some(end) = rest.iter().rposition(|byte| *byte == b'\n') else {
                if rest.len() > LONGEST_LINE {
                    return Err(WatchError::Long);
                }
                continue;
            };
            let whole: Vec<u8> = rest.drain(..=end).collect();
            for line in whole.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
                if let Some(version) = self.hear(line, at).await? {
                    self.reached = Some(version);
                    self.fence = self.fence.max(version);
                }
            }
        }
        Ok(())
    }

    async fn open(&self, from: u64) -> Result<Body, WatchError> {
        let field_selector = self.collection.field_selector();
        let params = WatchParams { timeout: Some(WATCH_SECONDS), field_selector, ..<_>::default() };
        let request = Request::new(self.collection.path()).watch(&params, &from.to_string());
        let request = request.expect("the parameters of a watch go together");
        let failed = |error| WatchError::Server(Box::new(error));
        let response = self.client.send(request.map(Body::from)).await.map_err(failed)?;
        match response.status() {
            code if code.is_success() => Ok(response.into_body()),
            code if code.as_u16() == 410 => Err(WatchError::Gone),
            code if code.as_u16() == 404 => Err(WatchError::Absent { kind: self.collection.kind }),
            code => {
                let status = Status { code: code.as_u16(), ..<_>::default() };
                Err(failed(kube::Error::Api(Box::new(status))))
            }
        }
    }

    /// Takes in one line; returns the version that it tells.
    async fn hear(&self, line: &[u8], at: Instant) -> Result<Option<u64>, WatchError> {
        let unreadable = |source| WatchError::Unreadable { source };
        let Line { r#type, object } = serde_json::from_slice(line).map_err(unreadable)?;
        if r#type == "ERROR" {
            let status: Status = serde_json::from_str(object.get()).map_err(unreadable)?;
            if status.code == 410 {
                return Err(WatchError::Gone);
            }
            return Err(WatchError::Server(Box::new(kube::Error::Api(Box::new(status)))));
        }
        let Some(object) = decode(self.collection.kind, object) else { return Ok(None) };
        let version = object.metadata().version();
        match r#type {
            "ADDED" | "MODIFIED" => self.tell(Change::Put(Box::new(object)), at).await?,
            "DELETED" => {
                self.tell(Change::Removed { target: object.target(), version }, at).await?;
            }
            // A bookmark tells its version and nothing else.
            _ => {}
        }
        Ok(Some(version))
    }

    async fn tell(&self, change: Change, at: Instant) -> Result<(), WatchError> {
        self.heard.send(Heard { change, at }).await.map_err(|_| WatchError::Closed)
    }
}

/// An error with what caused it.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}
