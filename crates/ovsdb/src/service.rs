//! The server's side of the protocol, without sockets: bytes of many clients in, bytes out.
//!
//! Whoever owns the sockets calls [`Service::connect`] for each client, feeds
//! [`Service::receive`], writes what [`Service::take_output`] returns for the clients that
//! [`Service::take_woken`] names, and calls [`Service::tick`] when [`Service::next_deadline`] has
//! come.
//! Invariant: no client can make the service panic, or hold more than the limits for it; a client
//! that does not read is hung up on.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::engine::Engine;
use crate::frame::{FrameError, FrameLimits, Framer};
use crate::rpc::{self, Message, RpcError};
use crate::schema::DatabaseSchema;
use crate::value::Uuid;

mod database;
mod history;
mod locks;
mod monitor;
mod request;
mod server_database;
#[cfg(test)]
mod tests;
mod waiting;

use database::Database;
use locks::Locks;
use monitor::Monitor;
use waiting::Waiting;

/// A connected client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClientId(u64);

/// How much one client may make the service hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServiceLimits {
    /// What one message may be.
    pub frame: FrameLimits,
    /// Bytes that the client has not read yet.
    pub output: usize,
    /// Transactions that wait for something.
    pub waiting: usize,
    pub monitors: usize,
    pub locks: usize,
    /// Changed rows that each database remembers, for clients that resume.
    pub history: usize,
}

impl Default for ServiceLimits {
    fn default() -> Self {
        Self {
            frame: FrameLimits { size: 128 << 20, ..FrameLimits::default() },
            output: 256 << 20,
            waiting: 64,
            monitors: 64,
            locks: 64,
            history: 100_000,
        }
    }
}

/// Why a client has to be hung up on.
#[derive(Debug, thiserror::Error)]
pub enum HangUp {
    #[error("the client sent no messages")]
    Frame(#[from] FrameError),
    #[error("the client sent a message that is none")]
    Rpc(#[from] RpcError),
    #[error("the client is not connected, or does not read what it asked for")]
    Gone,
}

/// A server of some databases.
pub struct Service {
    id: Uuid,
    limits: ServiceLimits,
    uuids: Box<dyn FnMut() -> Uuid + Send>,
    databases: BTreeMap<String, Database>,
    clients: BTreeMap<ClientId, Client>,
    locks: Locks,
    waiting: Vec<Waiting>,
    /// Clients with something to write, or to be hung up on.
    woken: BTreeSet<ClientId>,
    connected: u64,
}

/// What the service knows of a client.
#[derive(Debug)]
struct Client {
    framer: Framer,
    output: Vec<u8>,
    monitors: Vec<Monitor>,
    is_lost: bool,
}

impl std::fmt::Debug for Service {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let databases: Vec<&String> = self.databases.keys().collect();
        let clients = self.clients.len();
        f.debug_struct("Service").field("databases", &databases).field("clients", &clients).finish()
    }
}

impl Service {
    /// A service of no databases yet; `uuids` draws random identifiers.
    pub fn new(limits: ServiceLimits, mut uuids: Box<dyn FnMut() -> Uuid + Send>) -> Self {
        let id = uuids();
        let mut service = Self {
            id,
            limits,
            uuids,
            databases: BTreeMap::new(),
            clients: BTreeMap::new(),
            locks: Locks::default(),
            waiting: Vec::new(),
            woken: BTreeSet::new(),
            connected: 0,
        };
        let own = Database::about_server(&mut *service.uuids);
        service.add(own);
        service
    }

    /// Serves a database with this content.
    pub fn add_database(&mut self, engine: Engine) {
        let first = (self.uuids)();
        self.add(Database::new(engine, first));
    }

    fn add(&mut self, database: Database) {
        let schema = Arc::clone(database.engine.schema());
        self.databases.insert(schema.name.clone(), database);
        self.announce(&schema);
    }

