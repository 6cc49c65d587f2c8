//! The vocabulary: what all crates mean by network, address, grant, part and finding.
//!
//! Invariant: nothing here knows Kubernetes' or OVN's spelling of a thing, and nothing decides.

pub mod address;
pub mod attachment;
pub mod claim;
pub mod derived;
pub mod finding;
pub mod grants;
pub mod intent;
pub mod manifest;
pub mod names;
pub mod network;
pub mod node;
pub mod numbers;
pub mod part;
pub mod report;
pub mod settings;
pub mod small;

pub use address::{
    ClusterSubnet, Family, InterfaceAddress, MacAddress, PerFamily, Subnet, Subnets,
};
pub use attachment::{Attachment, Lock, OpenPort, Route};
pub use claim::{AddressRequest, Claim, ClaimGrant, PublishedClaim, RequestedAddress};
pub use finding::{Finding, Findings, Reason, Severity, Subject, Told, Topic};
pub use grants::{
    AttachmentGrant, Grants, NetworkGrant, NodeSubnetsByNetwork, Published, PublishedNetwork,
};
pub use intent::Intent;
pub use manifest::Manifest;
pub use names::{AttachmentKey, ChassisName, NetworkName, NodeName, ObjectName};
pub use network::{Layer3, Localnet, Network, Origin, PlatformAddresses, Primary, Role, Topology};
pub use node::{Gateway, GatewayMode, Node};
pub use numbers::{Mtu, NetworkId, NodeId, PortKey, TunnelKey, Vlan};
pub use part::Part;
pub use report::{Receipt, Report};
pub use settings::ClusterSettings;
pub use small::{SmallMap, SmallSet};
