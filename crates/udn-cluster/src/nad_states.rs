//! Which NAD leads to which network.
//!
//! Reads networks as they were granted; tells pods where the NADs that they name lead.
//! Invariant: a NAD is ready only if it stands and its network has its numbers.

use std::collections::BTreeMap;
use std::sync::Arc;

use udn_model::{Network, ObjectName};

use crate::work_item::WorkItem;

/// What is behind a NAD.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NadState {
    /// A network that pods can be on.
    Ready(Arc<Network>),
    /// A network of ours that has no numbers yet, or may not be.
    Pending,
    /// Another plugin's, or the default network's.
    Foreign,
}

/// The states of all NADs, or of those that some pods name. A NAD that is not here does not exist.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NadStates {
    pub at: BTreeMap<ObjectName, NadState>,
    /// The NAD of each namespace's primary network, if it is ready.
    pub primary: BTreeMap<Arc<str>, ObjectName>,
    /// Whose network is to be the primary one of a namespace that has none which is ready.
    pub awaited: BTreeMap<Arc<str>, WorkItem>,
}

impl NadStates {
    /// The network behind a NAD.
    pub fn network(&self, nad: &ObjectName) -> Option<&Arc<Network>> {
        match self.at.get(nad)? {
            NadState::Ready(network) => Some(network),
            NadState::Pending | NadState::Foreign => None,
        }
    }

    pub fn is_primary(&self, nad: &ObjectName) -> bool {
        self.primary.get(&nad.namespace) == Some(nad)
    }
}
