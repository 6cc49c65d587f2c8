//! What a node's switch and kernel say of themselves.
//!
//! Invariant: plain values, as they stand; what is not there is absent.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use udn_model::{InterfaceAddress, MacAddress};

use crate::facts::PortNumber;

/// What the switch's database says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SwitchSeen {
    /// Of the switch as a whole.
    pub external_ids: BTreeMap<String, String>,
    pub bridges: BTreeMap<String, BridgeSeen>,
}

/// A bridge.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BridgeSeen {
    /// `netdev` where Open vSwitch moves the packets itself.
    pub datapath_type: String,
    /// Whether it forwards nothing without flows.
    pub is_secure: bool,
    /// Whether anything is connected to it but the host's own link and OVN.
    pub has_ports: bool,
    /// The ports that lead out of the machine; not known of OVN's own bridge.
    pub uplinks: Vec<UplinkSeen>,
}

/// A port that leads out of the machine.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UplinkSeen {
    pub name: String,
    /// Absent while the switch has not taken the port.
    pub number: Option<PortNumber>,
    pub mtu: Option<u32>,
    /// The VLANs that may pass; all, if none is named.
    pub trunks: BTreeSet<u16>,
}

/// What the kernel says of the node's own network namespace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KernelSeen {
    pub links: BTreeMap<String, LinkSeen>,
    pub default_routes: Vec<DefaultRoute>,
}

/// A link.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LinkSeen {
    pub mac: Option<MacAddress>,
    pub mtu: Option<u32>,
    /// In the kernel's order, which has secondary addresses last.
    pub addresses: Vec<InterfaceAddress>,
}

/// A route to everywhere, in the table into which everybody looks.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct DefaultRoute {
    pub metric: u32,
    pub link: String,
    pub next_hop: IpAddr,
}
