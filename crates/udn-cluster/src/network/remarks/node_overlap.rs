//! Networks and the nodes' own addresses.
//!
//! Reads nodes and networks; returns findings about subnets that nodes have addresses in.
//! Invariant: a localnet may be the nodes' own network; only addresses that it might give away
//! matter there.

use std::collections::BTreeMap;
use std::net::IpAddr;

use udn_model::{
    Family, Finding, Findings, InterfaceAddress, Network, Node, NodeName, Reason, Subnet, Topology,
};

use crate::translate::{Described, SubnetIndex, first_free, taken_in};

/// All overlaps, at most one for each subnet.
pub(super) fn overlaps<'a>(
    nodes: impl Iterator<Item = (&'a NodeName, &'a Node)>,
    networks: impl Iterator<Item = Described<'a>>,
) -> Findings {
    let hosts = Hosts::of(nodes);
    let mut findings = Findings::new();
    for it in networks {
        for (position, subnet) in it.network.ranges().enumerate() {
            let message = match &it.network.topology {
                Topology::Layer2(_) | Topology::Layer3(_) => hosts.hidden_by(subnet),
                Topology::Localnet(_) => hosts.given_away_by(it.network, subnet),
            };
            let tell = |message| Finding::new(it.subject.clone(), Reason::NodeOverlap, message);
            let finding = message.map(|message| tell(message).at(it.subnet_path(position)));
            findings.extend(finding);
        }
    }
    findings
}

/// Where nodes have their addresses.
#[derive(Default)]
struct Hosts<'a> {
    /// The subnets that nodes are in, each with the first of them.
    subnets: SubnetIndex<(&'a NodeName, IpAddr)>,
    /// Single addresses.
    addresses: SubnetIndex<(&'a NodeName, IpAddr)>,
}

impl<'a> Hosts<'a> {
    fn of(nodes: impl Iterator<Item = (&'a NodeName, &'a Node)>) -> Self {
        let (mut subnets, mut addresses) = (BTreeMap::new(), BTreeMap::new());
        for (name, node) in nodes {
            let outward = node.gateway.iter().flat_map(|gateway| &gateway.addresses);
            for address in node.addresses.iter().chain(outward) {
                let host = (name, address.addr());
                subnets.entry(Subnet::of(*address)).or_insert(host);
                addresses.entry(alone(address.addr())).or_insert(host);
            }
        }
        let mut hosts = Self::default();
        subnets.into_iter().for_each(|(subnet, host)| hosts.subnets.put(subnet, host));
        addresses.into_iter().for_each(|(subnet, host)| hosts.addresses.put(subnet, host));
        hosts
    }

    /// Nodes that pods on the subnet could not reach.
    fn hidden_by(&self, subnet: Subnet) -> Option<String> {
        let (theirs, (node, ip)) = self.subnets.overlapping(subnet).next()?;
        Some(format!(
            "subnet {subnet} overlaps {theirs}, where node {node} has {ip}, so that pods on it cannot \
             reach what is there; choose another"
        ))
    }

    /// Nodes' addresses that a localnet might give to a pod.
    fn given_away_by(&self, network: &Network, subnet: Subnet) -> Option<String> {
        let taken = taken_in(network, subnet);
        let inside = self.addresses.overlapping(subnet);
        let mut free = inside.filter(|(alone, _)| first_free(*alone, &taken).is_some());
        let (_, (node, ip)) = free.next()?;
        let others = match free.count() {
            0 => String::new(),
            others => format!(", and so do {others} more addresses of nodes"),
        };
        Some(format!(
            "subnet {subnet} holds {ip} of node {node}, which may be given to a pod{others}; add it to \
             excludeSubnets"
        ))
    }
}

/// A subnet of one address.
fn alone(ip: IpAddr) -> Subnet {
    let length = Family::of(ip).longest_prefix();
    Subnet::of(InterfaceAddress::new(ip, length).expect("the length is within the family's bounds"))
}
