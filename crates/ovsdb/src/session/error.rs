//! Why a session gave up its connection, or did not take a transaction.
//!
//! Invariant: whatever a server says, the worst that happens is one of these.

use crate::cache::CacheError;
use crate::fault::Fault;
use crate::frame::FrameError;
use crate::retry::Retry;
use crate::rpc::RpcError;
use crate::schema::SchemaError;

/// The connection is of no more use: close it, call `disconnected`, connect again.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    #[error("the server sent what is not a stream of messages")]
    Frame(#[from] FrameError),
    #[error("the server sent what is not a message")]
    Message(#[from] RpcError),
    #[error("the server sent {what} that cannot be read")]
    Malformed { what: &'static str, source: serde_json::Error },
    #[error("the server sent a schema that cannot be used")]
    Schema(#[from] SchemaError),
    #[error("the server sent an update that does not fit the ones before")]
    Inconsistent(#[from] CacheError),
    #[error("the server answered {id}, which nobody asked")]
    UnexpectedReply { id: String },
    #[error("the server sent an update for {monitor:?}, which nobody asked for")]
    UnexpectedUpdate { monitor: String },
    #[error("the server refused {method}: {fault}")]
    Refused { method: &'static str, fault: Fault },
    #[error("the server fell silent")]
    Silent,
    #[error("the server never told the whole state")]
    NeverSynced,
    #[error("the server asks more than {limit} bytes of answers without reading them")]
    OutputFull { limit: usize },
}

impl SessionError {
    /// What the caller should do next.
    pub fn retry(&self) -> Retry {
        match self {
            // Another server, or the same one after an upgrade, may do better.
            Self::Frame(_)
            | Self::Message(_)
            | Self::Malformed { .. }
            | Self::Schema(_)
            | Self::Inconsistent(_)
            | Self::UnexpectedReply { .. }
            | Self::UnexpectedUpdate { .. }
            | Self::Refused { .. }
            | Self::Silent
            | Self::NeverSynced
            | Self::OutputFull { .. } => Retry::AfterBackoff,
        }
    }
}

/// The transaction was not taken; nothing of it was sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TransactError {
    #[error("there is no synchronised connection")]
    NotSynced,
    #[error("{queued} transactions of {bytes} bytes already wait to be sent")]
    Full { queued: usize, bytes: usize },
}

impl TransactError {
    /// What the caller should do next.
    pub fn retry(&self) -> Retry {
        match self {
            Self::NotSynced | Self::Full { .. } => Retry::AfterBackoff,
        }
    }
}
