//! The addresses of a subnet that nobody has spoken for.
//!
//! Reads a subnet and ranges; returns the first address that is left.
//! Invariant: costs grow with the number of ranges, never with the size of the subnet.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use udn_model::{Family, InterfaceAddress, Network, Subnet};

#[cfg(test)]
mod tests;

/// What workloads of a network never get in one of its subnets, whatever they ask for.
// The ledger blocks the same: udn-ledger/src/address_pool.rs; a property test compares the two.
pub(crate) fn taken_in(network: &Network, subnet: Subnet) -> Vec<Subnet> {
    let mut taken = vec![alone(subnet.base())];
    if subnet.family() == Family::V4 {
        taken.push(alone(subnet.last()));
    }
    for own in network.platform_addresses() {
        taken.extend([own.gateway, own.management].map(alone));
    }
    let infrastructure = network.primary().map_or(&[][..], |primary| &primary.infrastructure);
    taken.extend(network.excluded.iter().chain(infrastructure));
    taken.retain(|range| range.overlaps(subnet));
    taken
}

/// The lowest address of a subnet that is in none of the ranges.
pub(crate) fn first_free(subnet: Subnet, taken: &[Subnet]) -> Option<IpAddr> {
    let mut taken: Vec<Subnet> = taken.to_vec();
    taken.sort_unstable();
    let mut candidate = subnet.base();
    for range in taken.into_iter().filter(|range| range.family() == subnet.family()) {
        if range.base() > candidate {
            break;
        }
        if range.last() >= candidate {
            candidate = next(range.last())?;
        }
    }
    subnet.contains(candidate).then_some(candidate)
}

/// A range of one address.
fn alone(ip: IpAddr) -> Subnet {
    let length = Family::of(ip).longest_prefix();
    Subnet::of(InterfaceAddress::new(ip, length).expect("the length is within the family's bounds"))
}

fn next(ip: IpAddr) -> Option<IpAddr> {
    Some(match ip {
        IpAddr::V4(ip) => IpAddr::V4(Ipv4Addr::from(u32::from(ip).checked_add(1)?)),
        IpAddr::V6(ip) => IpAddr::V6(Ipv6Addr::from(u128::from(ip).checked_add(1)?)),
    })
}
