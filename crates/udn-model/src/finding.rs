//! Findings: what is wrong in the user's objects, and what to do about it.
//!
//! Invariant: a finding is a value that ends in a condition, an event or on the screen, never an
//! error.

use std::fmt;

use serde::Serialize;

use crate::names::{NetworkName, NodeName, ObjectName};

#[cfg(test)]
mod tests;

/// One thing that is not as it should be.
///
/// How bad it is follows from the reason ([`Finding::severity`]); the message can be shown without
/// the path, and the path tells a reader of manifests at which line to show it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Finding {
    pub subject: Subject,
    pub reason: Reason,
    /// Where in the subject's object, as Kubernetes writes field paths, such as
    /// `spec.network.localnet.vlan.access.id` or `metadata.annotations[k8s.ovn.org/node-id]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// One sentence: what is wrong and what to do.
    pub message: String,
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Something that was asked for does not come about, or does harm.
    Error,
    /// It may be meant so, or it passes by itself.
    Warning,
}

/// Any number of findings.
pub type Findings = Vec<Finding>;

/// A stage's result together with what it found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Told<T> {
    pub value: T,
    pub findings: Findings,
}

/// Whom a finding concerns.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Subject {
    UserDefinedNetwork(ObjectName),
    ClusterUserDefinedNetwork(String),
    /// A NAD.
    Nad(ObjectName),
    Network(NetworkName),
    Node(NodeName),
    Pod(ObjectName),
    Claim(ObjectName),
    Namespace(String),
}

/// The machine-readable reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum Reason {
    /// A manifest says something impossible.
    InvalidSpec,
    /// A NAD's configuration cannot be read.
    InvalidConfig,
    /// An annotation cannot be read.
    InvalidAnnotation,
    /// Something is asked for that is not built yet.
    NotSupported,
    /// Something is asked for that is switched off in this cluster.
    FeatureOff,
    /// A living network uses something that was switched off since; it keeps it.
    FeatureKept,
    /// Two networks would have the same name in OVN, or NADs of one network disagree.
    NameConflict,
    /// A network would give a link on nodes a name that another link has.
    DeviceNameTaken,
    /// A subnet overlaps one that the system uses.
    SubnetOverlap,
    /// The cluster does not have this address family.
    FamilyMissing,
    /// Nodes have addresses in a network's subnet.
    NodeOverlap,
    /// Two networks that are one on the wire hand out the same addresses.
    AddressOverlap,
    /// Two localnets carry the same VLAN of one physical network.
    VlanShared,
    /// A subnet has no address that a workload could get.
    NoAddressLeft,
    /// A subnet has no address that a workload gets without asking for one.
    OnlyOnRequest,
    /// A selector matches no namespace.
    NothingSelected,
    /// The namespace lacks the label that primary networks require.
    NamespaceNotLabelled,
    /// The namespace of a network is not there.
    NamespaceNotFound,
    /// The namespace has another primary network.
    PrimaryConflict,
    /// A NAD of this name belongs to somebody else.
    ForeignDefinition,
    /// A pod names a NAD that does not exist.
    DefinitionNotFound,
    /// A pod is not on a node yet, or on one that does not exist.
    NotScheduled,
    /// A pool of numbers or addresses has nothing left.
    PoolExhausted,
    /// Two holders carry the same number or address.
    AlreadyTaken,
    /// An address is asked for that the network does not have, or keeps for itself.
    OutOfRange,
    /// The addresses that are asked for are not one of each family of the network.
    FamilyMismatch,
    /// An address has another holder.
    AddressTaken,
    /// A MAC has another holder.
    MacTaken,
    /// A pod names a claim that does not exist.
    ClaimNotFound,
    /// A claim is for another network or another interface than the pod uses it for, or holds other
    /// addresses than the pod asks for.
    ClaimMismatch,
    /// A claim is for another workload.
    ClaimHeld,
    /// Something works that will not work for ever.
    Deprecated,
    /// Something that a pod, or a claim that is bound already, asks for has no effect.
    RequestIgnored,
    /// Somebody else has to act first.
    Waiting,
    /// OVN rows of somebody else stand in the way.
    RowConflict,
}

