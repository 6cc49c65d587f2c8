//! One range of a network, cut into equal parts for nodes.
//!
//! Parts are given in the order of the wire: as numbers, after the one that was given last, and from
//! the lowest again after the highest.
//! Invariant: a part is taken once, and finding a free one costs no more with many taken.

use std::ops::RangeInclusive;

use udn_model::{ClusterSubnet, Family, InterfaceAddress, Subnet};

use crate::address_pool::{address, number, range};
use crate::intervals::Intervals;

/// So many bits of a part's number are zero where IPv6 leaves the part for last.
const LAST_RESORT_BITS: u32 = 16;

/// A range and its parts.
#[derive(Debug, Clone)]
pub(super) struct Share {
    pub(super) range: ClusterSubnet,
    /// The turns of the parts that nodes have.
    taken: Intervals,
    pub(super) used: u128,
    /// The turn after the one that was given last.
    next: u128,
}

impl Share {
    /// `None` where the range cannot be cut so.
    pub(super) fn new(range: ClusterSubnet) -> Option<Self> {
        let bounds = range.subnet.prefix_len()..=range.subnet.family().longest_prefix();
        let is_good = bounds.contains(&range.host_prefix_len);
        is_good.then(|| Self { range, taken: Intervals::default(), used: 0, next: 0 })
    }

    pub(super) fn family(&self) -> Family {
        self.range.subnet.family()
    }

    /// How many parts there are.
    pub(super) fn total(&self) -> u128 {
        1_u128.checked_shl(self.part_bits()).unwrap_or(u128::MAX)
    }

    /// A free part, if there is one.
    pub(super) fn next(&self) -> Option<Subnet> {
        let last = self.total() - 1;
        let from_here = self.usual(self.next..=last);
        let turn = from_here.or_else(|| self.usual(0..=last)).or_else(|| self.last_resort())?;
        let offset = self.part_at(turn).checked_shl(self.host_bits()).unwrap_or(0);
        let base = address(range(self.range.subnet).start() + offset, self.family());
        InterfaceAddress::new(base, self.range.host_prefix_len).ok().map(Subnet::of)
    }

    /// Whether a subnet is a part, and free.
    pub(super) fn is_free(&self, subnet: Subnet) -> Option<bool> {
        self.turn_of(subnet).map(|turn| !self.taken.contains(turn))
    }

    /// Takes a part; a subnet that is none, or is taken, changes nothing.
    pub(super) fn take(&mut self, subnet: Subnet) {
        if let Some(turn) = self.turn_of(subnet)
            && !self.taken.contains(turn)
        {
            self.taken.take(turn..=turn);
            self.used += 1;
        }
    }

    /// The part was given, not found with a node.
    pub(super) fn has_given(&mut self, subnet: Subnet) {
        if let Some(turn) = self.turn_of(subnet) {
            self.next = turn.saturating_add(1);
        }
    }

    pub(super) fn give_back(&mut self, subnet: Subnet) {
        if let Some(turn) = self.turn_of(subnet)
            && self.taken.contains(turn)
        {
            self.taken.give_back(turn);
            self.used -= 1;
        }
    }

    /// The first free turn in some, but for those that are left for last.
    fn usual(&self, turns: RangeInclusive<u128>) -> Option<u128> {
        let (mut first, last) = turns.into_inner();
        while first <= last {
            let turn = self.taken.first_free(first..=last)?;
            if !self.is_last_resort(turn) {
                return Some(turn);
            }
            first = turn.checked_add(1)?;
        }
        None
    }

    /// A free turn of those that are left for last; only asked when no other is free.
    fn last_resort(&self) -> Option<u128> {
        self.taken.first_free(0..=self.total() - 1)
    }

    // compat: pkg/clustermanager/node/subnet_allocator.go, allocateNetwork never gives these
    fn is_last_resort(&self, turn: u128) -> bool {
        self.family() == Family::V6
            && self.part_bits() >= LAST_RESORT_BITS
            && turn.trailing_zeros() >= LAST_RESORT_BITS
    }

    /// How many addresses a part has, as a number of bits.
    fn host_bits(&self) -> u32 {
        u32::from(self.family().longest_prefix() - self.range.host_prefix_len)
    }

    /// How many parts there are, as a number of bits.
    fn part_bits(&self) -> u32 {
        u32::from(self.range.host_prefix_len - self.range.subnet.prefix_len())
    }

    /// How far parts' numbers are turned round so that nodes differ in whole octets as long as that
    /// goes.
    // compat: pkg/clustermanager/node/subnet_allocator.go, newSubnetAllocatorRange
    fn rotation(&self) -> Option<u32> {
        let (host, parts) = (self.host_bits(), self.part_bits());
        let crosses = || (host - 1) / 8 != (host + parts - 1) / 8;
        let is_turned = self.family() == Family::V4 && !host.is_multiple_of(8) && crosses();
        is_turned.then(|| 8 - host % 8)
    }

    /// Which part has a turn.
    fn part_at(&self, turn: u128) -> u128 {
        self.rotation().map_or(turn, |left| self.turned(turn, left))
    }

    /// When a subnet has its turn, if it is a part.
    fn turn_of(&self, subnet: Subnet) -> Option<u128> {
        let ClusterSubnet { subnet: whole, host_prefix_len } = self.range;
        let is_part = whole.family() == subnet.family()
            && whole.contains_subnet(subnet)
            && subnet.prefix_len() == host_prefix_len;
        let offset = number(subnet.base()).checked_sub(*range(whole).start())?;
        let part = is_part.then(|| offset.checked_shr(self.host_bits()).unwrap_or(0))?;
        let back = self.rotation().map(|left| self.part_bits() - left);
        Some(back.map_or(part, |left| self.turned(part, left)))
    }

    /// A number of a part's length, turned round to the left.
    fn turned(&self, number: u128, left: u32) -> u128 {
        let bits = self.part_bits();
        ((number << left) & ((1 << bits) - 1)) | (number >> (bits - left))
    }
}
