//! The ledger: the cluster's own numbers, and the allocations of each network.
//!
//! Invariant: it can be lost at any time; what it knows is rebuilt from what was published.

use std::collections::BTreeMap;
use std::fmt;

use udn_model::settings::PoolSettings;
use udn_model::{
    ClusterSettings, NetworkId, NetworkName, NodeId, NodeName, ObjectName, PerFamily, Subnet,
    TunnelKey,
};

use crate::addresses::KnownPod;
use crate::by_name::ByName;
use crate::network_allocations::NetworkAllocations;
use crate::node_subnets::NodeSubnets;
use crate::number_pool::NumberPool;

/// Keys from here on belong to nobody until they are granted.
pub(crate) const FIRST_FREE_TUNNEL_KEY: u32 = TunnelKey::FIRST_PRESERVED + 4096;

const FIRST_NODE: u16 = 2;

/// Who holds which number.
#[derive(Debug, Clone)]
pub struct Ledger {
    pub(crate) nodes: NumberPool<NodeName>,
    pub(crate) ids: NumberPool<NetworkName>,
    /// The tunnel keys of primary layer-2 networks.
    pub(crate) keys: NumberPool<KeyHolder>,
    /// The transit subnets of primary layer-2 networks; each has its own to choose from.
    pub(crate) transits: BTreeMap<NetworkName, PerFamily<Subnet>>,
    /// The nodes' subnets of each layer-3 network, the default one among them.
    pub(crate) node_subnets: BTreeMap<NetworkName, NodeSubnets>,
    /// The addresses of each network.
    pub(crate) networks: BTreeMap<NetworkName, Box<NetworkAllocations>>,
    /// In which of these a pod holds something or waits.
    pub(crate) pods: ByName<KnownPod>,
    /// In which of these a claim holds something or waits.
    pub(crate) claims: BTreeMap<ObjectName, NetworkName>,
}

/// A network's switch or its transit router, which have a tunnel key each.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct KeyHolder {
    pub(crate) network: NetworkName,
    pub(crate) place: KeyPlace,
}

/// Where a key stands in the list of its network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum KeyPlace {
    Switch,
    TransitRouter,
}

impl KeyPlace {
    /// In the order in which they are published.
    pub(crate) const ALL: [Self; 2] = [Self::Switch, Self::TransitRouter];
}

impl KeyHolder {
    pub(crate) fn new(network: &NetworkName, place: KeyPlace) -> Self {
        Self { network: network.clone(), place }
    }
}

impl fmt::Display for KeyHolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.network.fmt(f)
    }
}

impl Ledger {
    /// A ledger in which nothing is granted yet.
    ///
    /// The settings bound what is granted; what was published before they changed may lie beyond.
    pub fn new(settings: &ClusterSettings) -> Self {
        let PoolSettings { last_network, last_node, last_tunnel_key, .. } = settings.pools;
        let nodes = NumberPool::new(FIRST_NODE.into()..=NodeId::LAST.into());
        let ids = NumberPool::new(1..=NetworkId::LAST.into());
        let keys =
            NumberPool::new((TunnelKey::FIRST_PRESERVED + 1).into()..=TunnelKey::LAST.into());
        let last_key = last_tunnel_key.min(TunnelKey::LAST);
        Self {
            nodes: nodes.giving(FIRST_NODE.into()..=last_node.min(NodeId::LAST).into()),
            ids: ids.giving(1..=last_network.min(NetworkId::LAST).into()),
            keys: keys.giving(FIRST_FREE_TUNNEL_KEY.into()..=last_key.into()),
            transits: BTreeMap::new(),
            node_subnets: BTreeMap::new(),
            networks: BTreeMap::new(),
            pods: ByName::default(),
            claims: BTreeMap::new(),
        }
    }
}
