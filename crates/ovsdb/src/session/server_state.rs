//! What the server says about itself in its `_Server` database.
//!
//! Invariant: a server without a `_Server` database counts as standalone and always there.

use std::sync::{Arc, LazyLock};

use serde_json::value::RawValue;

use super::error::SessionError;
use super::event::Leave;
use super::monitor;
use crate::cache::{Cache, ChangeKind, RowView, UpdateFormat};
use crate::schema::{BaseType, ColumnSchema, ColumnType, DatabaseSchema, TableSchema};
use crate::value::{Atom, AtomKind, Uuid};

pub(super) const SERVER_DATABASE: &str = "_Server";
const DATABASE_TABLE: &str = "Database";

/// The columns read here; ovsdb-server(5) has them all since version 2.9.
static SCHEMA: LazyLock<Arc<DatabaseSchema>> = LazyLock::new(|| {
    let scalar = |name: &str, kind| ColumnSchema::new(name, ColumnType::from(kind));
    let optional =
        |name: &str, kind| ColumnSchema::new(name, ColumnType::optional(BaseType::from(kind)));
    let columns = [
        scalar("name", AtomKind::String),
        scalar("model", AtomKind::String),
        scalar("connected", AtomKind::Boolean),
        scalar("leader", AtomKind::Boolean),
        optional("schema", AtomKind::String),
        optional("cid", AtomKind::Uuid),
        optional("index", AtomKind::Integer),
    ];
    let table = TableSchema::new(DATABASE_TABLE, columns);
    let schema = DatabaseSchema::new(SERVER_DATABASE, "", [table]);
    Arc::new(schema.expect("a schema without references fits together"))
});

/// How often in a row a server that shows the past is refused. A database that was restored from
/// a backup is behind for good, and then the past is all there is.
const STALE_LIMIT: u32 = 10;

/// The `_Server` database as replicated over one connection, and what outlives connections.
#[derive(Debug)]
pub(super) struct ServerState {
    database: String,
    replica: Cache,
    /// The cluster and the furthest log index seen in it; a server behind that shows the past.
    furthest: Option<(Uuid, i64)>,
    /// How many servers in a row were behind that.
    stale: u32,
    was_leader: bool,
}

impl ServerState {
    pub(super) fn new(database: &str) -> Self {
        Self {
            database: database.to_owned(),
            replica: Cache::new(Arc::clone(&SCHEMA), &[]),
            furthest: None,
            stale: 0,
            was_leader: false,
        }
    }

    /// Forgets what only held for one connection.
    pub(super) fn disconnected(&mut self) {
        self.replica = Cache::new(Arc::clone(&SCHEMA), &[]);
        self.was_leader = false;
    }

    /// What to ask `_Server` to report.
    pub(super) fn request(&self) -> serde_json::Value {
        let table = &SCHEMA.table(DATABASE_TABLE).expect("declared above");
        let columns: Vec<&str> = table.columns().map(|(_, column)| &*column.name).collect();
        let this = serde_json::json!([["name", "==", self.database]]);
        serde_json::json!({ DATABASE_TABLE: [{ "columns": columns, "where": this }] })
    }

    /// Takes what the server reports; returns whether that concerns the schema.
    pub(super) fn apply(&mut self, updates: &RawValue) -> Result<bool, SessionError> {
        let updates = monitor::decode_updates(&SCHEMA, UpdateFormat::Differences, updates)?;
        let changes = self.replica.apply(updates)?;
        Ok(changes.iter().any(|change| match change.kind {
            ChangeKind::Modified { .. } => change.touches("schema"),
            ChangeKind::Inserted | ChangeKind::Deleted { .. } => true,
        }))
    }

    /// The database's schema, as the server reported it last.
    pub(super) fn schema(&self) -> Option<String> {
        self.row()?.text("schema").map(str::to_owned)
    }

    pub(super) fn is_leader(&self) -> bool {
        self.row().is_none() || self.was_leader
    }

    /// Judges what was reported last: why another server should be tried, if one should.
    pub(super) fn standing(&mut self, leader_only: bool) -> Result<(), Leave> {
        let row = self.row().ok_or(Leave::NoDatabase)?;
        let flag = |column| row.get(column).and_then(|datum| datum.as_atom()?.as_bool());
        let (connected, leader) = (flag("connected") == Some(true), flag("leader") == Some(true));
        let has_schema = row.text("schema").is_some();
        if row.text("model") == Some("clustered") {
            let position = position(row);
            if !connected {
                return Err(Leave::ClusterLost);
            }
            if leader_only && !leader {
                let lost = if self.was_leader { Leave::LostLeadership } else { Leave::NotLeader };
                return Err(lost);
            }
            if !self.advance(position) {
                return Err(Leave::Stale);
            }
        }
        self.was_leader = leader;
        if has_schema { Ok(()) } else { Err(Leave::NoDatabase) }
    }

    fn row(&self) -> Option<RowView<'_>> {
        let mut rows = self.replica.table(DATABASE_TABLE)?.rows();
        rows.find(|row| row.text("name") == Some(&self.database))
    }

    /// Takes note of a server's position; `false` if it is behind.
    fn advance(&mut self, position: Option<(Uuid, i64)>) -> bool {
        match (position, self.furthest) {
            (None, _) => true,
            (Some((cluster, index)), Some((known, furthest)))
                if cluster == known && index < furthest && self.stale < STALE_LIMIT =>
            {
                self.stale += 1;
                false
            }
            (Some(position), _) => {
                self.stale = 0;
                self.furthest = Some(position);
                true
            }
        }
    }
}

fn position(row: RowView<'_>) -> Option<(Uuid, i64)> {
    let atom = |column| row.get(column)?.as_atom();
    Some((atom("cid").and_then(Atom::as_uuid)?, atom("index").and_then(Atom::as_integer)?))
}
