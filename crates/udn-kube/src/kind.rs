//! The kinds of objects that a world holds.
//!
//! Invariant: a kind is known by its group and its name together; a `Service` of another group is
//! another thing.

use std::fmt;

use serde::{Serialize, Serializer};

/// One kind of object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Namespace,
    Node,
    UserDefinedNetwork,
    ClusterUserDefinedNetwork,
    /// A NAD.
    Definition,
    Service,
    Pod,
}

impl Kind {
    pub const ALL: [Self; 7] = [
        Self::Namespace,
        Self::Node,
        Self::UserDefinedNetwork,
        Self::ClusterUserDefinedNetwork,
        Self::Definition,
        Self::Service,
        Self::Pod,
    ];

    /// The kind that a manifest's `apiVersion` and `kind` name, if a world holds it.
    pub fn find(api_version: &str, kind: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.as_str() == kind && it.api_version() == api_version)
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Namespace => "Namespace",
            Self::Node => "Node",
            Self::UserDefinedNetwork => "UserDefinedNetwork",
            Self::ClusterUserDefinedNetwork => "ClusterUserDefinedNetwork",
            Self::Definition => "NetworkAttachmentDefinition",
            Self::Service => "Service",
            Self::Pod => "Pod",
        }
    }

    pub fn api_version(self) -> &'static str {
        match self {
            Self::Namespace | Self::Node | Self::Service | Self::Pod => "v1",
            Self::UserDefinedNetwork | Self::ClusterUserDefinedNetwork => "k8s.ovn.org/v1",
            Self::Definition => "k8s.cni.cncf.io/v1",
        }
    }

    /// Whether objects of this kind live in a namespace.
    pub fn is_namespaced(self) -> bool {
        match self {
            Self::Namespace | Self::Node | Self::ClusterUserDefinedNetwork => false,
            Self::UserDefinedNetwork | Self::Definition | Self::Service | Self::Pod => true,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
