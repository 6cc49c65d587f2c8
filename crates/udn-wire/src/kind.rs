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
    Nad,
    Service,
    Pod,
    /// A NodeNetworkReport.
    Report,
    /// An IPAMClaim.
    Claim,
    /// A VirtualMachineInstance.
    Machine,
}

impl Kind {
    pub const ALL: [Self; 10] = [
        Self::Namespace,
        Self::Node,
        Self::UserDefinedNetwork,
        Self::ClusterUserDefinedNetwork,
        Self::Nad,
        Self::Service,
        Self::Pod,
        Self::Report,
        Self::Claim,
        Self::Machine,
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
            Self::Nad => "NetworkAttachmentDefinition",
            Self::Service => "Service",
            Self::Pod => "Pod",
            Self::Report => "NodeNetworkReport",
            Self::Claim => "IPAMClaim",
            Self::Machine => "VirtualMachineInstance",
        }
    }

    pub fn api_version(self) -> &'static str {
        match self {
            Self::Namespace | Self::Node | Self::Service | Self::Pod => "v1",
            Self::UserDefinedNetwork | Self::ClusterUserDefinedNetwork => "k8s.ovn.org/v1",
            Self::Nad => "k8s.cni.cncf.io/v1",
            Self::Report => "k8s.ovn.org/v1alpha1",
            Self::Claim => "k8s.cni.cncf.io/v1alpha1",
            Self::Machine => "kubevirt.io/v1",
        }
    }

    /// How addresses of the API spell it.
    pub fn plural(self) -> &'static str {
        match self {
            Self::Namespace => "namespaces",
            Self::Node => "nodes",
            Self::UserDefinedNetwork => "userdefinednetworks",
            Self::ClusterUserDefinedNetwork => "clusteruserdefinednetworks",
            Self::Nad => "network-attachment-definitions",
            Self::Service => "services",
            Self::Pod => "pods",
            Self::Report => "nodenetworkreports",
            Self::Claim => "ipamclaims",
            Self::Machine => "virtualmachineinstances",
        }
    }

    /// Whether clusters may live without this kind: it is another project's.
    pub fn is_optional(self) -> bool {
        match self {
            Self::Claim | Self::Machine => true,
            Self::Namespace
            | Self::Node
            | Self::UserDefinedNetwork
            | Self::ClusterUserDefinedNetwork
            | Self::Nad
            | Self::Service
            | Self::Pod
            | Self::Report => false,
        }
    }

    /// Whether objects of this kind live in a namespace.
    pub fn is_namespaced(self) -> bool {
        match self {
            Self::Namespace | Self::Node | Self::ClusterUserDefinedNetwork | Self::Report => false,
            Self::UserDefinedNetwork
            | Self::Nad
            | Self::Service
            | Self::Pod
            | Self::Claim
            | Self::Machine => true,
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
