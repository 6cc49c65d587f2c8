//! The ledger: the cluster's own numbers, and a ledger for each network.
//!
//! Invariant: it can be lost at any time; what it knows is rebuilt from what was published.

use std::collections::BTreeMap;

use udn_model::settings::PoolSettings;
use udn_model::{ClusterSettings, NetworkName, NodeName};

use crate::book::Book;
use crate::network_ledger::NetworkLedger;

/// The first key that belongs to a network id; the default network's.
// compat: pkg/allocator/id/tunnelkeyallocator.go, BaseTransitSwitchTunnelKey
pub(crate) const FIRST_TUNNEL_KEY: u32 = 16_711_683;

/// Keys from here on belong to nobody until they are granted.
pub(crate) const FIRST_FREE_TUNNEL_KEY: u32 = FIRST_TUNNEL_KEY + 4096;

/// Who holds which number.
#[derive(Debug, Clone)]
pub struct Ledger {
    pub(crate) nodes: Book<NodeName>,
    pub(crate) ids: Book<NetworkName>,
    /// The second tunnel keys of primary layer-2 networks.
    pub(crate) keys: Book<NetworkName>,
    pub(crate) networks: BTreeMap<NetworkName, NetworkLedger>,
}

impl Ledger {
    /// A ledger in which nothing is granted yet.
    pub fn new(settings: &ClusterSettings) -> Self {
        let PoolSettings { last_network, last_node, last_tunnel_key, .. } = settings.pools;
        Self {
            nodes: Book::new(2..=last_node.into()),
            ids: Book::new(1..=last_network.into()),
            keys: Book::new(FIRST_FREE_TUNNEL_KEY.into()..=last_tunnel_key.into()),
            networks: BTreeMap::new(),
        }
    }
}
