//! What the server says, message by message.
//!
//! Invariant: an answer is taken once; an update belongs to a replica that was asked for.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::monitor::{Notified, NotifiedSeed};
use super::server_state::SERVER_DATABASE;
use super::transaction::Sent;
use super::{Asked, Event, Outcome, Phase, Place, Session, SessionError, TransactionId};
use crate::cache::UpdateFormat;
use crate::codec::Text;
use crate::fault::Fault;
use crate::rpc::{self, Message};

impl Session {
    pub(super) fn hear(&mut self, message: Message<'_>) -> Result<(), SessionError> {
        match message {
            Message::Request { id, method, params } => self.answer(id, &method, params),
            Message::Notification { method, params } => self.on_notification(&method, params),
            Message::Response { id, result } => self.on_response(id, result),
        }
    }

    fn answer(
        &mut self,
        id: &RawValue,
        method: &str,
        params: &RawValue,
    ) -> Result<(), SessionError> {
        let before = self.output.len();
        if method == "echo" {
            rpc::write_result(&mut self.output, id, &params);
        } else {
            rpc::write_error(&mut self.output, id, &"unknown method");
        }
        self.answers += self.output.len() - before;
        let limit = self.settings.limits.output;
        if self.answers > limit { Err(SessionError::OutputFull { limit }) } else { Ok(()) }
    }

    fn on_response(
        &mut self,
        id: &RawValue,
        result: Result<&RawValue, &RawValue>,
    ) -> Result<(), SessionError> {
        let number = id.get().parse::<u64>().ok();
        let Some((number, asked)) = number.and_then(|id| self.asked.remove_entry(&id)) else {
            return Err(SessionError::UnexpectedReply { id: shortened(id.get()) });
        };
        let result = match result {
            Ok(result) => Ok(result),
            Err(error) => Err(read_fault(error)?),
        };
        match asked {
            // An old server does not know it, and then closes the connection at a conversion.
            Asked::ChangeAware | Asked::Nothing => Ok(()),
            Asked::Server => self.on_server(result),
            Asked::Schema => self.on_schema(result),
            Asked::Replica { method, generation } => self.on_replica(method, generation, result),
            Asked::Lock(name) => self.on_lock(&name, result),
            Asked::Transaction(sent) => self.on_outcome(TransactionId(number), &sent, result),
            Asked::Barrier(id, outcome) => {
                self.report(id, outcome);
                Ok(())
            }
        }
    }

    fn on_outcome(
        &mut self,
        id: TransactionId,
        sent: &Sent,
        result: Result<&RawValue, Fault>,
    ) -> Result<(), SessionError> {
        self.queue.answered();
        let outcome = match result {
            Ok(answer) => match sent.decode(self.schema(), answer) {
                Ok(outcome) => outcome,
                Err(error) => {
                    self.report(id, Outcome::Unknown);
                    return Err(error);
                }
            },
            Err(fault) => Outcome::Failed { at: Place::Request, fault, results: Vec::new() },
        };
        match self.phase {
            // The replica is being asked for anew; until it is there it lacks the effects.
            Phase::Greeting | Phase::Syncing => self.held.push((id, outcome)),
            Phase::Synced if self.precedes_updates(sent, &outcome) => {
                self.ask("echo", &[(); 0], Asked::Barrier(id, outcome));
            }
            Phase::Synced | Phase::Leaving | Phase::Offline => self.report(id, outcome),
        }
        if self.phase == Phase::Synced {
            self.advance_queue();
        }
        Ok(())
    }

    /// Whether the outcome came before the updates that belong to it. ovsdb-server never does
    /// that; for one that would, an echo makes sure that they have arrived.
    fn precedes_updates(&self, sent: &Sent, outcome: &Outcome) -> bool {
        let Outcome::Committed(results) = outcome else { return false };
        sent.inserted(results).any(|(name, uuid)| {
            let table = self.cache().table(name).filter(|table| table.schema().is_root);
            table.is_some_and(|table| table.row(uuid).is_none()) && self.replica.is_complete(name)
        })
    }

    fn on_notification(&mut self, method: &str, params: &RawValue) -> Result<(), SessionError> {
        match method {
            "update" => self.on_update(UpdateFormat::Rows, false, params),
            "update2" => self.on_update(UpdateFormat::Differences, false, params),
            "update3" => self.on_update(UpdateFormat::Differences, true, params),
            "monitor_canceled" => {
                let [monitor]: [Text<'_>; 1] = read(params, "a cancellation")?;
                if *monitor == *self.replica.monitor(&self.settings.database) {
                    self.on_cancelled();
                }
                Ok(())
            }
            "locked" | "stolen" => {
                let [name]: [Text<'_>; 1] = read(params, "a lock's name")?;
                self.tell_lock(&name, method == "locked");
                Ok(())
            }
            // A newer server may have more to say than we understand.
            _ => Ok(()),
        }
    }

    fn on_update(
        &mut self,
        format: UpdateFormat,
        names_transaction: bool,
        params: &RawValue,
    ) -> Result<(), SessionError> {
        let followed = self.replica.followed(&self.settings.database);
        let (monitor, schema) = (followed.as_deref(), self.schema());
        let seed = NotifiedSeed { monitor, schema, format, names_transaction };
        match seed.read(params)? {
            Notified::Replica { last, updates } => {
                let (changed, outcome) = self.replica.take_updates(last, updates);
                self.tell_changes(changed);
                outcome
            }
            Notified::Other { monitor, updates } if &*monitor == SERVER_DATABASE => {
                self.on_server_update(updates)
            }
            Notified::Other { monitor, .. } => self.on_stray_update(&monitor),
        }
    }

    /// An update for what is not followed: for a replica of before, or one not told yet.
    fn on_stray_update(&self, monitor: &str) -> Result<(), SessionError> {
        let database = &self.settings.database;
        let is_current = *monitor == *self.replica.monitor(database);
        // The server answers before it updates.
        let is_early = is_current && self.phase == Phase::Syncing;
        if !is_early && (is_current || self.replica.is_former(database, monitor)) {
            Ok(())
        } else {
            Err(SessionError::UnexpectedUpdate { monitor: shortened(monitor) })
        }
    }

    fn on_lock(
        &mut self,
        name: &str,
        result: Result<&RawValue, Fault>,
    ) -> Result<(), SessionError> {
        #[derive(Deserialize)]
        struct Answer {
            locked: bool,
        }
        let text = result.map_err(|fault| SessionError::Refused { method: "lock", fault })?;
        let answer: Answer = read(text, "the answer about a lock")?;
        self.tell_lock(name, answer.locked);
        Ok(())
    }

    fn tell_lock(&mut self, name: &str, held: bool) {
        if self.locks.set_held(name, held) {
            self.events.push_back(Event::Lock { name: name.to_owned(), held });
        }
    }
}

fn read<'a, T: Deserialize<'a>>(text: &'a RawValue, what: &'static str) -> Result<T, SessionError> {
    rpc::decode(text).map_err(|source| SessionError::Malformed { what, source })
}

/// An error is a text, or an object in the protocol's own form.
fn read_fault(error: &RawValue) -> Result<Fault, SessionError> {
    if error.get().starts_with('"') {
        let tag: String = read(error, "an error")?;
        return Ok(Fault { tag: tag.into(), details: None });
    }
    read(error, "an error")
}

/// A server's text for a message to people, who need not see a megabyte of it.
fn shortened(text: &str) -> String {
    text.chars().take(100).collect()
}
