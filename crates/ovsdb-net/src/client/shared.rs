//! What handles and the task share: the session, and who waits for what.
//!
//! Invariant: events are handed on under the same lock that made them, so whoever hears of a
//! change or an outcome finds its effects in the replica.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use ovsdb::session::{Event, Leave, Outcome, Session, SyncKind, TransactError, TransactionId};
use ovsdb::{Cache, Operation};
use tokio::sync::{Notify, broadcast, oneshot, watch};
use tracing::{info, warn};

use super::changes::Changes;
use super::status::{State, Status};
use super::{ClientSettings, Remote};

/// The session and its surroundings.
#[derive(Debug)]
pub(super) struct Shared {
    room: RwLock<Room>,
    /// Tells the task that there is something to write.
    output: Notify,
    status: watch::Sender<Status>,
    changes: broadcast::Sender<Arc<Vec<ovsdb::cache::Change>>>,
}

#[derive(Debug)]
struct Room {
    session: Session,
    waiting: BTreeMap<TransactionId, oneshot::Sender<Outcome>>,
    /// Whether the current connection, or the last one, has been of use.
    was_synced: bool,
}

impl Shared {
    pub(super) fn new(settings: &ClientSettings) -> Self {
        let session = Session::new(settings.session.clone());
        Self {
            room: RwLock::new(Room { session, waiting: BTreeMap::new(), was_synced: false }),
            output: Notify::new(),
            status: watch::Sender::new(Status::default()),
            changes: broadcast::Sender::new(settings.changes.max(1)),
        }
    }

    pub(super) fn submit(
        &self,
        operations: &[Operation],
    ) -> Result<oneshot::Receiver<Outcome>, TransactError> {
        let (sender, receiver) = oneshot::channel();
        let mut room = self.write();
        let id = room.session.transact(operations)?;
        room.waiting.insert(id, sender);
        drop(room);
        self.output.notify_one();
        Ok(receiver)
    }

    pub(super) fn with_cache<R>(&self, read: impl FnOnce(&Cache) -> R) -> R {
        read(self.read().session.cache())
    }

    /// Changes the session from a handle.
    pub(super) fn with_session(&self, change: impl FnOnce(&mut Session)) {
        let mut room = self.write();
        change(&mut room.session);
        self.hand_on(&mut room);
        drop(room);
        self.output.notify_one();
    }

    /// Drives the session from the task: hands on its events, returns what it wants written if
    /// that can be written now, which is so if what was written before is given back.
    pub(super) fn drive<E>(
        &self,
        spent: Option<Vec<u8>>,
        step: impl FnOnce(&mut Session) -> Result<(), E>,
    ) -> (Result<(), E>, Option<Vec<u8>>, Option<Leave>) {
        let mut room = self.write();
        let outcome = step(&mut room.session);
        let leave = self.hand_on(&mut room);
        let output = spent.map(|spent| room.session.exchange_output(spent));
        (outcome, output, leave)
    }

    pub(super) async fn wait_for_output(&self) {
        self.output.notified().await;
    }

    pub(super) fn next_wake(&self) -> Option<std::time::Duration> {
        self.read().session.next_wake()
    }

    /// Whether the last connection was of use; asked once after each.
    pub(super) fn take_was_synced(&self) -> bool {
        std::mem::take(&mut self.write().was_synced)
    }

    pub(super) fn subscribe(&self) -> Changes {
        Changes(self.changes.subscribe())
    }

    pub(super) fn status(&self) -> watch::Receiver<Status> {
        self.status.subscribe()
    }

    pub(super) fn update_status(&self, change: impl FnOnce(&mut Status)) {
        self.status.send_modify(change);
    }

    pub(super) fn set_state(&self, state: State, remote: &Remote) {
        self.status.send_modify(|status| {
            status.state = state;
            status.remote = Some(remote.clone());
        });
    }

    fn hand_on(&self, room: &mut Room) -> Option<Leave> {
        let mut leave = None;
        while let Some(event) = room.session.next_event() {
            match event {
                Event::Transacted { id, outcome } => {
                    if let Some(waiting) = room.waiting.remove(&id) {
                        // A caller that no longer waits does not want to know.
                        let _ = waiting.send(outcome);
                    }
                }
                Event::Changed(changes) => {
                    // An error only says that nobody has subscribed.
                    let _ = self.changes.send(Arc::new(changes));
                }
                Event::Leave(reason) => leave = Some(reason),
                Event::Synced(kind) => {
                    room.was_synced = true;
                    self.tell_synced(kind, room.session.is_leader());
                }
                Event::Unsynced => {
                    self.status.send_modify(|status| status.state = State::Connected);
                }
                Event::Schema { schema, missing } => {
                    info!(database = %schema.name, version = %schema.version, "schema read");
                    if !missing.is_empty() {
                        warn!(?missing, "the server's schema lacks what was wanted");
                    }
                    self.status.send_modify(|status| status.missing = missing);
                }
                Event::Lock { name, held } => self.tell_lock(name, held),
            }
        }
        leave
    }

    fn tell_synced(&self, kind: SyncKind, is_leader: bool) {
        info!(?kind, "synced");
        self.status.send_modify(|status| {
            status.state = State::Synced;
            status.is_leader = is_leader;
            status.problem = None;
            match kind {
                SyncKind::Resumed => status.resumed += 1,
                SyncKind::Replaced => status.replaced += 1,
            }
        });
    }

    fn tell_lock(&self, name: String, held: bool) {
        info!(name, held, "lock changed hands");
        self.status.send_modify(|status| {
            if held {
                status.locks.insert(name);
            } else {
                status.locks.remove(&name);
            }
        });
    }

    fn read(&self) -> RwLockReadGuard<'_, Room> {
        // A panic under the lock can only come from a reader's closure, which changes nothing.
        self.room.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Room> {
        self.room.write().unwrap_or_else(PoisonError::into_inner)
    }
}
