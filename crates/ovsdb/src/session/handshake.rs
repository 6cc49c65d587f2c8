//! From a new connection to a replica that follows the server.
//!
//! First the server's own state, then the schema, then the replica, by the best method it knows.
//! Invariant: transactions are taken only after the last step.

use serde_json::value::RawValue;

use super::monitor::{self, Method};
use super::server_state::SERVER_DATABASE;
use super::{Asked, Event, Leave, Phase, Session, SessionError};
use crate::fault::Fault;
use crate::schema::DatabaseSchema;

/// compat: ovsdb/jsonrpc-server.c: the whole answer to a request it does not know.
const UNKNOWN_METHOD: &str = "unknown method";

impl Session {
    pub(super) fn greet(&mut self) {
        if self.settings.change_aware {
            self.ask("set_db_change_aware", &[true], Asked::ChangeAware);
        }
        let request = self.server.request();
        self.ask("monitor_cond", &(SERVER_DATABASE, SERVER_DATABASE, request), Asked::Server);
    }

    /// The server told about itself, for the first time on this connection.
    pub(super) fn on_server(
        &mut self,
        result: Result<&RawValue, Fault>,
    ) -> Result<(), SessionError> {
        match result {
            Ok(updates) => self.on_server_update(updates),
            // A server from before clustering has no such database, and is its own leader.
            Err(_) => {
                self.ask_schema();
                Ok(())
            }
        }
    }

    /// The server's state changed: it may no longer do, or have a new schema.
    pub(super) fn on_server_update(&mut self, updates: &RawValue) -> Result<(), SessionError> {
        let concerns_schema = self.server.apply(updates)?;
        let standing = self.server.standing(self.settings.leader_only);
        match (standing, self.phase) {
            (_, Phase::Offline | Phase::Leaving) => Ok(()),
            (Err(reason), _) => {
                self.leave(reason);
                Ok(())
            }
            (Ok(()), Phase::Greeting) => self.use_reported_schema(),
            (Ok(()), Phase::Syncing | Phase::Synced) if concerns_schema => {
                self.resync_if_converted()
            }
            (Ok(()), Phase::Syncing | Phase::Synced) => Ok(()),
        }
    }

    pub(super) fn on_schema(
        &mut self,
        result: Result<&RawValue, Fault>,
    ) -> Result<(), SessionError> {
        let text = result.map_err(|fault| SessionError::Refused { method: "get_schema", fault })?;
        // Meanwhile the server's own database may have told it already.
        if self.phase == Phase::Greeting { self.use_schema(text.get()) } else { Ok(()) }
    }

    /// The replica was cancelled by the server: the schema changed, or the database went away.
    pub(super) fn on_cancelled(&mut self) {
        if matches!(self.phase, Phase::Syncing | Phase::Synced) {
            self.unsync();
            self.replica.is_followed = false;
            self.phase = Phase::Greeting;
            self.ask_schema();
        }
    }

    pub(super) fn on_replica(
        &mut self,
        method: Method,
        generation: u64,
        result: Result<&RawValue, Fault>,
    ) -> Result<(), SessionError> {
        // The answer to a request that another has replaced meanwhile.
        if self.phase != Phase::Syncing || generation != self.replica.generation {
            return Ok(());
        }
        match result {
            Ok(text) => {
                let initial = monitor::decode_initial(self.schema(), method, text)?;
                let (changed, outcome) = self.replica.take_initial(initial);
                self.tell_changes(changed);
                let sync = outcome?;
                self.phase = Phase::Synced;
                self.events.push_back(Event::Synced(sync));
                self.report_held();
                self.advance_queue();
                Ok(())
            }
            Err(fault) => match method.fallback() {
                Some(next) if fault.tag == UNKNOWN_METHOD => {
                    self.ask_replica(next);
                    Ok(())
                }
                _ => Err(SessionError::Refused { method: method.name(), fault }),
            },
        }
    }

    pub(super) fn tell_changes(&mut self, event: Event) {
        if !matches!(&event, Event::Changed(changes) if changes.is_empty()) {
            self.events.push_back(event);
        }
    }

    fn leave(&mut self, reason: Leave) {
        self.unsync();
        self.phase = Phase::Leaving;
        self.events.push_back(Event::Leave(reason));
    }

    fn unsync(&mut self) {
        if self.phase == Phase::Synced {
            self.events.push_back(Event::Unsynced);
        }
    }

    fn ask_schema(&mut self) {
        let database = self.settings.database.clone();
        self.ask("get_schema", &[database], Asked::Schema);
    }

    fn ask_replica(&mut self, method: Method) {
        let database = self.settings.database.clone();
        let params = self.replica.start(&database, method);
        self.phase = Phase::Syncing;
        let generation = self.replica.generation;
        self.ask(method.name(), &params, Asked::Replica { method, generation });
    }

    fn use_schema(&mut self, text: &str) -> Result<(), SessionError> {
        let schema = DatabaseSchema::parse(text)?;
        if let Some([changed, told]) = self.replica.adopt(&self.settings, schema) {
            self.tell_changes(changed);
            self.events.push_back(told);
        }
        self.ask_replica(self.replica.method);
        Ok(())
    }

    fn use_reported_schema(&mut self) -> Result<(), SessionError> {
        match self.server.schema() {
            Some(text) => self.use_schema(&text),
            None => Ok(()),
        }
    }

    /// A server that converts a database cancels the replica by itself; one that only says so in
    /// its own database is asked to.
    fn resync_if_converted(&mut self) -> Result<(), SessionError> {
        let Some(text) = self.server.schema() else { return Ok(()) };
        if DatabaseSchema::parse(&text)? == **self.schema() {
            return Ok(());
        }
        self.unsync();
        let monitor = self.replica.monitor(&self.settings.database);
        self.ask("monitor_cancel", &[monitor], Asked::Nothing);
        self.use_schema(&text)
    }
}
