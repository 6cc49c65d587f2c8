//! Subnets of nodes, cut from the ranges of a layer-3 network.
//!
//! Reads ranges with the length of what a node gets of them, and what nodes carry; returns one
//! subnet of each family for a node.
//! Invariant: no two nodes have overlapping subnets, and a node keeps what it has.

use std::collections::BTreeMap;

use udn_model::{
    ClusterSubnet, Family, Finding, Findings, NetworkName, NodeName, PerFamily, Reason, Subject,
    Subnet, Told,
};

mod of_ledger;
mod share;
#[cfg(test)]
mod tests;

use share::Share;

pub use of_ledger::{SettledNode, settle_node_subnets};

/// Which node has which subnets of one network.
#[derive(Debug, Clone)]
pub struct NodeSubnets {
    network: NetworkName,
    /// All that were told, also those that cannot be cut.
    ranges: Vec<ClusterSubnet>,
    shares: Vec<Share>,
    held: BTreeMap<NodeName, PerFamily<Subnet>>,
    lacking: BTreeMap<NodeName, Lack>,
}

/// Why a node has no subnet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lack {
    /// None of this family is left.
    Exhausted(Family),
    /// It carries one that another node has.
    Taken(Subnet),
}

/// How many of a network's subnets nodes have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    pub used: u128,
    pub total: u128,
}

impl NodeSubnets {
    pub fn new(network: &NetworkName, ranges: &[ClusterSubnet]) -> Self {
        let (held, lacking) = Default::default();
        let (network, shares) = (network.clone(), Vec::new());
        let mut subnets = Self { network, ranges: Vec::new(), shares, held, lacking };
        subnets.follow(ranges);
        subnets
    }

    /// Goes on with the ranges as they are now: nodes keep what lies in them. One that overlaps an
    /// earlier one, or cannot be cut, gives nothing.
    pub fn follow(&mut self, ranges: &[ClusterSubnet]) {
        if !ranges.starts_with(&self.ranges) {
            self.shares.clear();
            self.ranges.clear();
        }
        for range in &ranges[self.ranges.len()..] {
            let is_new = !self.shares.iter().any(|it| it.range.subnet.overlaps(range.subnet));
            self.shares.extend(Share::new(*range).filter(|_| is_new));
        }
        self.ranges = ranges.to_vec();
        let Self { shares, held, .. } = self;
        held.retain(|_, subnets| {
            let fits = |it: &&Subnet| shares.iter().any(|share| share.is_free(**it).is_some());
            let (v4, v6) = (subnets.v4.as_ref().filter(fits), subnets.v6.as_ref().filter(fits));
            *subnets = PerFamily { v4: v4.copied(), v6: v6.copied() };
            !subnets.is_empty()
        });
        for subnet in held.values().flat_map(PerFamily::iter) {
            shares.iter_mut().for_each(|share| share.take(*subnet));
        }
    }

    /// Writes down what a node carries, as far as it is free and the node has nothing yet.
    pub fn adopt(&mut self, node: &NodeName, carried: &PerFamily<Subnet>) {
        for subnet in carried.iter() {
            let present = self.held.get(node).and_then(|it| it.of(subnet.family()));
            if present.is_none() && self.state(*subnet) == State::Free {
                self.hold(node, *subnet);
            }
        }
    }

