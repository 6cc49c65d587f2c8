//! The task behind a client: connects, converses, and comes back when the connection is lost.
//!
//! Invariant: the session learns of every connection's end before the next one begins.

use std::collections::BTreeMap;
use std::error::Error;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use ovsdb::session::{Leave, Session, SessionError};
use rustls::ClientConfig;
use tokio::sync::watch;
use tokio::time::{Instant, Sleep, sleep, sleep_until, timeout};
use tracing::{debug, info, warn};

use super::shared::Shared;
use super::{ClientSettings, Remote, State};
use crate::backoff::Backoff;
use crate::connection::{Connection, Progress};
use crate::stream::{OpenError, Stream};

/// Far enough away to never happen, near enough to be counted.
const NEVER: Duration = Duration::from_secs(365 * 24 * 3600);

/// Owns the connection.
pub(super) struct Driver {
    settings: ClientSettings,
    tls: Option<Arc<ClientConfig>>,
    shared: Arc<Shared>,
    stopped: watch::Receiver<bool>,
    /// The session counts time from here.
    started: Instant,
    backoff: Backoff,
    next_remote: usize,
    /// Servers in a row that would not do; after a whole round of them it is time to wait.
    unfit: usize,
    /// What was last wrong with each server; it is said once until it changes.
    problems: BTreeMap<String, String>,
}

