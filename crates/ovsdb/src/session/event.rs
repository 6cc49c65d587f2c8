//! What a session tells its owner.
//!
//! Invariant: events come in the order in which they happened; when a transaction is reported
//! as committed, its effects were reported before and are in the cache.

use std::sync::Arc;

use super::settings::Missing;
use super::transaction::{Outcome, TransactionId};
use crate::cache::Change;
use crate::schema::DatabaseSchema;

/// Something that happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// The server's schema was read, and is not the one used so far.
    Schema { schema: Arc<DatabaseSchema>, missing: Missing },
    /// The replica now equals the server's content; what changed was told before.
    Synced(SyncKind),
    /// The replica no longer follows the server, until the next [`Event::Synced`].
    Unsynced,
    /// Rows that came, changed or went, in the server's order.
    Changed(Vec<Change>),
    /// What became of a transaction.
    Transacted { id: TransactionId, outcome: Outcome },
    /// This server will not do: close the connection and try the next remote.
    Leave(Leave),
    /// A lock is now held, or is no longer.
    Lock { name: String, held: bool },
}

/// How a replica caught up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SyncKind {
    /// The server still knew the last transaction seen and sent only what came after it.
    Resumed,
    /// The server sent everything, and the difference was applied.
    Replaced,
}

/// Why another server should be tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leave {
    /// It follows another server, and only a leader will do.
    NotLeader,
    /// It was the leader until now.
    LostLeadership,
    /// It has lost the rest of its cluster.
    ClusterLost,
    /// It is behind what another server of the cluster has shown before.
    Stale,
    /// It does not have the database, or not yet.
    NoDatabase,
}
