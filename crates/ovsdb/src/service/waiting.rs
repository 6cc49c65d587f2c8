//! Transactions that wait until the database is as they want it, or until their time is over.
//!
//! Invariant: a waiting transaction is tried again after every commit to its database.

use std::time::Duration;

use serde_json::Value;
use serde_json::value::RawValue;

use super::{ClientId, Service};
use crate::engine::{Context, Outcome};

/// A transaction that was asked for and not answered.
#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) client: ClientId,
    request: Box<RawValue>,
    database: String,
    operations: Vec<Value>,
    since: Duration,
    deadline: Option<Duration>,
}

impl Service {
    /// When [`Service::tick`] has something to do; never, if no waiting transaction has a timeout.
    pub fn next_deadline(&self) -> Option<Duration> {
        self.waiting.iter().filter_map(|waiting| waiting.deadline).min()
    }

    /// Ends the waiting of transactions whose time is over.
    pub fn tick(&mut self, now: Duration) {
        let is_due = |waiting: &Waiting| waiting.deadline.is_some_and(|deadline| deadline <= now);
        let committed = self.retry(now, is_due);
        self.retry_after(committed, now);
    }

    /// Runs a transaction and answers it, now or later.
    pub(super) fn start_transaction(
        &mut self,
        client: ClientId,
        request: &RawValue,
        database: &str,
        operations: Vec<Value>,
        now: Duration,
    ) {
        let waiting = Waiting {
            client,
            request: request.to_owned(),
            database: database.to_owned(),
            operations,
            since: now,
            deadline: None,
        };
        let committed = self.attempt(waiting, now);
        self.retry_after(committed, now);
    }

    /// Forgets a waiting transaction at its client's request.
    ///
    /// compat: RFC 7047 §4.1.4: it is answered with an error; ovsdb-server 3.5 never answers it.
    pub(super) fn cancel(&mut self, client: ClientId, params: &RawValue) {
        let Ok([wanted]) = serde_json::from_str::<[&RawValue; 1]>(params.get()) else { return };
        let is_meant =
            |waiting: &Waiting| waiting.client == client && waiting.request.get() == wanted.get();
        if let Some(at) = self.waiting.iter().position(is_meant) {
            let canceled = self.waiting.remove(at);
            self.refuse(client, &canceled.request, &Value::from("canceled"));
        }
    }

    /// Tries a transaction; the database that it changed, if it did.
    fn attempt(&mut self, mut waiting: Waiting, now: Duration) -> Option<String> {
        let client = waiting.client;
        let Self { databases, locks, uuids, limits, .. } = self;
        let database = databases.get_mut(&waiting.database)?;
        let elapsed = now.saturating_sub(waiting.since);
        let holds_lock = |lock: &str| locks.is_owner(client, lock);
        let mut context = Context { uuids: &mut **uuids, holds_lock: &holds_lock, elapsed };
        match database.transact(&waiting.operations, &mut context) {
            Outcome::Blocked { timeout } => {
                waiting.deadline = timeout.map(|timeout| waiting.since.saturating_add(timeout));
                self.keep_waiting(waiting);
                None
            }
            Outcome::Finished(done) => {
                let has_changed = !done.changes.is_empty();
                if has_changed {
                    let id = uuids();
                    let changes = database.history.push(id, done.changes, limits.history);
                    self.publish(&waiting.database, &changes);
                }
                // compat: RFC 7047 §4.1.6: a client learns of its own changes before the answer.
                self.reply(client, &waiting.request, &Value::Array(done.results));
                has_changed.then_some(waiting.database)
            }
        }
    }

    fn keep_waiting(&mut self, waiting: Waiting) {
        let client = waiting.client;
        let already = self.waiting.iter().filter(|other| other.client == client).count();
        if already >= self.limits.waiting {
            self.refuse(client, &waiting.request, &Value::from("too many waiting transactions"));
        } else {
            self.waiting.push(waiting);
        }
    }

    /// After a commit, tries those again that wait for the same database, and so on.
    fn retry_after(&mut self, mut committed: Option<String>, now: Duration) {
        while let Some(database) = committed.take() {
            committed = self.retry(now, |waiting| waiting.database == database);
        }
    }

    fn retry(&mut self, now: Duration, is_meant: impl Fn(&Waiting) -> bool) -> Option<String> {
        let (meant, others) =
            std::mem::take(&mut self.waiting).into_iter().partition(|waiting| is_meant(waiting));
        self.waiting = others;
        let meant: Vec<Waiting> = meant;
        let mut committed = None;
        for waiting in meant {
            committed = self.attempt(waiting, now).or(committed);
        }
        committed
    }
}