/// Why a connection is over.
#[derive(Debug, thiserror::Error)]
enum Ended {
    #[error("this server will not do: {0:?}")]
    Left(Leave),
    #[error("no connection within {0:?}")]
    TimedOut(Duration),
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error("the connection broke")]
    Broken(#[source] io::Error),
    #[error("the server closed the connection")]
    Closed,
    #[error("the conversation failed")]
    Session(#[source] SessionError),
}

impl Driver {
    pub(super) fn new(
        settings: ClientSettings,
        tls: Option<Arc<ClientConfig>>,
        shared: Arc<Shared>,
        stopped: watch::Receiver<bool>,
    ) -> Self {
        // Clients begin at different servers, so that the first of the list is not everyone's.
        let next_remote = settings.backoff.seed as usize % settings.remotes.len();
        let backoff = Backoff::new(settings.backoff);
        let started = Instant::now();
        let (unfit, problems) = (0, BTreeMap::new());
        Self { settings, tls, shared, stopped, started, backoff, next_remote, unfit, problems }
    }

    pub(super) async fn run(mut self) {
        let mut stopped = self.stopped.clone();
        tokio::select! {
            () = self.keep_connected() => {}
            // An error says that the last handle is gone, which means the same.
            _ = stopped.wait_for(|stop| *stop) => {}
        }
        self.hang_up();
        self.shared.update_status(|status| status.state = State::Closed);
        info!("client closed");
    }

    async fn keep_connected(&mut self) {
        loop {
            let remote = self.settings.remotes[self.next_remote].clone();
            self.next_remote = (self.next_remote + 1) % self.settings.remotes.len();
            let ended = self.attend(&remote).await;
            self.hang_up();
            let problem = describe(&ended);
            let delay = self.delay_after(&ended);
            self.complain(&remote, &problem, delay);
            self.shared.update_status(|status| {
                status.state = State::Disconnected;
                status.problem = Some(problem.into());
            });
            sleep(delay).await;
        }
    }

    fn complain(&mut self, remote: &Remote, problem: &str, delay: Duration) {
        let before = self.problems.insert(remote.to_string(), problem.to_owned());
        match before.as_deref() == Some(problem) {
            false => warn!(%remote, problem, ?delay, "disconnected, trying again"),
            true => debug!(%remote, problem, ?delay, "disconnected as before, trying again"),
        }
    }

    /// One connection, from the attempt to its end.
    async fn attend(&mut self, remote: &Remote) -> Ended {
        debug!(%remote, "connecting");
        self.shared.update_status(|status| status.attempts += 1);
        self.shared.set_state(State::Disconnected, remote);
        let limit = self.settings.connect_timeout;
        let stream = match timeout(limit, Stream::open(remote, self.tls.as_ref())).await {
            Ok(Ok(stream)) => stream,
            Ok(Err(error)) => return error.into(),
            Err(_) => return Ended::TimedOut(limit),
        };
        self.shared.set_state(State::Connected, remote);
        let mut connection = Connection::new(stream);
        let now = self.now();
        let outcome = self.drive(&mut connection, |session| {
            session.connected(now);
            Ok(())
        });
        match outcome {
            Ok(()) => self.converse(&mut connection).await,
            Err(ended) => ended,
        }
    }

    async fn converse(&mut self, connection: &mut Connection<Stream>) -> Ended {
        let alarm = sleep_until(self.next_alarm());
        tokio::pin!(alarm);
        loop {
            let shared = Arc::clone(&self.shared);
            let outcome = tokio::select! {
                progress = connection.exchange() => self.on_progress(connection, progress),
                () = shared.wait_for_output(), if connection.is_idle() => {
                    self.drive(connection, |_| Ok(()))
                }
                () = alarm.as_mut() => self.on_alarm(connection, alarm.as_mut()),
            };
            if let Err(ended) = outcome {
                return ended;
            }
        }
    }

    fn on_progress(
        &mut self,
        connection: &mut Connection<Stream>,
        progress: io::Result<Progress>,
    ) -> Result<(), Ended> {
        match progress.map_err(Ended::Broken)? {
            Progress::Closed => Err(Ended::Closed),
            Progress::Sent => self.drive(connection, |_| Ok(())),
            Progress::Received(length) => {
                let now = self.now();
                let spent = connection.take_spent();
                let bytes = connection.inbox(length);
                let driven = self.shared.drive(spent, |session| session.receive(bytes, now));
                self.conclude(connection, driven)
            }
        }
    }

    /// The alarm is set anew only here: what is heard meanwhile can only put it off.
    fn on_alarm(
        &mut self,
        connection: &mut Connection<Stream>,
        alarm: std::pin::Pin<&mut Sleep>,
    ) -> Result<(), Ended> {
        let now = self.now();
        let outcome = self.drive(connection, |session| session.wake(now));
        alarm.reset(self.next_alarm());
        outcome
    }

    fn drive(
        &mut self,
        connection: &mut Connection<Stream>,
        step: impl FnOnce(&mut Session) -> Result<(), SessionError>,
    ) -> Result<(), Ended> {
        let driven = self.shared.drive(connection.take_spent(), step);
        self.conclude(connection, driven)
    }

    fn conclude(
        &mut self,
        connection: &mut Connection<Stream>,
        driven: (Result<(), SessionError>, Option<Vec<u8>>, Option<Leave>),
    ) -> Result<(), Ended> {
        let (outcome, output, leave) = driven;
        outcome.map_err(Ended::Session)?;
        if let Some(reason) = leave {
            return Err(Ended::Left(reason));
        }
        if let Some(output) = output {
            connection.send(output);
        }
        Ok(())
    }

    fn hang_up(&mut self) {
        let (_, _, _) = self.shared.drive(None, |session| {
            session.disconnected();
            Ok::<(), SessionError>(())
        });
    }

    /// A server that will not do says nothing about the next one; anything else means waiting.
    fn delay_after(&mut self, ended: &Ended) -> Duration {
        if self.shared.take_was_synced() {
            self.backoff.reset();
            self.problems.clear();
            self.unfit = 0;
        }
        if matches!(ended, Ended::Left(_)) {
            self.unfit += 1;
            if self.unfit < self.settings.remotes.len() {
                return Duration::ZERO;
            }
            self.unfit = 0;
        }
        self.backoff.next_delay()
    }

    fn now(&self) -> Duration {
        self.started.elapsed()
    }

    fn next_alarm(&self) -> Instant {
        self.started + self.shared.next_wake().unwrap_or_else(|| self.now() + NEVER)
    }
}

/// An error and its causes, in one line.
fn describe(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}
