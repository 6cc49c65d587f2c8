//! What a client's connection is doing.
//!
//! Invariant: `Synced` is said only while the replica follows a server.

use std::collections::BTreeSet;
use std::sync::Arc;

use ovsdb::session::Missing;

use crate::remote::Remote;

/// The connection's state and history.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Status {
    pub state: State,
    /// Where the connection leads, or the last attempt did.
    pub remote: Option<Remote>,
    /// Whether that server leads its cluster, or is alone.
    pub is_leader: bool,
    /// How often the server sent only what was missed.
    pub resumed: u64,
    /// How often it sent everything.
    pub replaced: u64,
    /// How many attempts to connect were made.
    pub attempts: u64,
    /// Why the last connection ended, or could not be made.
    pub problem: Option<Arc<str>>,
    /// The locks that are held.
    pub locks: BTreeSet<String>,
    /// What was wanted and the server's schema does not have.
    pub missing: Missing,
}

/// The stages of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum State {
    #[default]
    Disconnected,
    /// Connected; the replica is behind.
    Connected,
    /// The replica follows the server, and transactions are taken.
    Synced,
    /// The client was closed; this is final.
    Closed,
}