/// What a reason is about, as far as those who pass findings on need to tell reasons apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Topic {
    /// Something cannot be, for none of the reasons below.
    Refusal,
    /// Whether a network can be in one of its namespaces.
    Seat,
    /// Nothing is left to give.
    Room,
    /// Who holds an address or another number.
    Address,
    /// Who holds a MAC.
    Mac,
    /// Whether a network has the addresses that are asked for.
    Range,
    /// Whether a claim is for who names it.
    Claim,
    /// What works, but may not be meant or not last.
    Remark,
    /// What passes when somebody else acts.
    Waiting,
}

impl Finding {
    pub fn new(subject: Subject, reason: Reason, message: impl Into<String>) -> Self {
        Self { subject, reason, path: None, message: message.into() }
    }

    /// The same, at a place within the subject's object.
    #[must_use]
    pub fn at(mut self, path: impl Into<String>) -> Self {
        self.path = Some(path.into());
        self
    }

    pub fn severity(&self) -> Severity {
        self.reason.severity()
    }
}

impl Reason {
    pub fn severity(self) -> Severity {
        match self.topic() {
            // Somebody may be about to create it.
            Topic::Seat if self == Self::NamespaceNotFound => Severity::Warning,
            Topic::Refusal
            | Topic::Seat
            | Topic::Room
            | Topic::Address
            | Topic::Mac
            | Topic::Range
            | Topic::Claim => Severity::Error,
            Topic::Remark | Topic::Waiting => Severity::Warning,
        }
    }

    /// What the reason is about.
    pub fn topic(self) -> Topic {
        match self {
            Self::InvalidSpec
            | Self::InvalidConfig
            | Self::InvalidAnnotation
            | Self::NotSupported
            | Self::FeatureOff
            | Self::NameConflict
            | Self::DeviceNameTaken
            | Self::SubnetOverlap
            | Self::FamilyMissing
            | Self::AddressOverlap
            | Self::DefinitionNotFound
            | Self::RowConflict => Topic::Refusal,
            Self::NamespaceNotLabelled
            | Self::NamespaceNotFound
            | Self::PrimaryConflict
            | Self::ForeignDefinition => Topic::Seat,
            Self::NoAddressLeft | Self::PoolExhausted => Topic::Room,
            Self::AlreadyTaken | Self::AddressTaken => Topic::Address,
            Self::MacTaken => Topic::Mac,
            Self::OutOfRange | Self::FamilyMismatch => Topic::Range,
            Self::ClaimNotFound | Self::ClaimMismatch | Self::ClaimHeld => Topic::Claim,
            Self::FeatureKept
            | Self::NodeOverlap
            | Self::VlanShared
            | Self::OnlyOnRequest
            | Self::NothingSelected
            | Self::Deprecated
            | Self::RequestIgnored => Topic::Remark,
            Self::NotScheduled | Self::Waiting => Topic::Waiting,
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
        })
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UserDefinedNetwork(name) => write!(f, "UserDefinedNetwork {name}"),
            Self::ClusterUserDefinedNetwork(name) => write!(f, "ClusterUserDefinedNetwork {name}"),
            Self::Nad(name) => write!(f, "NetworkAttachmentDefinition {name}"),
            Self::Network(name) => write!(f, "network {name}"),
            Self::Node(name) => write!(f, "node {name}"),
            Self::Pod(name) => write!(f, "pod {name}"),
            Self::Claim(name) => write!(f, "IPAMClaim {name}"),
            Self::Namespace(name) => write!(f, "namespace {name}"),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {:?}: ", self.subject, self.reason)?;
        if let Some(path) = &self.path {
            write!(f, "{path}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl<T> Told<T> {
    pub fn new(value: T, findings: Findings) -> Self {
        Self { value, findings }
    }
}
