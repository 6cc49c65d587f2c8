//! The network between nodes, and who lives on it.
//!
//! Reads nothing; returns a [`Fabric`] that joins namespaces, and hosts on it.
//! Invariant: the fabric is one Linux bridge in a namespace of its own; it knows the addresses of
//! its members (a /24 and a /64) and nothing of the networks that nodes build over it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::host::Host;
use crate::janitor::Janitor;
use crate::namespaces::{End, Namespace, NamespaceError, connect};
use crate::node::NodeError;
use crate::ovn_root::OvnRoot;

/// The size of packets on the fabric.
pub(crate) const FABRIC_MTU: u16 = 1500;

/// Where somebody lives on the fabric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Addresses {
    pub v4: Ipv4Addr,
    pub v6: Option<Ipv6Addr>,
}

impl Addresses {
    /// Both families.
    pub fn dual(v4: impl Into<Ipv4Addr>, v6: impl Into<Ipv6Addr>) -> Self {
        Self { v4: v4.into(), v6: Some(v6.into()) }
    }

    /// All of them, IPv4 first.
    pub fn iter(&self) -> impl Iterator<Item = IpAddr> {
        [IpAddr::V4(self.v4)].into_iter().chain(self.v6.map(IpAddr::V6))
    }

    /// All of them as a link carries them.
    pub fn with_lengths(&self) -> Vec<String> {
        let length = |ip: &IpAddr| if ip.is_ipv4() { 24 } else { 64 };
        self.iter().map(|ip| format!("{ip}/{}", length(&ip))).collect()
    }
}

impl From<Ipv4Addr> for Addresses {
    fn from(v4: Ipv4Addr) -> Self {
        Self { v4, v6: None }
    }
}

/// The network between nodes.
#[derive(Debug)]
pub struct Fabric {
    namespace: Namespace,
    ports: AtomicU32,
    janitor: Janitor,
}

impl Fabric {
    /// Makes a fabric that joins nobody yet.
    pub fn create() -> Result<Self, NodeError> {
        Self::create_with(Janitor::hire()?)
    }

    /// The same, in the care of a janitor that is there already.
    pub fn create_with(janitor: Janitor) -> Result<Self, NodeError> {
        let namespace = Namespace::create(&janitor, "fabric")?;
        // No spanning tree delay, or the first packets of every node would be lost.
        namespace.ip(&["link", "add", "fabric", "type", "bridge", "forward_delay", "0"])?;
        namespace.ip(&["link", "set", "fabric", "up"])?;
        Ok(Self { namespace, ports: AtomicU32::new(0), janitor })
    }

    /// Gives a namespace a link called `link` that leads to the fabric.
    pub fn attach(&self, namespace: &Namespace, link: &str) -> Result<(), NamespaceError> {
        let port = format!("port{}", self.ports.fetch_add(1, Ordering::Relaxed));
        let ours = End { namespace: &self.namespace, link: &port };
        connect(ours, End { namespace, link }, FABRIC_MTU)?;
        self.namespace.ip(&["link", "set", &port, "master", "fabric"])?;
        Ok(())
    }

    /// Puts a plain host on the fabric: the outside, as nodes and their pods see it.
    ///
    /// It has no routes, so it answers only who shows an address of the fabric.
    pub fn host(&self, root: &OvnRoot, addresses: Addresses) -> Result<Host, NodeError> {
        let host = Host::create(&self.janitor, root, "outside")?;
        self.attach(host.namespace(), Host::LINK)?;
        host.settle_on(&addresses.with_lengths())?;
        Ok(host)
    }

    /// The namespace in which the bridge is.
    pub fn namespace(&self) -> &Namespace {
        &self.namespace
    }

    /// Who takes away what is on the fabric.
    pub fn janitor(&self) -> &Janitor {
        &self.janitor
    }
}
