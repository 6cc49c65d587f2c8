//! The result of ADD: interfaces, addresses, routes and resolvers.
//!
//! Made by the server; written as each version of the protocol wants it, and read back from
//! `prevResult` or the server's answer. Invariant: what a version has no word for is left out, the
//! rest is the same in all of them.

use std::net::IpAddr;

use serde_json::Value;

use crate::version::Version;

pub use self::cidr::Cidr;

mod cidr;
mod wire;

/// What stands after an ADD.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CniResult {
    /// On both sides: those on the host have no sandbox.
    pub interfaces: Vec<Interface>,
    pub addresses: Vec<InterfaceAddress>,
    pub routes: Vec<Route>,
    pub dns: Dns,
}

/// One interface, in the pod or on the host.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Interface {
    pub name: String,
    pub mac: Option<String>,
    /// Told from 1.1.0 on.
    pub mtu: Option<u32>,
    /// The pod's namespace, `CNI_NETNS` as it was given; `None` on the host.
    pub sandbox: Option<String>,
    /// Told from 1.1.0 on.
    pub socket_path: Option<String>,
    /// Told from 1.1.0 on.
    pub pci_id: Option<String>,
}

/// An address that an interface has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InterfaceAddress {
    /// Which one of [`CniResult::interfaces`].
    pub interface: Option<usize>,
    pub address: Cidr,
    pub gateway: Option<IpAddr>,
}

/// A route inside of the pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    pub destination: Cidr,
    pub gateway: Option<IpAddr>,
    /// Told from 1.1.0 on.
    pub mtu: Option<u32>,
}

/// What the pod's resolver is to use; kubelet's own settings come before it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dns {
    pub nameservers: Vec<String>,
    pub domain: Option<String>,
    pub search: Vec<String>,
    pub options: Vec<String>,
}

/// Some JSON is no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no CNI result: {reason}")]
pub struct ResultError {
    reason: String,
}

impl CniResult {
    /// Reads a result of any version.
    pub fn parse(value: &Value) -> Result<Self, ResultError> {
        wire::read(value).map_err(|reason| ResultError { reason })
    }

    /// What a plugin prints after an ADD.
    pub fn to_json(&self, version: Version) -> String {
        wire::write(self, Some(version)).to_string()
    }

    /// What the server answers: all that is known, without a version.
    // compat: the shim of OVN-Kubernetes takes a result without version for one of the newest that it
    // knows, and refuses a version it does not know
    pub fn to_answer(&self) -> Value {
        wire::write(self, None)
    }
}

#[cfg(test)]
mod tests;