    /// Tells those who watch the server's own database that there is one more.
    fn announce(&mut self, schema: &DatabaseSchema) {
        let operations = [server_database::announcement(schema)];
        let Some(own) = self.databases.get_mut(server_database::NAME) else { return };
        if let Some(changes) = own.commit(&operations, &mut *self.uuids, self.limits.history) {
            self.publish(server_database::NAME, &changes);
        }
    }

    /// The content of a database.
    pub fn engine(&self, database: &str) -> Option<&Engine> {
        self.databases.get(database).map(|database| &database.engine)
    }

    /// Takes in a new client.
    pub fn connect(&mut self) -> ClientId {
        self.connected += 1;
        let id = ClientId(self.connected);
        let framer = Framer::new(self.limits.frame);
        let client = Client { framer, output: Vec::new(), monitors: Vec::new(), is_lost: false };
        self.clients.insert(id, client);
        id
    }

    /// Forgets a client, its locks and what it waits for.
    pub fn disconnect(&mut self, id: ClientId) {
        self.clients.remove(&id);
        self.woken.remove(&id);
        self.waiting.retain(|waiting| waiting.client != id);
        for (heir, lock) in self.locks.forget(id) {
            self.notify(heir, "locked", &[lock]);
        }
    }

    /// Takes bytes as they arrived; `now` is any clock that only goes forward.
    pub fn receive(&mut self, id: ClientId, bytes: &[u8], now: Duration) -> Result<(), HangUp> {
        let client = self.clients.get_mut(&id).filter(|client| !client.is_lost);
        let client = client.ok_or(HangUp::Gone)?;
        let mut framer = std::mem::take(&mut client.framer);
        framer.push(bytes);
        while let Some(text) = framer.next_message()? {
            self.take_message(id, Message::parse(text)?, now);
        }
        match self.clients.get_mut(&id) {
            Some(client) if !client.is_lost => {
                client.framer = framer;
                Ok(())
            }
            Some(_) | None => Err(HangUp::Gone),
        }
    }

    fn take_message(&mut self, id: ClientId, message: Message<'_>, now: Duration) {
        match message {
            Message::Request { id: request, method, params } => {
                self.answer(id, request, &method, params, now);
            }
            Message::Notification { method, params } if method == "cancel" => {
                self.cancel(id, params);
            }
            // compat: ovsdb/jsonrpc-server.c: other notifications, and answers to probes that
            // nobody sent, mean nothing.
            Message::Notification { .. } | Message::Response { .. } => {}
        }
    }

    /// The bytes that a client should get; `None` if it has to be hung up on.
    pub fn take_output(&mut self, id: ClientId) -> Option<Vec<u8>> {
        let client = self.clients.get_mut(&id).filter(|client| !client.is_lost)?;
        Some(std::mem::take(&mut client.output))
    }

    /// Whether a client has to be hung up on.
    pub fn is_lost(&self, id: ClientId) -> bool {
        self.clients.get(&id).is_none_or(|client| client.is_lost)
    }

    /// The clients that have something to write, or have to be hung up on, since the last call.
    pub fn take_woken(&mut self) -> BTreeSet<ClientId> {
        std::mem::take(&mut self.woken)
    }

    fn write(&mut self, id: ClientId, write: impl FnOnce(&mut Vec<u8>)) {
        let Some(client) = self.clients.get_mut(&id) else { return };
        if client.is_lost {
            return;
        }
        write(&mut client.output);
        if client.output.len() > self.limits.output {
            client.is_lost = true;
            client.output = Vec::new();
            client.monitors = Vec::new();
        }
        self.woken.insert(id);
    }

    fn reply(&mut self, id: ClientId, request: &RawValue, result: &Value) {
        self.write(id, |output| rpc::write_result(output, request, result));
    }

    fn refuse(&mut self, id: ClientId, request: &RawValue, error: &Value) {
        self.write(id, |output| rpc::write_error(output, request, error));
    }

    fn notify(&mut self, id: ClientId, method: &str, params: &[impl serde::Serialize]) {
        self.write(id, |output| rpc::write_notification(output, method, &params));
    }
}
