//! A claim: addresses that outlive the pods that use them.
//!
//! Invariant: a claim is about one network, and its addresses end only with the claim.

use std::net::IpAddr;

use serde::Serialize;

use crate::address::{InterfaceAddress, MacAddress};
use crate::names::{AttachmentKey, NetworkName, ObjectName};

/// One claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Claim {
    pub name: ObjectName,
    pub network: NetworkName,
    /// When it was made, as Kubernetes writes times.
    pub created: String,
    /// The addresses that the claim itself asks for.
    pub request: Vec<RequestedAddress>,
    /// The attachments that use it now; the first is its holder, whose request counts.
    pub users: Vec<AttachmentKey>,
    /// The virtual machine that it belongs to.
    pub machine: Option<ObjectName>,
    /// Why it has no addresses, as its status says.
    pub failure: Option<String>,
}

/// What is asked for; what is not asked for is chosen.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct AddressRequest {
    pub addresses: Vec<RequestedAddress>,
    pub mac: Option<MacAddress>,
}

impl AddressRequest {
    /// Whether nothing is asked for.
    pub fn is_empty(&self) -> bool {
        self.addresses.is_empty() && self.mac.is_none()
    }
}

/// An address that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct RequestedAddress {
    pub ip: IpAddr,
    /// Must be that of the subnet, if it is given at all.
    pub prefix_len: Option<u8>,
}

/// What a claim holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClaimGrant {
    /// One per subnet of the network, in its order.
    pub addresses: Vec<InterfaceAddress>,
    pub mac: MacAddress,
}

/// What is durable of a claim's grant; others that write claims know nothing of MACs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct PublishedClaim {
    pub addresses: Vec<InterfaceAddress>,
    pub mac: Option<MacAddress>,
}
