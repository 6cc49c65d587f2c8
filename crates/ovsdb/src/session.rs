//! A client's conversation with one OVSDB server about one database, without the socket.
//!
//! Bytes and the time go in; bytes, events and an up-to-date [`Cache`] come out. Whoever owns the
//! socket calls [`Session::connected`], feeds [`Session::receive`], writes what
//! [`Session::take_output`] returns, acts on [`Session::next_event`], and calls
//! [`Session::disconnected`] when the connection ends; the cache outlives it.
//! Invariant: no server can make a session panic, or hold more than its limits.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use crate::cache::Cache;
use crate::frame::Framer;
use crate::op::Operation;
use crate::rpc::{self, Message};
use crate::schema::DatabaseSchema;

mod error;
mod event;
mod handshake;
mod incoming;
mod lock;
mod monitor;
mod patience;
mod probe;
mod replica;
mod server_state;
mod settings;
#[cfg(test)]
mod tests;
mod transaction;

pub use error::{SessionError, TransactError};
pub use event::{Event, Leave, SyncKind};
pub use settings::{Missing, SessionLimits, SessionSettings, Wanted, WantedTable};
pub use transaction::{Outcome, Place, TransactionId};

use lock::Locks;
use monitor::Method;
use patience::Patience;
use probe::{Due, Probe};
use replica::Replica;
use server_state::ServerState;
use transaction::{Queue, Sent};

/// Room for output that is kept once the output has been taken; what is usual needs less.
const KEPT_CAPACITY: usize = 64 * 1024;

/// One client's side of the protocol.
#[derive(Debug)]
pub struct Session {
    settings: SessionSettings,
    framer: Framer,
    output: Vec<u8>,
    /// How much of the output answers the server's own requests.
    answers: usize,
    events: VecDeque<Event>,
    next_id: u64,
    /// What each unanswered request was for.
    asked: BTreeMap<u64, Asked>,
    phase: Phase,
    server: ServerState,
    replica: Replica,
    queue: Queue,
    /// Outcomes whose effects are not in the replica yet.
    held: Vec<(TransactionId, Outcome)>,
    locks: Locks,
    probe: Probe,
    patience: Patience,
}

/// How far the conversation has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Offline,
    /// Asked what the server knows of itself, or of the database's schema.
    Greeting,
    /// Asked for the replica.
    Syncing,
    Synced,
    /// Told the owner to leave; only answers are still read.
    Leaving,
}

/// What an answer will be for.
#[derive(Debug)]
enum Asked {
    ChangeAware,
    Server,
    Schema,
    Replica {
        method: Method,
        generation: u64,
    },
    Nothing,
    Lock(String),
    Transaction(Sent),
    /// An outcome held back until the server has surely sent its updates.
    Barrier(TransactionId, Outcome),
}

impl Session {
    pub fn new(settings: SessionSettings) -> Self {
        let limits = settings.limits;
        Self {
            framer: Framer::new(limits.frame),
            output: Vec::new(),
            answers: 0,
            events: VecDeque::new(),
            next_id: 1,
            asked: BTreeMap::new(),
            phase: Phase::Offline,
            server: ServerState::new(&settings.database),
            replica: Replica::new(&settings),
            queue: Queue::new(limits),
            held: Vec::new(),
            locks: Locks::default(),
            probe: Probe::new(settings.probe_interval),
            patience: Patience::new(settings.sync_timeout),
            settings,
        }
    }

    /// A new connection stands; the conversation begins.
    pub fn connected(&mut self, now: Duration) {
        self.disconnected();
        self.probe.heard(now);
        self.patience.waiting(now);
        self.phase = Phase::Greeting;
        self.greet();
        for name in self.locks.wanted() {
            self.ask("lock", &[&name], Asked::Lock(name.clone()));
        }
    }

    /// Reads what arrived, in pieces of any size.
    pub fn receive(&mut self, bytes: &[u8], now: Duration) -> Result<(), SessionError> {
        self.probe.heard(now);
        let mut framer = std::mem::take(&mut self.framer);
        framer.push(bytes);
        let outcome = self.read_messages(&mut framer);
        self.framer = framer;
        match self.phase {
            Phase::Greeting | Phase::Syncing => self.patience.waiting(now),
            Phase::Offline | Phase::Synced | Phase::Leaving => self.patience.satisfied(),
        }
        outcome
    }

    /// The connection is gone: what was sent and not answered is reported as unknown.
    pub fn disconnected(&mut self) {
        if self.phase == Phase::Synced {
            self.events.push_back(Event::Unsynced);
        }
        self.phase = Phase::Offline;
        self.framer.clear();
        self.take_output();
        self.probe.stop();
        self.patience.satisfied();
        self.server.disconnected();
        self.replica.disconnected();
        self.report_held();
        for (id, asked) in std::mem::take(&mut self.asked) {
            match asked {
                Asked::Transaction(_) => self.report(TransactionId(id), Outcome::Unknown),
                Asked::Barrier(id, outcome) => self.report(id, outcome),
                Asked::ChangeAware
                | Asked::Server
                | Asked::Schema
                | Asked::Replica { .. }
                | Asked::Nothing
                | Asked::Lock(_) => {}
            }
        }
        for id in self.queue.disconnected() {
            self.report(id, Outcome::NotSent);
        }
        for name in self.locks.disconnected() {
            self.events.push_back(Event::Lock { name, held: false });
        }
    }

