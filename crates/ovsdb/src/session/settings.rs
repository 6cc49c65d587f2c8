//! What a session is to replicate, and how much it may hold.
//!
//! Invariant: settings never change during a session's life.

use std::sync::Arc;
use std::time::Duration;

use crate::cache::Index;
use crate::frame::FrameLimits;
use crate::op::{Condition, Name};

/// Everything a session needs to know beforehand.
#[derive(Debug, Clone)]
pub struct SessionSettings {
    pub database: String,
    pub tables: Wanted,
    pub indexes: Vec<Arc<Index>>,
    /// Whether a server that is not the leader of its cluster will not do.
    pub leader_only: bool,
    /// Whether the connection is to survive a conversion of the database's schema.
    pub change_aware: bool,
    /// Silence after which the server is asked whether it is still there, and after which, again,
    /// it counts as dead. `None` waits for ever.
    pub probe_interval: Option<Duration>,
    /// How long a connection may take until the replica follows the server. `None` waits for ever.
    pub sync_timeout: Option<Duration>,
    pub limits: SessionLimits,
}

impl SessionSettings {
    /// All of a database, through the leader, with the usual limits.
    pub fn new(database: impl Into<String>) -> Self {
        Self {
            database: database.into(),
            tables: Wanted::Everything,
            indexes: Vec::new(),
            leader_only: true,
            change_aware: true,
            probe_interval: Some(Duration::from_secs(5)),
            sync_timeout: Some(Duration::from_secs(120)),
            limits: SessionLimits::default(),
        }
    }
}

/// Which tables are replicated.
#[derive(Debug, Clone, PartialEq)]
pub enum Wanted {
    Everything,
    Tables(Vec<WantedTable>),
}

/// One table to replicate.
#[derive(Debug, Clone, PartialEq)]
pub struct WantedTable {
    pub table: Name,
    /// `None` is every column. Columns that the server's schema lacks are left out and reported.
    pub columns: Option<Vec<Name>>,
    /// A row is replicated if it satisfies any of these; all rows are if there are none. A server
    /// too old for conditions sends all rows.
    pub conditions: Vec<Condition>,
}

impl WantedTable {
    /// A table with all its columns and rows.
    pub fn whole(table: impl Into<Name>) -> Self {
        Self { table: table.into(), columns: None, conditions: Vec::new() }
    }

    /// Some columns of all rows of a table.
    pub fn columns(
        table: impl Into<Name>,
        columns: impl IntoIterator<Item = impl Into<Name>>,
    ) -> Self {
        let columns = Some(columns.into_iter().map(Into::into).collect());
        Self { columns, ..Self::whole(table) }
    }
}

/// How much a session may hold before it refuses or gives up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionLimits {
    pub frame: FrameLimits,
    /// Transactions sent and not yet answered.
    pub in_flight: usize,
    /// Transactions waiting behind those.
    pub queued: usize,
    /// Bytes of the waiting transactions.
    pub queued_bytes: usize,
    /// Bytes written and not yet taken, beyond which no answer is written any more.
    pub output: usize,
}

impl Default for SessionLimits {
    fn default() -> Self {
        Self {
            frame: FrameLimits::default(),
            in_flight: 64,
            queued: 4096,
            queued_bytes: 64 << 20,
            output: 16 << 20,
        }
    }
}

/// What was wanted and the server's schema does not have.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Missing {
    pub tables: Vec<Name>,
    /// Table and column.
    pub columns: Vec<(Name, Name)>,
}

impl Missing {
    pub fn is_empty(&self) -> bool {
        self.tables.is_empty() && self.columns.is_empty()
    }
}
