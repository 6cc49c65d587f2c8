//! Which networks nodes have subnets of: those that are built, and those that stand on nodes.
//!
//! Reads networks as they are built, and nodes' annotations; tells which networks are gone.
//! Invariant: a network that anything in the cluster still speaks of is not gone.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use udn_model::{Network, NetworkName};
use udn_wire::NodeSubnets;
use udn_wire::keys::NODE_SUBNETS;
use udn_wire::object::Node;

use super::lookup::Lookup;
use crate::translate::ovn_prefix;
use crate::view::{Layer3Networks, Layer3View};

/// Networks that nodes have subnets of.
#[derive(Debug, Default)]
pub(crate) struct NodeSubnetIndex {
    built: Arc<Layer3Networks>,
    /// How many nodes carry subnets of a network, but for the default one.
    carried: BTreeMap<String, usize>,
}

impl NodeSubnetIndex {
    /// A network was built, or is no longer.
    pub(crate) fn build(&mut self, name: &NetworkName, network: Option<&Arc<Network>>) {
        let network = network.filter(|it| it.layer3().is_some());
        if self.built.get(name) == network {
            return;
        }
        let built = Arc::make_mut(&mut self.built);
        match network {
            Some(network) => drop(built.insert(name.clone(), network.clone())),
            None => drop(built.remove(name)),
        }
    }

    /// A node came, went, or carries something else.
    pub(crate) fn change(&mut self, before: Option<&Node>, after: Option<&Node>) {
        if text(before) == text(after) {
            return;
        }
        for name in carried(before) {
            if let Some(count) = self.carried.get_mut(&name) {
                *count -= 1;
                if *count == 0 {
                    self.carried.remove(&name);
                }
            }
        }
        for name in carried(after) {
            *self.carried.entry(name).or_default() += 1;
        }
    }

    /// Whether nodes carry anything at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.carried.is_empty()
    }

    /// Whether any node carries subnets of a network.
    pub(crate) fn is_carried(&self, network: &str) -> bool {
        self.carried.contains_key(network)
    }
}

impl Lookup<'_> {
    /// Whether nodes carry subnets of a network that nothing in the cluster speaks of, or that is
    /// built without any. Who builds the default network is a setting.
    pub(crate) fn is_gone(self, network: &str) -> bool {
        let index = self.index;
        if !index.node_subnets.is_carried(network) {
            return false;
        }
        let name = NetworkName::new(network);
        if let Some(built) = index.built.network(&name) {
            return built.layer3().is_none();
        }
        let mut namesakes = index.prefixes.at(&ovn_prefix(&name));
        let is_asked = namesakes.any(|it| it.network().as_ref() == Some(&name));
        !is_asked && !index.by_network.contains_key(&name)
    }

    /// What a node may have subnets of.
    pub(crate) fn layer3(self, node: Option<&Node>) -> Layer3View {
        let gone: BTreeSet<String> =
            carried(node).into_iter().filter(|it| self.is_gone(it)).collect();
        Layer3View { networks: self.index.node_subnets.built.clone(), gone }
    }
}

fn text(node: Option<&Node>) -> Option<&str> {
    node?.metadata.annotation(NODE_SUBNETS)
}

/// The networks besides the default one that a node carries subnets of, as far as that can be read.
fn carried(node: Option<&Node>) -> BTreeSet<String> {
    let subnets = text(node).and_then(|it| NodeSubnets::decode(it).ok()).unwrap_or_default();
    subnets.networks().filter(|it| *it != Network::DEFAULT).map(ToOwned::to_owned).collect()
}
