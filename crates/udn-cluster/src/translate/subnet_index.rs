//! Finds subnets that overlap a given one.
//!
//! Invariant: looking up costs what is found and the length of an address, not what is stored.

use std::collections::BTreeMap;

use udn_model::{InterfaceAddress, Subnet};

#[cfg(test)]
mod tests;

/// Things that belong to subnets.
#[derive(Debug, Clone)]
pub(crate) struct SubnetIndex<T> {
    things: BTreeMap<Subnet, Vec<T>>,
}

impl<T> Default for SubnetIndex<T> {
    fn default() -> Self {
        Self { things: BTreeMap::new() }
    }
}

impl<T> SubnetIndex<T> {
    pub(crate) fn put(&mut self, subnet: Subnet, thing: T) {
        self.things.entry(subnet).or_default().push(thing);
    }

    /// What belongs to subnets that overlap this one: larger ones first, then by address.
    pub(crate) fn overlapping(&self, subnet: Subnet) -> impl Iterator<Item = (Subnet, &T)> {
        // Two subnets overlap only if one holds the other.
        let around = (0..subnet.prefix_len()).filter_map(move |length| {
            let around = InterfaceAddress::new(subnet.base(), length).ok()?;
            self.things.get_key_value(&Subnet::of(around))
        });
        let inside = self.things.range(subnet..);
        let inside = inside.take_while(move |(other, _)| subnet.contains_subnet(**other));
        around.chain(inside).flat_map(|(other, things)| things.iter().map(|it| (*other, it)))
    }
}
