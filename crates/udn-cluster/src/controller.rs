//! What the cluster controller writes about one work item.
//!
//! Reads a [`View`] of the world, what was translated and granted; returns [`Write`]s, a status and
//! [`Event`]s.
//! Invariant: a work item whose objects are as they should be gives no writes.

use std::collections::BTreeMap;
use std::sync::Arc;

use udn_model::{
    ClusterSettings, Finding, Findings, Grants, Intent, NetworkName, NodeId, NodeName, ObjectName,
    Subject,
};
use udn_wire::keys::{NETWORK_NAME, NODE_ID};
use udn_wire::nad_config::NadConfig;
use udn_wire::node_annotations::decode_id;
use udn_wire::object::{Nad, Node, NodeNetworkReport};

use crate::nad_states::NadStates;
use crate::translate::made_for;
use crate::work_item::WorkItem;
use crate::world::World;

mod claims;
mod labels;
mod leaving;
mod nodes;
mod others;
mod pods;
mod remarks;
mod status;
mod write;
mod writes;

pub use labels::{physical_network_labels, unlabelled_physical_networks};
pub use others::{about_others, events_of_others};
pub use remarks::{node_overlaps, remarks};
pub use status::{Outcome, StatusUpdate, status};
pub use write::{Act, Event, EventType, Write};
pub use writes::writes;

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

/// The number that a node carries, and what is wrong with it.
pub fn published_node_id(node: Option<&Node>) -> (Option<NodeId>, Findings) {
    let Some(node) = node else { return (None, Findings::new()) };
    let name = NodeName::new(&node.metadata.name);
    match node.metadata.annotation(NODE_ID).map(decode_id).transpose() {
        Ok(id) => (id, Findings::new()),
        Err(unreadable) => (None, vec![unreadable.about(Subject::Node(name))]),
    }
}

/// Whether something must be there of which nothing was heard yet, such as a UDN's namespace.
pub fn is_premature(view: &View) -> bool {
    match &view.item {
        WorkItem::UserDefinedNetwork(name) => {
            view.world.networks.contains_key(name)
                && !view.world.namespaces.contains_key(&*name.namespace)
        }
        WorkItem::ClusterUserDefinedNetwork(_)
        | WorkItem::HandWritten(_)
        | WorkItem::Node(_)
        | WorkItem::DefaultNad
        | WorkItem::Pod(_)
        | WorkItem::Claim(_) => false,
    }
}

/// Whether the work item has a network that may be.
pub fn has_network(view: &View, intent: &Intent) -> bool {
    let network = view.item.network().and_then(|name| intent.networks.get(&name));
    network.is_some_and(|it| Some(&it.origin) == view.item.origin().as_ref())
}

/// Whether nothing is left of the work item's network, so that its numbers are free.
pub fn is_over(view: &View, intent: &Intent) -> bool {
    let Some(name) = view.item.network() else { return false };
    let is_asked = match &view.item {
        WorkItem::UserDefinedNetwork(name) => view.world.networks.contains_key(name),
        WorkItem::ClusterUserDefinedNetwork(name) => view.world.cluster_networks.contains_key(name),
        WorkItem::HandWritten(_)
        | WorkItem::Node(_)
        | WorkItem::DefaultNad
        | WorkItem::Pod(_)
        | WorkItem::Claim(_) => false,
    };
    let is_carried =
        intent.networks.contains_key(&name) || intent.published.networks.contains_key(&name);
    !is_asked && !is_carried
}

/// The findings that concern the work item itself, not those whom it meets.
pub fn concerning(view: &View, findings: Findings) -> Findings {
    let is_own = |finding: &Finding| match (&finding.subject, &view.item) {
        (Subject::UserDefinedNetwork(it), WorkItem::UserDefinedNetwork(own)) => it == own,
        (Subject::ClusterUserDefinedNetwork(it), WorkItem::ClusterUserDefinedNetwork(own)) => {
            it == own
        }
        (Subject::Node(it), WorkItem::Node(own)) => it == own,
        (Subject::Pod(it), WorkItem::Pod(own)) | (Subject::Claim(it), WorkItem::Claim(own)) => {
            it == own
        }
        (Subject::Network(it), item) => item.network().as_ref() == Some(it),
        (Subject::Nad(name), item) => is_nad_of(&view.world, name, item),
        (
            Subject::UserDefinedNetwork(_)
            | Subject::ClusterUserDefinedNetwork(_)
            | Subject::Node(_)
            | Subject::Pod(_)
            | Subject::Claim(_)
            | Subject::Namespace(_),
            _,
        ) => false,
    };
    findings.into_iter().filter(is_own).collect()
}

/// Whether a NAD is the work item's.
fn is_nad_of(world: &World, name: &ObjectName, item: &WorkItem) -> bool {
    let Some(nad) = world.nads.get(name) else { return false };
    let made = made_for(name, nad);
    made.or_else(|| item_of_written(name, nad)).as_ref() == Some(item)
}

/// The work item of a NAD that somebody wrote; `None` for one of another plugin.
///
/// A NAD that cannot be read has a work item of its own, named after it: names of networks that
/// UDNs and CUDNs ask for have no slash.
pub fn item_of_written(name: &ObjectName, nad: &Nad) -> Option<WorkItem> {
    let named = match NadConfig::decode(&nad.spec.config) {
        Ok(NadConfig::Foreign | NadConfig::DefaultNetwork) => return None,
        Ok(NadConfig::Network(config)) if !config.name.is_empty() => Some(config.name.clone()),
        Ok(NadConfig::Network(_)) | Err(_) => {
            nad.metadata.annotation(NETWORK_NAME).map(ToOwned::to_owned)
        }
    };
    let network = named.unwrap_or_else(|| name.to_string());
    Some(WorkItem::HandWritten(NetworkName::new(&network)))
}

/// What a reconcile found and granted.
#[derive(Debug, Clone, Copy)]
pub struct Decided<'a> {
    pub intent: &'a Intent,
    pub grants: &'a Grants,
    pub findings: &'a Findings,
    pub settings: &'a ClusterSettings,
}
