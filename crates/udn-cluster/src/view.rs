//! What a reconcile of one work item sees.
//!
//! Invariant: a reconcile on a view gives what one on the whole world would give for that item.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use udn_model::{Network, NetworkName, NodeName};
use udn_wire::object::NodeNetworkReport;

use crate::agents::AgentState;
use crate::nad_states::NadStates;
use crate::work_item::WorkItem;
use crate::world::World;

/// What a reconcile of one work item sees.
#[derive(Debug, Clone)]
pub struct View {
    pub item: WorkItem,
    /// The work item's own objects, and those of others that it could meet: in its namespaces, under
    /// its names, on its VLAN. Of pods only those that use its NADs; of nodes only a node's own
    /// work item sees any.
    pub world: World,
    /// Where the NADs lead that the pods here name.
    pub nad_states: NadStates,
    /// All nodes.
    pub cluster_nodes: Arc<ClusterNodes>,
    /// What a node may have subnets of; only a node's own work item sees any.
    pub layer3: Layer3View,
}

/// The layer-3 networks, as far as a node asks for them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Layer3View {
    /// Those that are built; the default network, which nobody asks for, is not among them.
    pub networks: Arc<Layer3Networks>,
    /// Those that the node carries subnets of though nothing speaks of them any more.
    pub gone: BTreeSet<String>,
}

/// Layer-3 networks by their names.
pub type Layer3Networks = BTreeMap<NetworkName, Arc<Network>>;

/// The nodes, as far as networks ask for them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClusterNodes {
    /// Every node that is not being deleted, with its report if it gave one.
    pub nodes: BTreeMap<NodeName, Option<Arc<NodeNetworkReport>>>,
    /// The nodes' own addresses and gateways, to find subnets that hide them.
    pub hosts: BTreeMap<NodeName, udn_model::Node>,
    /// What is known of their agents; of one that gave no sign of life yet, nothing.
    pub agents: BTreeMap<NodeName, AgentState>,
}
