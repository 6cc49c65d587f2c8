//! Which addresses of a subnet the network keeps for its own gateway and management ports.
//!
//! Reads a subnet and the user's choices; returns the two addresses.
//! Invariant: computed the same way by every process and never stored, so that all agree.

use std::net::IpAddr;

use serde::Serialize;

use super::Primary;
use crate::address::{Family, InterfaceAddress, Subnet};

/// The addresses of one subnet that belong to the network itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct PlatformAddresses {
    pub subnet: Subnet,
    /// The default gateway of every workload, on every node.
    pub gateway: IpAddr,
    /// The host's own address in the network, on every node.
    pub management: IpAddr,
}

impl PlatformAddresses {
    /// Chooses as the wire has it: the user's gateway, else the first infrastructure address, else
    /// the subnet's first; then the next of these for management.
    // compat: pkg/util/multi_network.go, allocateInfrastructureIPs
    pub(super) fn choose(subnet: Subnet, primary: &Primary) -> Self {
        let chosen = primary.chosen_gateways.of(subnet.family()).copied();
        let gateway = chosen
            .or_else(|| first_infrastructure(subnet, primary, None))
            .unwrap_or_else(|| at(subnet, 1));
        let usual = || if at(subnet, 2) == gateway { at(subnet, 1) } else { at(subnet, 2) };
        let management = first_infrastructure(subnet, primary, Some(gateway)).unwrap_or_else(usual);
        Self { subnet, gateway, management }
    }

    pub fn gateway_on_interface(&self) -> InterfaceAddress {
        self.subnet.on_interface(self.gateway)
    }

    pub fn management_on_interface(&self) -> InterfaceAddress {
        self.subnet.on_interface(self.management)
    }
}

/// The first address of the infrastructure ranges that can be used in the subnet.
fn first_infrastructure(
    subnet: Subnet,
    primary: &Primary,
    taken: Option<IpAddr>,
) -> Option<IpAddr> {
    let is_usable = |ip: &IpAddr| {
        let is_broadcast = subnet.family() == Family::V4 && *ip == subnet.last();
        *ip != subnet.base() && !is_broadcast && Some(*ip) != taken
    };
    let ranges = primary.infrastructure.iter().filter(|range| subnet.contains_subnet(**range));
    // At most three addresses of a range can be unusable.
    let mut candidates = ranges.flat_map(|range| (0..4).filter_map(|offset| range.address(offset)));
    candidates.find(is_usable)
}

/// The address at an offset, or the subnet's last one where it is smaller.
fn at(subnet: Subnet, offset: u128) -> IpAddr {
    subnet.address(offset).unwrap_or_else(|| subnet.last())
}
