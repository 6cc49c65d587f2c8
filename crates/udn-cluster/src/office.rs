//! What the cluster office writes about one affair.
//!
//! Reads a [`Slice`] of the world, what was translated and granted; returns [`Write`]s, a status and
//! [`Notice`]s.
//! Invariant: an affair whose objects are as they should be gives no writes.

use std::collections::BTreeMap;
use std::sync::Arc;

use udn_model::{
    ClusterSettings, Finding, Findings, Grants, Intent, NetworkName, NodeId, NodeName, ObjectName,
    Subject,
};
use udn_wire::keys::{NETWORK_NAME, NODE_ID};
use udn_wire::nad_config::NadConfig;
use udn_wire::node_annotations::decode_id;
use udn_wire::object::{Definition, Node, NodeNetworkReport};

use crate::affair::Affair;
use crate::doors::Doors;
use crate::translate::made_for;
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
pub use others::{about_others, notices_of_others};
pub use remarks::{node_overlaps, remarks};
pub use status::{Account, Outcome, status};
pub use write::{Act, Notice, NoticeKind, Write};
pub use writes::writes;

/// What a turn of one affair sees.
#[derive(Debug, Clone)]
pub struct Slice {
    pub affair: Affair,
    /// The affair's own objects, and those of others that it could meet: in its namespaces, under
    /// its names, on its VLAN. Of pods only those that use its NADs; of nodes only a node's own
    /// affair sees any.
    pub world: World,
    /// Where the NADs lead that the pods here name.
    pub doors: Doors,
    /// All nodes.
    pub roster: Arc<Roster>,
}

/// The nodes, as far as networks ask for them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Roster {
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
pub fn is_premature(slice: &Slice) -> bool {
    match &slice.affair {
        Affair::UserDefinedNetwork(name) => {
            slice.world.networks.contains_key(name)
                && !slice.world.namespaces.contains_key(&*name.namespace)
        }
        Affair::ClusterUserDefinedNetwork(_)
        | Affair::Written(_)
        | Affair::Node(_)
        | Affair::DefaultDefinition
        | Affair::Pod(_)
        | Affair::Claim(_) => false,
    }
}

/// Whether the affair has a network that may be.
pub fn has_network(slice: &Slice, intent: &Intent) -> bool {
    let network = slice.affair.network().and_then(|name| intent.networks.get(&name));
    network.is_some_and(|it| Some(&it.origin) == slice.affair.origin().as_ref())
}

/// Whether nothing is left of the affair's network, so that its numbers are free.
pub fn is_over(slice: &Slice, intent: &Intent) -> bool {
    let Some(name) = slice.affair.network() else { return false };
    let is_asked = match &slice.affair {
        Affair::UserDefinedNetwork(name) => slice.world.networks.contains_key(name),
        Affair::ClusterUserDefinedNetwork(name) => slice.world.cluster_networks.contains_key(name),
        Affair::Written(_)
        | Affair::Node(_)
        | Affair::DefaultDefinition
        | Affair::Pod(_)
        | Affair::Claim(_) => false,
    };
    let is_carried =
        intent.networks.contains_key(&name) || intent.published.networks.contains_key(&name);
    !is_asked && !is_carried
}

/// The findings that concern the affair itself, not those whom it meets.
pub fn concerning(slice: &Slice, findings: Findings) -> Findings {
    let is_own = |finding: &Finding| match (&finding.subject, &slice.affair) {
        (Subject::UserDefinedNetwork(it), Affair::UserDefinedNetwork(own)) => it == own,
        (Subject::ClusterUserDefinedNetwork(it), Affair::ClusterUserDefinedNetwork(own)) => {
            it == own
        }
        (Subject::Node(it), Affair::Node(own)) => it == own,
        (Subject::Pod(it), Affair::Pod(own)) | (Subject::Claim(it), Affair::Claim(own)) => {
            it == own
        }
        (Subject::Network(it), affair) => affair.network().as_ref() == Some(it),
        (Subject::Definition(name), affair) => is_definition_of(&slice.world, name, affair),
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

/// Whether a NAD is the affair's.
fn is_definition_of(world: &World, name: &ObjectName, affair: &Affair) -> bool {
    let Some(definition) = world.definitions.get(name) else { return false };
    let made = made_for(name, definition);
    made.or_else(|| affair_of_written(name, definition)).as_ref() == Some(affair)
}

/// The affair of a NAD that somebody wrote; `None` for one of another plugin.
///
/// A NAD that cannot be read has an affair of its own, named after it: names of networks that
/// UDNs and CUDNs ask for have no slash.
pub fn affair_of_written(name: &ObjectName, definition: &Definition) -> Option<Affair> {
    let named = match NadConfig::decode(&definition.spec.config) {
        Ok(NadConfig::Elsewhere | NadConfig::DefaultNetwork) => return None,
        Ok(NadConfig::Network(config)) if !config.name.is_empty() => Some(config.name.clone()),
        Ok(NadConfig::Network(_)) | Err(_) => {
            definition.metadata.annotation(NETWORK_NAME).map(ToOwned::to_owned)
        }
    };
    let network = named.unwrap_or_else(|| name.to_string());
    Some(Affair::Written(NetworkName::new(&network)))
}

/// What a turn found and granted.
#[derive(Debug, Clone, Copy)]
pub struct Verdict<'a> {
    pub intent: &'a Intent,
    pub grants: &'a Grants,
    pub findings: &'a Findings,
    pub settings: &'a ClusterSettings,
}
