//! Subnets of nodes, cut from the subnets of a layer-3 network.
//!
//! Reads entries of a subnet with the length of what a node gets of it; returns one of each family.
//! Invariant: no two nodes have overlapping subnets, and a node keeps what it has.

use std::collections::BTreeMap;

use udn_model::{Family, Finding, Findings, NodeName, PerFamily, Reason, Subject, Subnet, Told};

use crate::address_pool::{address, number, range};
use crate::intervals::Intervals;

#[cfg(test)]
mod tests;

/// A subnet of the network, and how long the prefix of a node's part is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostSubnets {
    pub subnet: Subnet,
    pub host_prefix_len: u8,
}

/// Which node has which subnets.
#[derive(Debug, Clone, Default)]
pub struct NodeSubnets {
    shares: Vec<Share>,
    held: BTreeMap<NodeName, PerFamily<Subnet>>,
}

/// One entry, cut into equal parts.
#[derive(Debug, Clone)]
struct Share {
    entry: HostSubnets,
    /// The numbers of the parts that nodes have.
    taken: Intervals,
    used: u128,
}

impl NodeSubnets {
    pub fn new(entries: &[HostSubnets]) -> Self {
        let mut subnets = Self::default();
        subnets.append(entries);
        subnets
    }

    /// Adds entries; those that are there already, and those that cannot be cut so, change
    /// nothing.
    pub fn append(&mut self, entries: &[HostSubnets]) {
        for entry in entries {
            let bounds = entry.subnet.prefix_len()..=entry.subnet.family().longest_prefix();
            let is_known = self.shares.iter().any(|it| it.entry.subnet.overlaps(entry.subnet));
            if bounds.contains(&entry.host_prefix_len) && !is_known {
                let mut share = Share { entry: *entry, taken: Intervals::default(), used: 0 };
                self.held.values().flat_map(PerFamily::iter).for_each(|it| share.take(*it));
                self.shares.push(share);
            }
        }
    }

    /// Writes down the subnets that a node carries; tells which it may not have.
    pub fn adopt(&mut self, node: &NodeName, carried: &[Subnet]) -> Findings {
        let mut findings = Findings::new();
        for subnet in carried {
            let present = self.held.get(node).and_then(|it| it.of(subnet.family()));
            if present == Some(subnet) {
                continue;
            }
            match self.refusal(node, *subnet, present.copied()) {
                Some(message) => {
                    let subject = Subject::Node(node.clone());
                    findings.push(Finding::new(subject, Reason::AlreadyTaken, message));
                }
                None => self.hold(node, *subnet),
            }
        }
        findings
    }

    /// The subnets of a node: those that it has, and the lowest free ones for what it lacks;
    /// nothing new where one family has none left.
    pub fn grant(&mut self, node: &NodeName) -> Told<PerFamily<Subnet>> {
        let mut granted = self.held.get(node).copied().unwrap_or_default();
        let mut new = Vec::new();
        for family in Family::BOTH {
            let mut of = self.shares.iter().filter(|it| it.entry.subnet.family() == family);
            if granted.of(family).is_some() || of.clone().next().is_none() {
                continue;
            }
            match of.find_map(Share::next) {
                Some(subnet) => new.push(subnet),
                None => return Told::new(granted, vec![self.exhausted(node, family)]),
            }
        }
        for subnet in new {
            self.hold(node, subnet);
            granted.put(subnet.family(), subnet);
        }
        Told::new(granted, Findings::new())
    }

    /// Gives back what a node has.
    pub fn release(&mut self, node: &NodeName) {
        let released = self.held.remove(node).unwrap_or_default();
        for subnet in released.iter() {
            self.shares.iter_mut().for_each(|share| share.give_back(*subnet));
        }
    }

    fn hold(&mut self, node: &NodeName, subnet: Subnet) {
        self.shares.iter_mut().for_each(|share| share.take(subnet));
        self.held.entry(node.clone()).or_default().put(subnet.family(), subnet);
    }

    /// Why a node may not have a subnet.
    fn refusal(&self, node: &NodeName, subnet: Subnet, present: Option<Subnet>) -> Option<String> {
        if let Some(present) = present {
            return Some(format!(
                "{subnet} in the annotation of {node} is not the node's subnet {present}; remove it"
            ));
        }
        let share = self.shares.iter().find(|it| it.part(subnet).is_some());
        match share.map(|it| it.taken.contains(it.part(subnet).unwrap_or_default())) {
            Some(false) => None,
            Some(true) => {
                let has = |(_, held): &(&NodeName, &PerFamily<Subnet>)| {
                    held.iter().any(|it| *it == subnet)
                };
                let holder = self.held.iter().find(has).map(|(holder, _)| holder.to_string());
                Some(format!(
                    "{subnet} in the annotation of {node} is held by {}; remove it there so that a \
                     free one is granted",
                    holder.unwrap_or_else(|| "another node".to_owned())
                ))
            }
            None => Some(format!(
                "{subnet} in the annotation of {node} is no part of the network's subnets; remove it \
                 there so that a free one is granted"
            )),
        }
    }

    fn exhausted(&self, node: &NodeName, family: Family) -> Finding {
        let of = self.shares.iter().filter(|it| it.entry.subnet.family() == family);
        let (used, total) = of.fold((0_u128, 0_u128), |(used, total), share| {
            (used + share.used, total.saturating_add(share.total()))
        });
        let message = format!(
            "all {total} {family} subnets for nodes are in use ({used} of {total}); append a subnet \
             to the network, or remove nodes that no longer exist"
        );
        Finding::new(Subject::Node(node.clone()), Reason::PoolExhausted, message)
    }
}

impl Share {
    fn total(&self) -> u128 {
        let HostSubnets { subnet, host_prefix_len } = self.entry;
        let bits = u32::from(host_prefix_len - subnet.prefix_len());
        1_u128.checked_shl(bits).unwrap_or(u128::MAX)
    }

    /// How many addresses a part has, as a number of bits.
    fn host_bits(&self) -> u32 {
        let HostSubnets { subnet, host_prefix_len } = self.entry;
        u32::from(subnet.family().longest_prefix() - host_prefix_len)
    }

    /// The lowest free part.
    fn next(&self) -> Option<Subnet> {
        let part = self.taken.first_free(0..=self.total() - 1)?;
        let HostSubnets { subnet, host_prefix_len } = self.entry;
        let offset = part.checked_shl(self.host_bits()).unwrap_or(0);
        let base = address(range(subnet).start() + offset, subnet.family());
        udn_model::InterfaceAddress::new(base, host_prefix_len).ok().map(Subnet::of)
    }

    /// Which part a subnet is.
    fn part(&self, of: Subnet) -> Option<u128> {
        let HostSubnets { subnet, host_prefix_len } = self.entry;
        let is_part = subnet.family() == of.family()
            && subnet.contains_subnet(of)
            && of.prefix_len() == host_prefix_len;
        let offset = number(of.base()).checked_sub(*range(subnet).start())?;
        is_part.then(|| offset.checked_shr(self.host_bits()).unwrap_or(0))
    }

    fn take(&mut self, subnet: Subnet) {
        if let Some(part) = self.part(subnet)
            && !self.taken.contains(part)
        {
            self.taken.take(part..=part);
            self.used += 1;
        }
    }

    fn give_back(&mut self, subnet: Subnet) {
        if let Some(part) = self.part(subnet)
            && self.taken.contains(part)
        {
            self.taken.give_back(part);
            self.used -= 1;
        }
    }
}
