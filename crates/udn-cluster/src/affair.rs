//! What the cluster office works on at a time.
//!
//! Invariant: two affairs never write the same object.

use std::fmt;

use udn_model::{NetworkName, NodeName, ObjectName, Origin};
use udn_wire::keys::{cudn_network, udn_network};

/// One affair: the unit of the cluster office's work, of its retries and of its failures.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Affair {
    /// A UDN, its NAD and its status.
    UserDefinedNetwork(ObjectName),
    /// A CUDN, its NADs and its status.
    ClusterUserDefinedNetwork(String),
    /// A network of NADs that somebody wrote; they get numbers.
    Written(NetworkName),
    /// The numbers and labels of a node.
    Node(NodeName),
    /// The NAD of the default network, which always exists.
    DefaultDefinition,
    /// The addresses of a pod.
    Pod(ObjectName),
    /// The addresses of a claim, and its status.
    Claim(ObjectName),
}

impl Affair {
    /// The name of the network that the affair is about.
    pub fn network(&self) -> Option<NetworkName> {
        match self {
            Self::UserDefinedNetwork(name) => {
                Some(NetworkName::new(&udn_network(&name.namespace, &name.name)))
            }
            Self::ClusterUserDefinedNetwork(name) => Some(NetworkName::new(&cudn_network(name))),
            Self::Written(name) => Some(name.clone()),
            Self::Node(_) | Self::DefaultDefinition | Self::Pod(_) | Self::Claim(_) => None,
        }
    }

    /// Where networks of this affair come from.
    pub fn origin(&self) -> Option<Origin> {
        match self {
            Self::UserDefinedNetwork(name) => Some(Origin::UserDefinedNetwork(name.clone())),
            Self::ClusterUserDefinedNetwork(name) => {
                Some(Origin::ClusterUserDefinedNetwork(name.clone()))
            }
            Self::Written(_) => Some(Origin::Definitions),
            Self::Node(_) | Self::DefaultDefinition | Self::Pod(_) | Self::Claim(_) => None,
        }
    }

    /// What kind of affair it is, for logs and metrics.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::UserDefinedNetwork(_) => "UserDefinedNetwork",
            Self::ClusterUserDefinedNetwork(_) => "ClusterUserDefinedNetwork",
            Self::Written(_) => "NetworkAttachmentDefinition",
            Self::Node(_) => "Node",
            Self::DefaultDefinition => "DefaultNetwork",
            Self::Pod(_) => "Pod",
            Self::Claim(_) => "IPAMClaim",
        }
    }
}

impl fmt::Display for Affair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UserDefinedNetwork(name) => write!(f, "UserDefinedNetwork {name}"),
            Self::ClusterUserDefinedNetwork(name) => write!(f, "ClusterUserDefinedNetwork {name}"),
            Self::Written(name) => write!(f, "network {name}"),
            Self::Node(name) => write!(f, "node {name}"),
            Self::DefaultDefinition => f.write_str("the default network's NAD"),
            Self::Pod(name) => write!(f, "pod {name}"),
            Self::Claim(name) => write!(f, "IPAMClaim {name}"),
        }
    }
}
