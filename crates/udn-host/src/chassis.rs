//! Who a node is to OVN, and what it can tell of itself: from what its switch and its kernel say.
//!
//! Reads [`ChassisSettings`] and what is seen; returns a [`ChassisPlan`], what must be written into the
//! switch's database so that ovn-controller knows the node, and [`OwnFacts`], what the API is told.
//! Invariant: entries that others wrote stay, and what nobody says is absent, never a guess.

use std::net::IpAddr;

use udn_model::{ChassisName, NodeName, PerFamily, Subnet};

mod identity;
pub mod mappings;
mod own;
mod physical;
pub mod seen;
#[cfg(test)]
mod tests;

pub use identity::{BridgeChange, ChassisPlan, EntryChange, MACHINE, OWN_ENTRIES, SOUTHBOUND};
pub use own::{OwnFacts, is_host_link};
pub use seen::{BridgeSeen, DefaultRoute, KernelSeen, LinkSeen, SwitchSeen, UplinkSeen};

/// What is settled about a node before anything of it is seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChassisSettings {
    pub node: NodeName,
    /// The chassis name for a switch that has none yet; one that it has stays.
    pub identity: ChassisName,
    /// Where ovn-controller finds its southbound database.
    pub southbound: String,
    /// OVN's own bridge.
    pub integration_bridge: String,
    /// The bridge that leads out.
    pub external_bridge: String,
    /// The port of that bridge which is the wire; the only one that can be, if none is named.
    pub uplink: Option<String>,
    /// The name by which OVN knows the external bridge.
    pub physical_network: String,
    /// Where tunnels end; at the node's first address on the external bridge, if none is named.
    pub tunnel_addresses: Vec<IpAddr>,
    /// Addresses that nodes use towards themselves; they are nobody's to reach.
    pub masquerade: PerFamily<Subnet>,
}
