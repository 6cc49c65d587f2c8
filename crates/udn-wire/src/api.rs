//! The objects of our CRDs, field by field.
//!
//! Types that read and write `spec` and `status` of UDNs, CUDNs, IPAMClaims, NADs and
//! NodeNetworkReports. `deploy/crds` is the source of truth; a test compares every field.
//! Invariant: reading judges types and names only, so that every breach of a rule can be told; a
//! field that is absent is `None`, and stays absent when written.

mod choice;
mod claim;
mod layer2;
mod layer3;
mod localnet;
mod nad;
mod network;
mod report;
mod selector;
mod status;

pub use claim::{ClaimSpec, ClaimStatus, OwnerPod};
pub use layer2::{Ipam, IpamMode, Layer2, Lifecycle, Role};
pub use layer3::{Layer3, Layer3Subnet};
pub use localnet::{AccessVlan, Localnet, VlanMode, VlanSpec};
pub use nad::NadSpec;
pub use network::{
    ClusterUserDefinedNetworkSpec, Evpn, NetworkSpec, NoOverlay, OutboundSnat, Routing, Topology,
    Transport, UserDefinedNetworkSpec, Vrf,
};
pub use report::{
    NotProgrammed, PhysicalNetwork, ReportStatus, UnusablePhysicalNetwork, VlanRange,
};
pub use selector::{LabelRequirement, LabelSelector};
pub use status::{Condition, ConditionStatus, NetworkStatus, NodeProblem, NodeReadiness};
