//! The unit of work: a part of a zone whose rows are drawn, compared and removed together.
//!
//! Invariant: the sheet of a part holds exactly the rows that the part owns.

use std::fmt;

use serde::Serialize;

use crate::names::{AttachmentKey, NetworkName, NodeName};

/// One part.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Part {
    /// What all networks of the zone share: control-plane protection.
    Zone,
    /// What a network has once in every zone: its switch and transit router.
    Backbone(NetworkName),
    /// What a network has because of one node, the zone's own or another.
    Node(NetworkName, NodeName),
    /// One attachment of one pod.
    Pod(NetworkName, AttachmentKey),
}

impl Part {
    /// The network that the part belongs to.
    pub fn network(&self) -> Option<&NetworkName> {
        match self {
            Self::Zone => None,
            Self::Backbone(network) | Self::Node(network, _) | Self::Pod(network, _) => {
                Some(network)
            }
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Zone => f.write_str("zone"),
            Self::Backbone(network) => write!(f, "backbone of {network}"),
            Self::Node(network, node) => write!(f, "node {node} of {network}"),
            Self::Pod(network, attachment) => write!(f, "pod {attachment} of {network}"),
        }
    }
}
