//! One served database: its content, and what it remembers for clients that resume.
//!
//! Invariant: every committed change has a transaction id, and the last of them is current.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::history::History;
use super::server_database;
use crate::engine::{Context, Engine, Outcome, RowChange, Transacted};
use crate::value::Uuid;

/// A database that clients can use.
#[derive(Debug)]
pub(super) struct Database {
    pub(super) engine: Engine,
    pub(super) history: History,
    is_read_only: bool,
}

impl Database {
    /// A database whose present content has the transaction id `first`.
    pub(super) fn new(engine: Engine, first: Uuid) -> Self {
        Self { engine, history: History::new(first), is_read_only: false }
    }

    /// The database in which a server describes itself.
    pub(super) fn about_server(uuids: &mut dyn FnMut() -> Uuid) -> Self {
        let engine = Engine::new(Arc::clone(server_database::schema()));
        Self { is_read_only: true, ..Self::new(engine, uuids()) }
    }

    /// Runs a client's transaction.
    pub(super) fn transact(
        &mut self,
        operations: &[Value],
        context: &mut Context<'_>,
    ) -> Outcome<Value> {
        let forbidden = self.is_read_only.then(|| operations.iter().position(writes)).flatten();
        let Some(at) = forbidden else {
            return self.engine.transact_json(operations, context);
        };
        match self.engine.transact_json(&operations[..at], context) {
            Outcome::Finished(done) => Outcome::Finished(not_allowed(done, operations.len())),
            Outcome::Blocked { timeout } => Outcome::Blocked { timeout },
        }
    }

    /// Runs a transaction of the server's own; what changed, if anything did.
    pub(super) fn commit(
        &mut self,
        operations: &[Value],
        uuids: &mut dyn FnMut() -> Uuid,
        limit: usize,
    ) -> Option<Arc<[RowChange]>> {
        let mut context = Context { uuids, holds_lock: &|_| false, elapsed: Duration::ZERO };
        match self.engine.transact_json(operations, &mut context) {
            Outcome::Finished(done) if done.committed => {
                let id = uuids();
                Some(self.history.push(id, done.changes, limit))
            }
            Outcome::Finished(_) | Outcome::Blocked { .. } => None,
        }
    }
}

fn writes(operation: &Value) -> bool {
    matches!(operation["op"].as_str(), Some("insert" | "update" | "mutate" | "delete"))
}

/// compat: ovsdb/execution.c: "not allowed when database server is in read only mode".
fn not_allowed(mut done: Transacted<Value>, operations: usize) -> Transacted<Value> {
    let is_reached = done.committed;
    done.committed = false;
    if is_reached {
        done.results
            .push(json!({ "error": "not allowed", "details": "the database is read-only" }));
    }
    done.results.resize(operations, Value::Null);
    done
}