    /// The subnets of a node: those that it has, those that it carries, and free ones for what it
    /// lacks; nothing new where it cannot have one of each family.
    pub fn settle(
        &mut self,
        node: &NodeName,
        carried: &PerFamily<Subnet>,
    ) -> Told<PerFamily<Subnet>> {
        let mut granted = self.held.get(node).copied().unwrap_or_default();
        let (mut new, mut findings) = (Vec::new(), Findings::new());
        for family in Family::BOTH {
            if granted.of(family).is_some() || !self.has(family) {
                continue;
            }
            let told = carried.of(family).copied();
            match told.map(|subnet| (subnet, self.state(subnet))) {
                Some((subnet, State::Free)) => new.push(subnet),
                Some((subnet, State::Taken)) => {
                    self.lacking.insert(node.clone(), Lack::Taken(subnet));
                    return Told::new(granted, vec![self.taken(node, subnet)]);
                }
                Some((_, State::Foreign)) | None => {
                    let mut of = self.shares.iter().filter(|it| it.family() == family);
                    let Some(subnet) = of.find_map(Share::next) else {
                        self.lacking.insert(node.clone(), Lack::Exhausted(family));
                        return Told::new(granted, vec![self.exhausted(node, family)]);
                    };
                    findings.extend(told.map(|foreign| self.replaced(node, foreign, subnet)));
                    self.shares.iter_mut().for_each(|it| it.has_given(subnet));
                    new.push(subnet);
                }
            }
        }
        self.lacking.remove(node);
        for subnet in new {
            self.hold(node, subnet);
            granted.put(subnet.family(), subnet);
        }
        Told::new(granted, findings)
    }

    /// Gives back what a node has.
    pub fn release(&mut self, node: &NodeName) {
        let released = self.held.remove(node).unwrap_or_default();
        self.lacking.remove(node);
        for subnet in released.iter() {
            self.shares.iter_mut().for_each(|share| share.give_back(*subnet));
        }
    }

    /// The nodes that have no subnet, and why.
    pub fn lacking(&self) -> &BTreeMap<NodeName, Lack> {
        &self.lacking
    }

    /// Who has what.
    pub fn held(&self) -> &BTreeMap<NodeName, PerFamily<Subnet>> {
        &self.held
    }

    /// How many of the subnets of a family nodes have.
    pub fn usage(&self, family: Family) -> Usage {
        let of = self.shares.iter().filter(|it| it.family() == family);
        of.fold(Usage::default(), |usage, share| Usage {
            used: usage.used + share.used,
            total: usage.total.saturating_add(share.total()),
        })
    }

    fn has(&self, family: Family) -> bool {
        self.shares.iter().any(|it| it.family() == family)
    }

    fn hold(&mut self, node: &NodeName, subnet: Subnet) {
        self.shares.iter_mut().for_each(|share| share.take(subnet));
        self.held.entry(node.clone()).or_default().put(subnet.family(), subnet);
    }

    fn state(&self, subnet: Subnet) -> State {
        match self.shares.iter().find_map(|share| share.is_free(subnet)) {
            Some(true) => State::Free,
            Some(false) => State::Taken,
            None => State::Foreign,
        }
    }

    fn taken(&self, node: &NodeName, subnet: Subnet) -> Finding {
        let has = |(_, held): &(&NodeName, &PerFamily<Subnet>)| held.iter().any(|it| *it == subnet);
        let holder = self.held.iter().find(has).map(|(holder, _)| holder.to_string());
        let message = format!(
            "{subnet} of network {} is held by {}; remove it from the annotation of {node} so that a \
             free one is granted",
            self.network,
            holder.unwrap_or_else(|| "another node".to_owned())
        );
        Finding::new(Subject::Node(node.clone()), Reason::AlreadyTaken, message)
    }

    fn replaced(&self, node: &NodeName, foreign: Subnet, granted: Subnet) -> Finding {
        let message = format!(
            "{foreign} in the annotation is no part that network {} has for nodes, so {node} gets \
             {granted} instead",
            self.network
        );
        Finding::new(Subject::Node(node.clone()), Reason::OutOfRange, message)
    }

    fn exhausted(&self, node: &NodeName, family: Family) -> Finding {
        let Usage { used, total } = self.usage(family);
        let message = format!(
            "all {total} {family} subnets for nodes of network {} are in use ({used} of {total}); \
             append a subnet to the network, or remove nodes that no longer exist",
            self.network
        );
        Finding::new(Subject::Node(node.clone()), Reason::PoolExhausted, message)
    }
}

/// What a subnet is to a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Free,
    Taken,
    /// It is no part of the network's ranges.
    Foreign,
}
