//! The replicated tables and the place in the server's history that they stand at.
//!
//! Invariant: the last transaction is one whose effects, and all before it, are in the cache; it
//! is forgotten whenever that can no longer be said.

use std::sync::Arc;

use super::monitor::{InitialState, Method, MonitorRequest};
use super::settings::SessionSettings;
use super::{Event, SessionError, SyncKind};
use crate::cache::{Cache, Index, TableUpdates};
use crate::schema::DatabaseSchema;
use crate::value::Uuid;

/// A replica and how it is kept.
#[derive(Debug)]
pub(super) struct Replica {
    pub(super) cache: Cache,
    indexes: Vec<Arc<Index>>,
    request: MonitorRequest,
    last: Uuid,
    /// Counts requests for the replica, so that updates for an earlier one are told apart.
    pub(super) generation: u64,
    /// Whether the server still sends updates for the current request, and all were applied.
    pub(super) is_followed: bool,
    /// The best method that the server of this connection knows, as far as was tried.
    pub(super) method: Method,
}

impl Replica {
    pub(super) fn new(settings: &SessionSettings) -> Self {
        let schema = DatabaseSchema::new(&settings.database, "", []);
        let schema = Arc::new(schema.expect("a schema without tables fits together"));
        Self {
            cache: Cache::new(schema, &settings.indexes),
            indexes: settings.indexes.clone(),
            request: MonitorRequest::default(),
            last: Uuid::nil(),
            generation: 0,
            is_followed: false,
            method: Method::Since,
        }
    }

    pub(super) fn disconnected(&mut self) {
        self.is_followed = false;
        self.method = Method::Since;
    }

    /// Takes over the server's schema; returns what to tell if it is not the one in use.
    pub(super) fn adopt(
        &mut self,
        settings: &SessionSettings,
        schema: DatabaseSchema,
    ) -> Option<[Event; 2]> {
        let request = MonitorRequest::new(&settings.tables, &schema);
        if request != self.request {
            // The server's history tells what changed in what was asked for before, not in this.
            self.last = Uuid::nil();
            self.request = request;
        }
        if **self.cache.schema() == schema {
            return None;
        }
        let schema = Arc::new(schema);
        let changes = self.cache.convert(Arc::clone(&schema), &self.indexes);
        let missing = self.request.missing.clone();
        Some([Event::Changed(changes), Event::Schema { schema, missing }])
    }

    /// The parameters of a new request.
    pub(super) fn start(&mut self, database: &str, method: Method) -> Vec<serde_json::Value> {
        self.generation += 1;
        self.is_followed = false;
        self.method = method;
        let mut params =
            vec![database.into(), self.monitor(database).into(), self.request.tables(method)];
        if method == Method::Since {
            params.push(self.last.to_string().into());
        }
        params
    }

    /// The name of the current request.
    pub(super) fn monitor(&self, database: &str) -> String {
        format!("{database}#{}", self.generation)
    }

    /// The name of the updates to apply, if there are any now.
    pub(super) fn followed(&self, database: &str) -> Option<String> {
        self.is_followed.then(|| self.monitor(database))
    }

    /// Whether a name is that of an earlier request, whose last updates may still arrive.
    pub(super) fn is_former(&self, database: &str, monitor: &str) -> bool {
        let number = monitor.strip_prefix(database).and_then(|rest| rest.strip_prefix('#'));
        let number = number.and_then(|number| number.parse::<u64>().ok());
        number.is_some_and(|number| number < self.generation)
    }

    /// Whether every row of a table is replicated.
    pub(super) fn is_complete(&self, table: &str) -> bool {
        self.request.complete.iter().any(|complete| complete == table)
    }

    /// Takes the answer to a request; the events tell what changed even when it does not fit.
    pub(super) fn take_initial(
        &mut self,
        initial: InitialState,
    ) -> (Event, Result<SyncKind, SessionError>) {
        let mut changes = Vec::new();
        let InitialState { found, last, updates } = initial;
        let outcome = if found {
            self.cache.apply_into(updates, &mut changes)
        } else {
            self.cache.replace_into(updates, &mut changes)
        };
        self.last = if outcome.is_ok() { last.unwrap_or_default() } else { Uuid::nil() };
        self.is_followed = outcome.is_ok();
        let sync = if found { SyncKind::Resumed } else { SyncKind::Replaced };
        (Event::Changed(changes), outcome.map(|()| sync).map_err(Into::into))
    }

    /// Takes an update; the event tells what changed even when it does not fit.
    pub(super) fn take_updates(
        &mut self,
        last: Option<Uuid>,
        updates: TableUpdates,
    ) -> (Event, Result<(), SessionError>) {
        let mut changes = Vec::new();
        let outcome = self.cache.apply_into(updates, &mut changes);
        self.last = if outcome.is_ok() { last.unwrap_or_default() } else { Uuid::nil() };
        (Event::Changed(changes), outcome.map_err(Into::into))
    }
}
