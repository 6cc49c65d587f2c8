//! Which NAD leads to which network.
//!
//! Reads networks as they were granted; tells pods where the NADs that they name lead.
//! Invariant: a door is open only to a network that has its numbers, through a NAD that stands.

use std::collections::BTreeMap;
use std::sync::Arc;

use udn_model::{Network, ObjectName};

use crate::affair::Affair;

/// What is behind a NAD.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Door {
    /// A network that pods can be on.
    Open(Arc<Network>),
    /// A network of ours that has no numbers yet, or may not be.
    Shut,
    /// Another plugin's affair, or the default network's.
    Elsewhere,
}

/// All doors, or those that some pods name. A NAD that is not here does not exist.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Doors {
    pub at: BTreeMap<ObjectName, Door>,
    /// The NAD of each namespace's primary network, if its door is open.
    pub primary: BTreeMap<Arc<str>, ObjectName>,
    /// Whose network is to be the primary one of a namespace that has none which is open.
    pub awaited: BTreeMap<Arc<str>, Affair>,
}

impl Doors {
    /// The network behind a NAD.
    pub fn network(&self, definition: &ObjectName) -> Option<&Arc<Network>> {
        match self.at.get(definition)? {
            Door::Open(network) => Some(network),
            Door::Shut | Door::Elsewhere => None,
        }
    }

    pub fn is_primary(&self, definition: &ObjectName) -> bool {
        self.primary.get(&definition.namespace) == Some(definition)
    }
}
