//! What a reconcile of one work item sees.
//!
//! Invariant: a reconcile on a view gives what one on the whole world would give for that item.

use std::collections::BTreeMap;
use std::sync::Arc;

use udn_model::NodeName;
use udn_wire::object::NodeNetworkReport;

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
}

/// The nodes, as far as networks ask for them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClusterNodes {
    /// Every node that is not being deleted, with its report if it gave one.
    pub nodes: BTreeMap<NodeName, Option<Arc<NodeNetworkReport>>>,
    /// The nodes' own addresses and gateways, to find subnets that hide them.
    pub hosts: BTreeMap<NodeName, udn_model::Node>,
}
