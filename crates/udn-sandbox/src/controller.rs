//! The cluster controller, as `udn controller` runs it, in this process.
//!
//! Reads the API; returns what is there once the controller has nothing left to do.
//! Invariant: a listing is returned only if the controller has taken in every object of it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use kube::Client;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use udn_control::cluster::{Activity, ControllerSettings, Signals, run};
use udn_control::metrics::Metrics;
use udn_control::zone::{ListError, Listing};
use udn_model::ClusterSettings;
use udn_wire::Kind;

use crate::server::{ApiServer, ServerError};

#[cfg(test)]
mod tests;

/// How long the controller may take to come to rest.
const LIMIT: Duration = Duration::from_secs(60);

/// Why the controller is not done.
#[derive(Debug, thiserror::Error)]
pub enum SettleError {
    #[error("could not read what the cluster controller wrote")]
    List {
        #[from]
        source: ListError,
    },
    #[error("the API server is not done")]
    Server {
        #[from]
        source: ServerError,
    },
    #[error("the cluster controller ended")]
    Ended,
    #[error("the cluster controller is not done after {LIMIT:?}: {lag}")]
    TimedOut { lag: Lag },
}

/// What the controller has not done yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lag {
    /// Objects of a kind were not taken in.
    Behind { kind: Kind, seen: u64, newest: u64 },
    /// Something is queued, delayed or under way.
    Busy,
}

/// The versions that the controller must have taken in, by kind.
type Versions = BTreeMap<Kind, u64>;

/// A running controller.
#[derive(Debug)]
pub(crate) struct Controller {
    task: JoinHandle<()>,
    activity: watch::Receiver<Activity>,
    /// What the controller had seen when it was settled the last time.
    seen: Versions,
    /// Dropped with the controller: then nobody is left who could ask it to stop later.
    _stop: watch::Sender<bool>,
}

impl Controller {
    pub(crate) fn start(client: Client, cluster: ClusterSettings) -> Self {
        let (stop, stopped) = watch::channel(false);
        let (tell, activity) = watch::channel(Activity::default());
        let (settings, metrics) = (ControllerSettings::new(cluster), Arc::new(Metrics::default()));
        let signals = Signals { ready: watch::Sender::default(), activity: tell, stop: stopped };
        let task = tokio::spawn(run(client, settings, metrics, signals));
        Self { task, activity, seen: Versions::new(), _stop: stop }
    }

    /// Waits until the controller has taken in everything, also what is `gone`, and is idle;
    /// returns what is there then.
    pub(crate) async fn settled(
        &mut self,
        server: &ApiServer,
        gone: &Versions,
    ) -> Result<Listing, SettleError> {
        let mut wanted = gone.clone();
        let settled = timeout(LIMIT, self.follow(server, &mut wanted)).await;
        settled.unwrap_or_else(|_| {
            let lag = lag(&self.activity.borrow(), &wanted).unwrap_or(Lag::Busy);
            Err(SettleError::TimedOut { lag })
        })
    }

    /// Waits until the controller sees something that it had not when it was settled; for ever, if
    /// it ended.
    pub(crate) async fn changed(&mut self) {
        let changed = self.activity.wait_for(|it| it.seen != self.seen).await;
        match changed.map(|it| it.seen.clone()) {
            Ok(seen) => self.seen = seen,
            Err(_) => std::future::pending().await,
        }
    }

    /// The controller's own writes make new versions, so that a listing counts only if the next one
    /// is the same.
    async fn follow(
        &mut self,
        server: &ApiServer,
        wanted: &mut Versions,
    ) -> Result<Listing, SettleError> {
        let client = server.client();
        let mut before = Listing::read(&client, &Kind::ALL).await?;
        loop {
            for (kind, newest) in before.newest() {
                let wanted = wanted.entry(kind).or_default();
                *wanted = newest.max(*wanted);
            }
            let done = self.activity.wait_for(|it| lag(it, wanted).is_none()).await;
            let seen = done.map_err(|_| SettleError::Ended)?.seen.clone();
            server.settled().await?;
            let now = Listing::read(&client, &Kind::ALL).await?;
            if now.versions == before.versions {
                self.seen = seen;
                return Ok(now);
            }
            before = now;
        }
    }
}

impl Drop for Controller {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// What is missing until the controller is done; kinds that it does not watch are left out.
fn lag(activity: &Activity, wanted: &Versions) -> Option<Lag> {
    let behind = activity.seen.iter().find_map(|(kind, seen)| {
        let newest = wanted.get(kind).filter(|newest| *newest > seen)?;
        Some(Lag::Behind { kind: *kind, seen: *seen, newest: *newest })
    });
    behind.or((!activity.is_idle).then_some(Lag::Busy))
}

impl fmt::Display for Lag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Behind { kind, seen, newest } => {
                write!(f, "it saw {kind}s up to version {seen}, and the newest is {newest}")
            }
            Self::Busy => f.write_str("its queue is not empty"),
        }
    }
}