    /// When [`Session::wake`] should be called, unless bytes arrive before.
    pub fn next_wake(&self) -> Option<Duration> {
        let wakes = [self.probe.next_wake(), self.patience.next_wake()];
        wakes.into_iter().flatten().min()
    }

    /// Does what is due at this time.
    pub fn wake(&mut self, now: Duration) -> Result<(), SessionError> {
        if self.patience.is_exhausted(now) {
            return Err(SessionError::NeverSynced);
        }
        match self.probe.wake(now) {
            Due::Nothing => Ok(()),
            // It may be busy writing the first state, and cannot answer meanwhile.
            Due::Dead if self.phase == Phase::Syncing => {
                self.probe.heard(now);
                Ok(())
            }
            Due::Dead => Err(SessionError::Silent),
            Due::Ask => {
                self.ask("echo", &[(); 0], Asked::Nothing);
                Ok(())
            }
        }
    }

    /// Sends a transaction, or lets it wait behind others; its outcome comes as an event.
    pub fn transact(&mut self, operations: &[Operation]) -> Result<TransactionId, TransactError> {
        if self.phase != Phase::Synced {
            return Err(TransactError::NotSynced);
        }
        self.queue.check_room()?;
        let id = TransactionId(self.new_id());
        let database = &self.settings.database;
        if let Some(sent) = self.queue.add(&mut self.output, id, database, operations) {
            self.asked.insert(id.0, Asked::Transaction(sent));
        }
        Ok(id)
    }

    /// Asks for a lock, now and after every reconnect, until [`Session::unlock`].
    pub fn lock(&mut self, name: &str) {
        if self.locks.want(name) && self.phase != Phase::Offline {
            self.ask("lock", &[name], Asked::Lock(name.to_owned()));
        }
    }

    /// Takes a lock from whoever holds it.
    pub fn steal(&mut self, name: &str) {
        self.locks.want(name);
        if self.phase != Phase::Offline {
            self.ask("steal", &[name], Asked::Lock(name.to_owned()));
        }
    }

    /// Gives a lock back, or stops waiting for it.
    pub fn unlock(&mut self, name: &str) {
        if !self.locks.release(name) {
            return;
        }
        if self.phase != Phase::Offline {
            self.ask("unlock", &[name], Asked::Nothing);
        }
    }

    /// What is to be written to the connection, in order.
    pub fn take_output(&mut self) -> Vec<u8> {
        self.answers = 0;
        std::mem::take(&mut self.output)
    }

    /// The same, and gives back what was taken before, so that its memory is used again.
    pub fn exchange_output(&mut self, mut spent: Vec<u8>) -> Vec<u8> {
        spent.clear();
        spent.shrink_to(KEPT_CAPACITY);
        self.answers = 0;
        std::mem::replace(&mut self.output, spent)
    }

    pub fn has_output(&self) -> bool {
        !self.output.is_empty()
    }

    pub fn next_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// The replica; it follows the server only while [`Session::is_synced`].
    pub fn cache(&self) -> &Cache {
        &self.replica.cache
    }

    /// The server's schema, empty before the first connection.
    pub fn schema(&self) -> &Arc<DatabaseSchema> {
        self.replica.cache.schema()
    }

    pub fn is_synced(&self) -> bool {
        self.phase == Phase::Synced
    }

    /// Whether the server leads its cluster; one that is alone, or too old to say, does.
    pub fn is_leader(&self) -> bool {
        self.phase == Phase::Synced && self.server.is_leader()
    }

    /// Transactions sent and not yet answered.
    pub fn in_flight(&self) -> usize {
        self.queue.in_flight()
    }

    /// Bytes held for messages that are not whole, not sent, or not taken.
    pub fn buffered(&self) -> usize {
        self.framer.buffered() + self.output.len() + self.queue.bytes()
    }

    fn read_messages(&mut self, framer: &mut Framer) -> Result<(), SessionError> {
        while let Some(text) = framer.next_message()? {
            self.hear(Message::parse(text)?)?;
        }
        Ok(())
    }

    fn ask(&mut self, method: &'static str, params: &impl serde::Serialize, asked: Asked) {
        let id = self.new_id();
        rpc::write_request(&mut self.output, id, method, params);
        self.asked.insert(id, asked);
    }

    fn new_id(&mut self) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        id
    }

    fn report(&mut self, id: TransactionId, outcome: Outcome) {
        self.events.push_back(Event::Transacted { id, outcome });
    }

    fn report_held(&mut self) {
        for (id, outcome) in std::mem::take(&mut self.held) {
            self.report(id, outcome);
        }
    }

    /// Sends waiting transactions as far as the bound on unanswered ones allows.
    fn advance_queue(&mut self) {
        while let Some((id, sent)) = self.queue.advance(&mut self.output) {
            self.asked.insert(id.0, Asked::Transaction(sent));
        }
    }
}
