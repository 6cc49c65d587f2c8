//! Why something is found: the machine-readable reason, how bad it is and what it is about.
//!
//! Invariant: a reason's word is on the wire and on the page `docs/status.md`; it never changes.

use std::fmt;

use serde::{Serialize, Serializer};

use super::Severity;

/// The machine-readable reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
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
    Namespace,
    /// Nothing is left to give.
    Exhaustion,
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

impl Reason {
    /// The word in conditions, events and metrics.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InvalidSpec => "InvalidSpec",
            Self::InvalidConfig => "InvalidConfig",
            Self::InvalidAnnotation => "InvalidAnnotation",
            Self::NotSupported => "NotSupported",
            Self::FeatureOff => "FeatureOff",
            Self::FeatureKept => "FeatureKept",
            Self::NameConflict => "NameConflict",
            Self::DeviceNameTaken => "DeviceNameTaken",
            Self::SubnetOverlap => "SubnetOverlap",
            Self::FamilyMissing => "FamilyMissing",
            Self::NodeOverlap => "NodeOverlap",
            Self::AddressOverlap => "AddressOverlap",
            Self::VlanShared => "VlanShared",
            Self::NoAddressLeft => "NoAddressLeft",
            Self::OnlyOnRequest => "OnlyOnRequest",
            Self::NothingSelected => "NothingSelected",
            Self::NamespaceNotLabelled => "NamespaceNotLabelled",
            Self::NamespaceNotFound => "NamespaceNotFound",
            Self::PrimaryConflict => "PrimaryConflict",
            Self::ForeignDefinition => "ForeignDefinition",
            Self::DefinitionNotFound => "DefinitionNotFound",
            Self::NotScheduled => "NotScheduled",
            Self::PoolExhausted => "PoolExhausted",
            Self::AlreadyTaken => "AlreadyTaken",
            Self::OutOfRange => "OutOfRange",
            Self::FamilyMismatch => "FamilyMismatch",
            Self::AddressTaken => "AddressTaken",
            Self::MacTaken => "MacTaken",
            Self::ClaimNotFound => "ClaimNotFound",
            Self::ClaimMismatch => "ClaimMismatch",
            Self::ClaimHeld => "ClaimHeld",
            Self::Deprecated => "Deprecated",
            Self::RequestIgnored => "RequestIgnored",
            Self::Waiting => "Waiting",
            Self::RowConflict => "RowConflict",
        }
    }

    pub fn severity(self) -> Severity {
        match self.topic() {
            // Somebody may be about to create it.
            Topic::Namespace if self == Self::NamespaceNotFound => Severity::Warning,
            Topic::Refusal
            | Topic::Namespace
            | Topic::Exhaustion
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
            | Self::ForeignDefinition => Topic::Namespace,
            Self::NoAddressLeft | Self::PoolExhausted => Topic::Exhaustion,
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

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Reason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
