//! Listens to the heartbeats of node agents.
//!
//! Lists and watches their leases; what changes goes into a channel, renewals alone do not.
//! Invariant: before an agent is said not to respond, the server was asked for its lease once more.

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::{StreamExt, pin_mut};
use k8s_openapi::api::coordination::v1::Lease;
use kube::api::{Api, ListParams, WatchEvent, WatchParams};
use kube::{Client, Error};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until, timeout};
use udn_cluster::AgentNews;
use udn_model::NodeName;

use crate::heartbeat::{LABEL, node_of};
use judge::{Judge, Moment, Record};

mod judge;

/// After this long a watch is asked for anew, in seconds; servers take less than 300.
const WATCH_SECONDS: u32 = 290;

/// How long a list may take.
const LONGEST_LIST: Duration = Duration::from_secs(10);

/// How long the first wait after a failure is, and the longest.
const FIRST_WAIT: Duration = Duration::from_millis(100);
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// How many leases come in one answer.
const PAGE: u32 = 500;

/// How many changes wait to be taken in before the listener has to wait.
const MOST_HEARD: usize = 64;

/// A listener, and where it is heard; it ends when the set is dropped.
pub(super) fn listen(client: &Client, namespace: &str) -> (JoinSet<()>, mpsc::Receiver<AgentNews>) {
    let (tell, heard) = mpsc::channel(MOST_HEARD);
    let leases = Api::namespaced(client.clone(), namespace);
    let (start, judge, complaint) = (Instant::now(), Judge::default(), None);
    let listener = Listener { leases, judge, start, newest: 0, tell, complaint };
    let mut listeners = JoinSet::new();
    listeners.spawn(listener.follow());
    (listeners, heard)
}

/// Why the leases cannot be followed.
#[derive(Debug, thiserror::Error)]
enum ListenError {
    #[error("the server gives no leases")]
    Server(#[from] Error),
    #[error("the server does not answer")]
    Silent,
    #[error("the list is older than what was heard before")]
    Stale,
    #[error("the controller is closed")]
    Closed,
}

struct Listener {
    leases: Api<Lease>,
    judge: Judge,
    start: Instant,
    /// The newest version that was heard of.
    newest: u64,
    tell: mpsc::Sender<AgentNews>,
    /// Why the last try failed, so that it is told once.
    complaint: Option<String>,
}

impl Listener {
    /// Ends when nobody listens any more.
    async fn follow(mut self) {
        let mut wait = FIRST_WAIT;
        loop {
            let begun = Instant::now();
            match self.list_and_watch().await {
                Ok(()) => {}
                Err(ListenError::Closed) => return,
                Err(error) => self.complain(&error),
            }
            wait = if begun.elapsed() > LONGEST_WAIT { FIRST_WAIT } else { wait * 2 };
            wait = wait.min(LONGEST_WAIT);
            // waits: so that a server which ends every watch at once is not asked all the time
            sleep(wait).await;
        }
    }

    /// Lists everything and judges, then watches for a while, or until somebody may be overdue.
    async fn list_and_watch(&mut self) -> Result<(), ListenError> {
        let version = match self.list().await {
            Ok(version) => version,
            Err(error) => {
                self.judge.cannot_hear();
                return Err(error);
            }
        };
        let watched = self.watch(&version).await;
        // What a watch that broke did not tell, the next list does.
        if watched.is_ok() && self.complaint.take().is_some() {
            tracing::info!("hears of the nodes' agents again");
        }
        watched
    }

    /// Returns the version of the list.
    async fn list(&mut self) -> Result<String, ListenError> {
        let listed = timeout(LONGEST_LIST, self.all()).await.map_err(|_| ListenError::Silent)?;
        let (leases, version) = listed?;
        // One that shows a moment of the past would let leases go that were taken since.
        if !self.is_up_to_date(&version) {
            return Err(ListenError::Stale);
        }
        let now = self.now();
        let mut news = self.judge.listed(leases, now);
        news.append(&mut self.judge.judge(now));
        self.tell(news).await?;
        Ok(version)
    }

    async fn all(&self) -> Result<(BTreeMap<NodeName, Record>, String), Error> {
        let (mut leases, mut token) = (BTreeMap::new(), None);
        loop {
            let mut params = ListParams::default().labels(LABEL).limit(PAGE);
            params.continue_token = token;
            let page = self.leases.list(&params).await?;
            leases.extend(page.items.iter().filter_map(read));
            token = page.metadata.continue_.filter(|it| !it.is_empty());
            if token.is_none() {
                return Ok((leases, page.metadata.resource_version.unwrap_or_default()));
            }
        }
    }

