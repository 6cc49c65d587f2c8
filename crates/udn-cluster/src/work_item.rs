//! What the cluster controller works on at a time.
//!
//! Invariant: two work items never write the same object.

use std::fmt;

use udn_model::{NetworkName, NodeName, ObjectName, Origin};
use udn_wire::keys::{cudn_network, udn_network};

/// One work item: the unit of the cluster controller's work, of its retries and of its failures.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum WorkItem {
    /// A UDN, its NAD and its status.
    UserDefinedNetwork(ObjectName),
    /// A CUDN, its NADs and its status.
    ClusterUserDefinedNetwork(String),
    /// A network of NADs that somebody wrote; they get numbers.
    HandWritten(NetworkName),
    /// The numbers and labels of a node.
    Node(NodeName),
    /// The NAD of the default network, which always exists.
    DefaultNad,
    /// The addresses of a pod.
    Pod(ObjectName),
    /// The addresses of a claim, and its status.
    Claim(ObjectName),
}

impl WorkItem {
    /// The name of the network that the work item is about.
    pub fn network(&self) -> Option<NetworkName> {
        match self {
            Self::UserDefinedNetwork(name) => {
                Some(NetworkName::new(&udn_network(&name.namespace, &name.name)))
            }
            Self::ClusterUserDefinedNetwork(name) => Some(NetworkName::new(&cudn_network(name))),
            Self::HandWritten(name) => Some(name.clone()),
            Self::Node(_) | Self::DefaultNad | Self::Pod(_) | Self::Claim(_) => None,
        }
    }

    /// Where networks of this work item come from.
    pub fn origin(&self) -> Option<Origin> {
        match self {
            Self::UserDefinedNetwork(name) => Some(Origin::UserDefinedNetwork(name.clone())),
            Self::ClusterUserDefinedNetwork(name) => {
                Some(Origin::ClusterUserDefinedNetwork(name.clone()))
            }
            Self::HandWritten(_) => Some(Origin::Nads),
            Self::Node(_) | Self::DefaultNad | Self::Pod(_) | Self::Claim(_) => None,
        }
    }

    /// What kind of work item it is, for logs and metrics.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::UserDefinedNetwork(_) => "UserDefinedNetwork",
            Self::ClusterUserDefinedNetwork(_) => "ClusterUserDefinedNetwork",
            Self::HandWritten(_) => "NetworkAttachmentDefinition",
            Self::Node(_) => "Node",
            Self::DefaultNad => "DefaultNetwork",
            Self::Pod(_) => "Pod",
            Self::Claim(_) => "IPAMClaim",
        }
    }
}

impl fmt::Display for WorkItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UserDefinedNetwork(name) => write!(f, "UserDefinedNetwork {name}"),
            Self::ClusterUserDefinedNetwork(name) => write!(f, "ClusterUserDefinedNetwork {name}"),
            Self::HandWritten(name) => write!(f, "network {name}"),
            Self::Node(name) => write!(f, "node {name}"),
            Self::DefaultNad => f.write_str("the default network's NAD"),
            Self::Pod(name) => write!(f, "pod {name}"),
            Self::Claim(name) => write!(f, "IPAMClaim {name}"),
        }
    }
}
