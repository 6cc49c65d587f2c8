//! The subnets of nodes in a ledger: one book for each layer-3 network.
//!
//! Invariant: before anything of a network is granted, what all nodes carry of it is written down.

use udn_model::{Findings, Network, NetworkName, NodeName, PerFamily, Subnet, Told};

use super::NodeSubnets;
use crate::ledger::Ledger;

/// What came of one node on one network.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SettledNode {
    /// What the node has now.
    pub subnets: PerFamily<Subnet>,
    pub findings: Findings,
    /// Whether others lack a subnet now than before.
    pub is_news: bool,
}

impl Ledger {
    /// Opens a layer-3 network with what nodes carry of it; one that is open already follows its
    /// ranges, and one of another topology has no subnets for nodes.
    pub fn open_node_subnets<'a>(
        &mut self,
        network: &Network,
        carried: impl IntoIterator<Item = (&'a NodeName, &'a PerFamily<Subnet>)>,
    ) {
        let Some(layer3) = network.layer3() else {
            self.node_subnets.remove(&network.name);
            return;
        };
        if let Some(open) = self.node_subnets.get_mut(&network.name) {
            return open.follow(&layer3.subnets);
        }
        let mut subnets = NodeSubnets::new(&network.name, &layer3.subnets);
        carried.into_iter().for_each(|(node, carried)| subnets.adopt(node, carried));
        self.node_subnets.insert(network.name.clone(), subnets);
    }

    /// Which node has which subnets of a network; `None` unless it is an open layer-3 network.
    pub fn node_subnets(&self, network: &NetworkName) -> Option<&NodeSubnets> {
        self.node_subnets.get(network)
    }

    /// Gives back what a node has of all networks; returns those of which it lacked a subnet.
    pub(crate) fn release_node_subnets(&mut self, node: &NodeName) -> Vec<NetworkName> {
        let mut lacked = Vec::new();
        for (name, subnets) in &mut self.node_subnets {
            if subnets.lacking().contains_key(node) {
                lacked.push(name.clone());
            }
            subnets.release(node);
        }
        lacked
    }
}

/// The subnets of a node on one network, which it may carry already; `None` unless the network is
/// open.
pub fn settle_node_subnets(
    network: &NetworkName,
    node: &NodeName,
    carried: &PerFamily<Subnet>,
    ledger: &mut Ledger,
) -> Option<SettledNode> {
    let subnets = ledger.node_subnets.get_mut(network)?;
    let before = subnets.lacking().get(node).copied();
    let Told { value, findings } = subnets.settle(node, carried);
    let is_news = subnets.lacking().get(node).copied() != before;
    Some(SettledNode { subnets: value, findings, is_news })
}
