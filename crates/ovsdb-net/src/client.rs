//! A client that stays connected: it reconnects, resumes, follows the leader, and keeps a replica.
//!
//! One task owns the connection. The session itself stands behind a lock that handles share with
//! that task: a read is a closure under the read lock, so it sees one consistent state, copies
//! nothing and waits for no other task; a transaction is encoded by whoever submits it, so the
//! task only moves bytes. The price is that a long read delays the next update.
//! Invariant: every submitted transaction gets exactly one outcome, and is sent at most once.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use ovsdb::session::{Outcome, SessionSettings, TransactError};
use ovsdb::{Cache, Operation, Retry};
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;
use tracing::{Instrument, info_span};

use crate::backoff::BackoffSettings;
use crate::remote::Remote;
use crate::tls::{TlsError, TlsSettings};

mod changes;
mod driver;
mod shared;
mod status;

pub use changes::{Changes, ChangesError};
pub use status::{State, Status};

use driver::Driver;
use shared::Shared;

/// Everything a client needs to know.
#[derive(Debug, Clone)]
pub struct ClientSettings {
    /// Tried in turn.
    pub remotes: Vec<Remote>,
    pub tls: Option<TlsSettings>,
    pub session: SessionSettings,
    pub backoff: BackoffSettings,
    /// How long one attempt to connect may take.
    pub connect_timeout: Duration,
    /// How many sets of changes a subscriber may be behind before it is told to read anew.
    pub changes: usize,
}

impl ClientSettings {
    /// A database at any of these remotes, everything else as usual.
    pub fn new(remotes: Vec<Remote>, session: SessionSettings) -> Self {
        Self {
            backoff: BackoffSettings::new(&remotes),
            remotes,
            tls: None,
            session,
            connect_timeout: Duration::from_secs(10),
            changes: 1024,
        }
    }
}

/// The settings make no client.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    #[error("no remote to connect to")]
    NoRemote,
    #[error("TLS cannot be set up")]
    Tls(#[from] TlsError),
}

impl ClientError {
    /// What the caller should do next.
    pub fn retry(&self) -> Retry {
        match self {
            Self::NoRemote | Self::Tls(_) => Retry::Never,
        }
    }
}

/// The client was closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the client was closed")]
pub struct Closed;

/// A handle; clones share one connection, which ends with the last of them.
#[derive(Debug, Clone)]
pub struct Client {
    shared: Arc<Shared>,
    /// Tells the task to stop when the last handle drops it.
    stop: Arc<watch::Sender<bool>>,
}

impl Client {
    /// Begins to connect, in the background. Must be called inside a tokio runtime.
    pub fn connect(settings: ClientSettings) -> Result<Self, ClientError> {
        Self::start(settings).map(|(client, _)| client)
    }

    /// The same; the second value ends when the connection has been closed for good.
    pub fn start(settings: ClientSettings) -> Result<(Self, JoinHandle<()>), ClientError> {
        if settings.remotes.is_empty() {
            return Err(ClientError::NoRemote);
        }
        let tls = settings.tls.as_ref().map(TlsSettings::to_config).transpose()?;
        let shared = Arc::new(Shared::new(&settings));
        let (stop, stopped) = watch::channel(false);
        let span = info_span!("ovsdb", database = %settings.session.database);
        let driver = Driver::new(settings, tls, Arc::clone(&shared), stopped);
        let task = tokio::spawn(driver.run().instrument(span));
        Ok((Self { shared, stop: Arc::new(stop) }, task))
    }

    /// Runs a transaction; when it is committed, its effects are in the replica.
    pub async fn transact(&self, operations: &[Operation]) -> Result<Outcome, TransactError> {
        Ok(self.submit(operations)?.await)
    }

    /// Sends a transaction now and leaves waiting for its outcome to the caller, so that many can
    /// be under way at once. Refuses when too many are.
    pub fn submit(&self, operations: &[Operation]) -> Result<Pending, TransactError> {
        self.shared.submit(operations).map(Pending)
    }

    /// Reads the replica. The closure must be short: updates wait for it.
    pub fn with_cache<R>(&self, read: impl FnOnce(&Cache) -> R) -> R {
        self.shared.with_cache(read)
    }

    /// What changes from now on. Subscribe first, then read: nothing falls between.
    pub fn changes(&self) -> Changes {
        self.shared.subscribe()
    }

    /// The state of the connection, and how it got there.
    pub fn status(&self) -> watch::Receiver<Status> {
        self.shared.status()
    }

    /// Waits until the replica follows the server.
    pub async fn wait_synced(&self) -> Result<(), Closed> {
        let mut status = self.status();
        let settled = |status: &Status| matches!(status.state, State::Synced | State::Closed);
        match status.wait_for(settled).await {
            Ok(status) if status.state == State::Synced => Ok(()),
            Ok(_) | Err(_) => Err(Closed),
        }
    }

    /// Asks for a lock, now and after every reconnect; [`Status::locks`] tells when it is held.
    pub fn lock(&self, name: &str) {
        self.shared.with_session(|session| session.lock(name));
    }

    /// Takes a lock from whoever holds it.
    pub fn steal(&self, name: &str) {
        self.shared.with_session(|session| session.steal(name));
    }

    /// Gives a lock back.
    pub fn unlock(&self, name: &str) {
        self.shared.with_session(|session| session.unlock(name));
    }

    /// Ends the connection, whatever other handles there are.
    pub async fn close(self) {
        // The task may have ended already; then there is nobody to tell, and nothing to wait for.
        let _ = self.stop.send(true);
        let _ = self.status().wait_for(|status| status.state == State::Closed).await;
    }
}

/// A transaction under way.
#[derive(Debug)]
pub struct Pending(oneshot::Receiver<Outcome>);

impl Future for Pending {
    type Output = Outcome;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Outcome> {
        // The sender is only ever dropped unused if the whole runtime goes down.
        Pin::new(&mut self.0).poll(context).map(|outcome| outcome.unwrap_or(Outcome::Unknown))
    }
}