    /// Watches until the server ends it, or it is time for a list.
    async fn watch(&mut self, version: &str) -> Result<(), ListenError> {
        let until = Instant::now() + Duration::from_secs(u64::from(WATCH_SECONDS) + 10);
        let params = WatchParams::default().labels(LABEL).timeout(WATCH_SECONDS);
        let opened = timeout(LONGEST_LIST, self.leases.watch(&params, version)).await;
        let events = opened.map_err(|_| ListenError::Silent)??;
        pin_mut!(events);
        loop {
            let alarm = self.judge.alarm().map_or(until, |it| until.min(self.start + it));
            tokio::select! {
                biased;
                event = events.next() => match event {
                    None => return Ok(()),
                    Some(event) => match self.hear(event?).await? {
                        Heard::Change => {}
                        Heard::Gap => return Ok(()),
                    },
                },
                // waits: for the next moment at which an agent may be overdue
                () = sleep_until(alarm) => {
                    let now = self.now();
                    if Instant::now() >= until || self.judge.is_anybody_overdue(now) {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Takes down a version; tells whether there was none newer before.
    fn is_up_to_date(&mut self, version: &str) -> bool {
        let version = version.parse().unwrap_or(self.newest);
        let is_new = version >= self.newest;
        self.newest = self.newest.max(version);
        is_new
    }

    async fn hear(&mut self, event: WatchEvent<Lease>) -> Result<Heard, ListenError> {
        let now = self.now();
        let news = match event {
            WatchEvent::Added(lease) | WatchEvent::Modified(lease) => {
                self.is_up_to_date(lease.metadata.resource_version.as_deref().unwrap_or_default());
                read(&lease).and_then(|(node, record)| self.judge.saw(&node, record, now))
            }
            WatchEvent::Deleted(lease) => {
                self.is_up_to_date(lease.metadata.resource_version.as_deref().unwrap_or_default());
                read(&lease).and_then(|(node, _)| self.judge.gone(&node))
            }
            WatchEvent::Bookmark(_) => None,
            WatchEvent::Error(status) if status.code == 410 => return Ok(Heard::Gap),
            WatchEvent::Error(status) => return Err(Error::Api(status).into()),
        };
        self.tell(news.into_iter().collect()).await?;
        Ok(Heard::Change)
    }

    async fn tell(&self, news: AgentNews) -> Result<(), ListenError> {
        if news.is_empty() {
            return Ok(());
        }
        for (node, state) in &news {
            tracing::info!(%node, ?state, "an agent changed its state");
        }
        self.tell.send(news).await.map_err(|_| ListenError::Closed)
    }

    fn now(&self) -> Moment {
        self.start.elapsed()
    }

    fn complain(&mut self, error: &ListenError) {
        let cause = std::error::Error::source(error).map(ToString::to_string);
        let said = cause.unwrap_or_else(|| error.to_string());
        if self.complaint.as_ref() == Some(&said) {
            return;
        }
        match error {
            // Only here somebody can tell that leases, and nothing else, are refused.
            ListenError::Server(Error::Api(_)) | ListenError::Stale => {
                tracing::warn!(said, "cannot hear of the nodes' agents; trying again");
            }
            // A server that is away is warned of by who watches networks.
            ListenError::Server(_) | ListenError::Silent | ListenError::Closed => {
                tracing::debug!(said, "cannot hear of the nodes' agents; trying again");
            }
        }
        self.complaint = Some(said);
    }
}

/// What a line of a watch means.
enum Heard {
    Change,
    /// Something may have been left out, so that a list is needed.
    Gap,
}

/// Whose lease it is, and what it says; nothing if it is not an agent's.
fn read(lease: &Lease) -> Option<(NodeName, Record)> {
    let node = lease.metadata.name.as_deref().and_then(node_of)?;
    let spec = lease.spec.clone().unwrap_or_default();
    let seconds = spec.lease_duration_seconds.and_then(|it| u64::try_from(it).ok());
    let record = Record {
        holder: spec.holder_identity.unwrap_or_default(),
        renewed: spec.renew_time.map(|it| it.0.as_microsecond()),
        duration: seconds.map(Duration::from_secs),
    };
    Some((node, record))
}
