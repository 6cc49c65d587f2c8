//! Follows what changes in a replica.
//!
//! Invariant: what waits for a subscriber is bounded; one that is too slow is told so.

use std::sync::Arc;

use ovsdb::cache::Change;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};

/// A subscription.
#[derive(Debug)]
pub struct Changes(pub(super) broadcast::Receiver<Arc<Vec<Change>>>);

/// There is no next change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ChangesError {
    /// Read the replica anew, then go on with [`Changes::next`].
    #[error("changes came faster than they were taken, and some are lost")]
    Lagged,
    #[error("the client was closed")]
    Closed,
}

impl Changes {
    /// Waits for rows that came, changed or went; they are in the replica already.
    pub async fn next(&mut self) -> Result<Arc<Vec<Change>>, ChangesError> {
        self.0.recv().await.map_err(|error| match error {
            RecvError::Lagged(_) => ChangesError::Lagged,
            RecvError::Closed => ChangesError::Closed,
        })
    }

    /// The same without waiting; `None` if nothing has changed since.
    pub fn try_next(&mut self) -> Option<Result<Arc<Vec<Change>>, ChangesError>> {
        match self.0.try_recv() {
            Ok(changes) => Some(Ok(changes)),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Lagged(_)) => Some(Err(ChangesError::Lagged)),
            Err(TryRecvError::Closed) => Some(Err(ChangesError::Closed)),
        }
    }
}
