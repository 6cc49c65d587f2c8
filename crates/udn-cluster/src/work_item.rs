//! What the cluster controller works on at a time.
//!
//! Invariant: two work items never write the same object.

use std::fmt;

use udn_model::{Manifest, NetworkName, NodeName, ObjectName, Origin};
use udn_wire::keys::{cudn_network, udn_network};
use udn_wire::{Kind, Target};

/// One work item: the unit of the cluster controller's work, of its retries and of its failures.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum WorkItem {
    /// A UDN or CUDN, its NADs and its status.
    Network(Manifest),
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
            Self::Network(manifest) => Some(network_of(manifest)),
            Self::HandWritten(name) => Some(name.clone()),
            Self::Node(_) | Self::DefaultNad | Self::Pod(_) | Self::Claim(_) => None,
        }
    }

    /// Where networks of this work item come from.
    pub fn origin(&self) -> Option<Origin> {
        match self {
            Self::Network(manifest) => Some(Origin::Manifest(manifest.clone())),
            Self::HandWritten(_) => Some(Origin::Nads),
            Self::Node(_) | Self::DefaultNad | Self::Pod(_) | Self::Claim(_) => None,
        }
    }

    /// What kind of work item it is, for logs and metrics.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Network(manifest) => kind_of(manifest).as_str(),
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
            Self::Network(manifest) => manifest.fmt(f),
            Self::HandWritten(name) => write!(f, "network {name}"),
            Self::Node(name) => write!(f, "node {name}"),
            Self::DefaultNad => f.write_str("the default network's NAD"),
            Self::Pod(name) => write!(f, "pod {name}"),
            Self::Claim(name) => write!(f, "IPAMClaim {name}"),
        }
    }
}

/// The name of the network that a UDN or CUDN asks for.
pub(crate) fn network_of(manifest: &Manifest) -> NetworkName {
    NetworkName::new(&match manifest {
        Manifest::Udn(name) => udn_network(&name.namespace, &name.name),
        Manifest::Cudn(name) => cudn_network(name),
    })
}

pub(crate) fn kind_of(manifest: &Manifest) -> Kind {
    match manifest {
        Manifest::Udn(_) => Kind::UserDefinedNetwork,
        Manifest::Cudn(_) => Kind::ClusterUserDefinedNetwork,
    }
}

/// The object itself.
pub(crate) fn target_of(manifest: &Manifest) -> Target {
    let (namespace, name) = match manifest {
        Manifest::Udn(name) => (name.namespace.to_string(), name.name.to_string()),
        Manifest::Cudn(name) => (String::new(), name.clone()),
    };
    Target { kind: kind_of(manifest), namespace, name }
}
