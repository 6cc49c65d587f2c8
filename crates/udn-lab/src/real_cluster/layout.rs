//! Where a real cluster's hosts live, decided before anything is made.
//!
//! Reads a node's place among the nodes; returns addresses.
//! Invariant: the fabric is closed, so every cluster may use the same addresses.

use std::net::{Ipv4Addr, Ipv6Addr};

use crate::node::{Addresses, NodeSettings};

/// The ranges of service addresses; nobody serves them unless a test's network does.
pub const SERVICE_RANGES: &str = "10.96.0.0/16,fd00:10:96::/112";

/// The host outside, which is also every node's default gateway.
pub(super) fn outside() -> Addresses {
    on_fabric(1)
}

/// The API server's host.
pub(super) fn control_plane() -> Addresses {
    on_fabric(2)
}

/// A node, by its place among the nodes.
pub(super) fn node(place: usize, name: &str) -> NodeSettings {
    // A machine takes a handful of nodes; the fabric has room for 240.
    let number = u8::try_from(11 + place).unwrap_or(u8::MAX);
    let next_hops = outside().iter().collect();
    NodeSettings { next_hops, ..NodeSettings::new(name, on_fabric(number)) }
}

fn on_fabric(number: u8) -> Addresses {
    let v6 = Ipv6Addr::new(0xfd00, 0x172, 0x18, 0, 0, 0, 0, number.into());
    Addresses::dual(Ipv4Addr::new(172, 18, 0, number), v6)
}
