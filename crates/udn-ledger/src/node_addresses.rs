//! The addresses that one node gives to its pods on a layer-3 network.
//!
//! Reads a network and the node's subnets; returns the network as the node's pods see it, for which a
//! [`Ledger`] grants addresses as for any other.
//! Invariant: the first two addresses of a node's subnet are the network's own, whatever its role.

use udn_model::{
    Attachment, Network, NetworkName, PerFamily, PlatformAddresses, Subnet, Subnets, Topology,
};

use crate::ledger::Ledger;

#[cfg(test)]
mod tests;

/// A layer-3 network as the pods of one node see it: its subnets are the node's.
pub fn network_on_node(network: &Network, subnets: &PerFamily<Subnet>) -> Network {
    let of_node = Subnets::new(subnets.iter().copied().collect());
    let of_node = of_node.expect("there is at most one of each family");
    Network { subnets: of_node, ..network.clone() }
}

/// What a pod can ask of its node: a MAC. Claims and virtual machines, which move between nodes, hold
/// nothing there, and addresses cannot be chosen.
pub fn attachment_on_node(mut attachment: Attachment) -> Attachment {
    attachment.request.addresses.clear();
    Attachment { claim: None, machine: None, ..attachment }
}

/// The gateway and management addresses of a network, also of a node's part of one.
pub(crate) fn platform_addresses(network: &Network) -> Vec<PlatformAddresses> {
    match network.topology {
        Topology::Layer2(_) | Topology::Localnet(_) => network.platform_addresses(),
        Topology::Layer3(_) => {
            let mut subnets = PerFamily::default();
            for subnet in network.subnets.iter() {
                subnets.put(subnet.family(), subnet);
            }
            PlatformAddresses::on_node(&subnets)
        }
    }
}

impl Ledger {
    /// Forgets what a node gave of a network.
    pub fn forget_network(&mut self, network: &NetworkName) {
        self.close_network(network);
    }
}
