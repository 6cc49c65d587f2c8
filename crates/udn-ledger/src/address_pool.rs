//! The addresses of one subnet of a network.
//!
//! Invariant: what the network keeps for itself is never granted, whoever asks for it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::ops::RangeInclusive;

use udn_model::{Family, InterfaceAddress, Network, Role, Subnet, Topology};

use crate::intervals::Intervals;
use crate::node_addresses::platform_addresses;
use crate::pool::Pool;
use crate::slab::SlabId;

#[cfg(test)]
mod tests;

/// Who holds which address of a subnet.
#[derive(Debug, Clone)]
pub(crate) struct AddressPool {
    subnet: Subnet,
    pool: Pool<SlabId>,
    /// The network's own addresses.
    kept: Intervals,
    /// What the user keeps from being given out; who has such an address already keeps it.
    excluded: Intervals,
    /// How many addresses are given out on request alone.
    on_request: u128,
}

/// Whether an address is free, and if not, why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AddressState {
    Free,
    HeldBy(SlabId),
    /// The network keeps it for itself.
    Kept,
    Excluded,
    Outside,
}

impl AddressPool {
    /// The pool of one subnet of a network.
    pub(crate) fn new(network: &Network, subnet: Subnet) -> Self {
        let kept = kept(network, subnet);
        let excluded: Vec<_> = overlapping(&network.excluded, subnet).collect();
        let on_request = on_request(network, subnet);
        let closed = [kept.as_slice(), &excluded].concat();
        let barred = [closed.as_slice(), &on_request].concat();
        let pool = Pool::new(range(subnet), &barred);
        let on_request = Pool::<SlabId>::new(range(subnet), &closed).total() - pool.total();
        let (kept, excluded) = (collect(kept), collect(excluded));
        Self { subnet, pool, kept, excluded, on_request }
    }

    pub(crate) fn subnet(&self) -> Subnet {
        self.subnet
    }

    pub(crate) fn state(&self, ip: IpAddr) -> AddressState {
        if !self.subnet.contains(ip) {
            return AddressState::Outside;
        }
        let number = number(ip);
        match self.pool.holder_of(number) {
            Some(holder) => AddressState::HeldBy(holder),
            None if self.kept.contains(number) => AddressState::Kept,
            None if self.excluded.contains(number) => AddressState::Excluded,
            None => AddressState::Free,
        }
    }

    /// The next address in turn, which stays free.
    pub(crate) fn next(&self) -> Option<IpAddr> {
        self.pool.next().map(|it| address(it, self.subnet.family()))
    }

    /// The next address in turn behind another.
    pub(crate) fn next_behind(&self, ip: IpAddr) -> Option<IpAddr> {
        self.pool.next_behind(number(ip)).map(|it| address(it, self.subnet.family()))
    }

    pub(crate) fn on_interface(&self, ip: IpAddr) -> InterfaceAddress {
        self.subnet.on_interface(ip)
    }

    /// Writes an address of the subnet down that nobody else holds.
    pub(crate) fn hold(&mut self, ip: IpAddr, holder: SlabId) {
        self.pool.hold(number(ip), holder);
    }

    /// The same for an address that came in turn.
    pub(crate) fn hold_in_turn(&mut self, ip: IpAddr, holder: SlabId) {
        self.pool.hold_in_turn(number(ip), holder);
    }

    /// Gives an address back, if it is this holder's.
    pub(crate) fn give_back(&mut self, ip: IpAddr, holder: SlabId) -> bool {
        self.subnet.contains(ip) && self.pool.give_back(number(ip), holder)
    }

    pub(crate) fn free(&self) -> u128 {
        self.pool.free()
    }

    pub(crate) fn held(&self) -> usize {
        self.pool.held()
    }

    /// What to say when nothing comes in turn any more.
    pub(crate) fn exhaustion(&self) -> String {
        let Self { subnet, pool, on_request, .. } = self;
        let (total, used) = (pool.total(), pool.total() - pool.free());
        match (total, *on_request) {
            (0, 0) => format!("{subnet} has no address for workloads"),
            (0, _) => format!("{subnet} has no address that is granted without a request"),
            (_, 0) => format!("all {total} addresses of {subnet} are in use ({used} of {total})"),
            (_, others) => format!(
                "all {total} addresses of {subnet} are in use ({used} of {total}; {others} more on \
                 request alone)"
            ),
        }
    }
}

/// The network's own addresses in a subnet.
fn kept(network: &Network, subnet: Subnet) -> Vec<RangeInclusive<u128>> {
    let mut own = vec![subnet.base()];
    if subnet.family() == Family::V4 {
        own.push(subnet.last());
    }
    let platform = platform_addresses(network);
    own.extend(platform.iter().flat_map(|it| [it.gateway, it.management]));
    let own = own.into_iter().filter(|ip| subnet.contains(*ip)).map(|ip| number(ip)..=number(ip));
    let infrastructure = network.primary().map_or(&[][..], |it| &it.infrastructure);
    own.chain(overlapping(infrastructure, subnet)).collect()
}

fn on_request(network: &Network, subnet: Subnet) -> Vec<RangeInclusive<u128>> {
    match &network.topology {
        Topology::Layer2(Role::Primary(primary)) => {
            overlapping(&primary.reserved, subnet).collect()
        }
        Topology::Layer2(Role::Secondary) | Topology::Layer3(_) => Vec::new(),
        // compat: facts 11.2 item 33: OVN-Kubernetes hands this address out, which most often is
        // the gateway of the physical network.
        Topology::Localnet(_) => {
            subnet.address(1).map(|first| number(first)..=number(first)).into_iter().collect()
        }
    }
}

fn overlapping(
    ranges: &[Subnet],
    subnet: Subnet,
) -> impl Iterator<Item = RangeInclusive<u128>> + use<'_> {
    ranges.iter().filter(move |it| subnet.overlaps(**it)).map(|it| range(*it))
}

fn collect(ranges: Vec<RangeInclusive<u128>>) -> Intervals {
    let mut all = Intervals::default();
    ranges.into_iter().for_each(|it| all.take(it));
    all
}

pub(crate) fn range(subnet: Subnet) -> RangeInclusive<u128> {
    number(subnet.base())..=number(subnet.last())
}

pub(crate) fn number(ip: IpAddr) -> u128 {
    match ip {
        IpAddr::V4(ip) => u32::from(ip).into(),
        IpAddr::V6(ip) => ip.into(),
    }
}

pub(crate) fn address(number: u128, family: Family) -> IpAddr {
    match family {
        Family::V4 => {
            let number = u32::try_from(number).expect("an IPv4 pool holds 32-bit numbers");
            IpAddr::V4(Ipv4Addr::from(number))
        }
        Family::V6 => IpAddr::V6(Ipv6Addr::from(number)),
    }
}
