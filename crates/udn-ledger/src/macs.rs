//! The MAC addresses of one network.
//!
//! Invariant: a MAC of the network's own ports has no other holder.

use std::net::IpAddr;
use std::ops::RangeInclusive;

use udn_model::{MacAddress, Network, SmallMap};

use crate::node_addresses::platform_addresses;
use crate::slab::SlabId;

#[cfg(test)]
mod tests;

/// The MAC of the server that answers the requests of virtual machines for addresses.
// compat: pkg/kubevirt, ARPProxyMAC: the MAC of 169.254.1.1
const DHCP_SERVER: MacAddress = MacAddress::new([0x0a, 0x58, 0xa9, 0xfe, 0x01, 0x01]);

/// Who holds which MAC.
#[derive(Debug, Clone)]
pub(crate) struct Macs {
    own: Vec<RangeInclusive<MacAddress>>,
    holders: SmallMap<MacAddress, SlabId>,
}

/// Whether a MAC is free, and if not, why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MacState {
    Free,
    HeldBy(SlabId),
    /// A port of the network itself has it.
    Own,
}

impl Macs {
    pub(crate) fn new(network: &Network) -> Self {
        let platform = platform_addresses(network);
        let platform = platform.iter().flat_map(|it| [it.gateway, it.management]);
        let mut own: Vec<_> = platform.map(MacAddress::from_ip).map(|mac| mac..=mac).collect();
        own.push(DHCP_SERVER..=DHCP_SERVER);
        // The MACs of IPv6 addresses are scattered; routers have one only where there is no IPv4.
        if let Some(join) = network.primary().and_then(|primary| primary.join.v4) {
            let end = |ip: IpAddr| MacAddress::from_ip(ip);
            own.push(end(join.base())..=end(join.last()));
        }
        Self { own, holders: SmallMap::default() }
    }

    pub(crate) fn state(&self, mac: MacAddress) -> MacState {
        match self.holders.get(&mac) {
            Some(holder) => MacState::HeldBy(*holder),
            None if self.own.iter().any(|range| range.contains(&mac)) => MacState::Own,
            None => MacState::Free,
        }
    }

    pub(crate) fn is_free(&self, mac: MacAddress) -> bool {
        self.state(mac) == MacState::Free
    }

    /// Writes a free MAC down.
    pub(crate) fn hold(&mut self, mac: MacAddress, holder: SlabId) {
        self.holders.insert(mac, holder);
    }

    /// Gives a MAC back, if it is this holder's.
    pub(crate) fn give_back(&mut self, mac: MacAddress, holder: SlabId) -> bool {
        let is_held = self.holders.get(&mac) == Some(&holder);
        if is_held {
            self.holders.remove(&mac);
        }
        is_held
    }

    pub(crate) fn held(&self) -> usize {
        self.holders.len()
    }
}
