//! What a node's host must look like: the translation from networks and pods to the host.
//!
//! Reads [`HostFacts`]; returns a [`HostPlan`]: rows of the switch's database, flows of the external
//! bridge, links, routes and rules. Nothing here acts, and the order of the facts does not matter.
//! Invariant: what the plan holds for one network does not depend on any other network, except for
//! the list of those that hear the neighbours on the external bridge.

use std::collections::BTreeSet;

use ovn::Sheet;

mod bridge;
pub mod facts;
pub mod flow;
mod hearing;
pub mod links;
pub mod ports;
pub mod revision;
mod show;
pub mod survey;
#[cfg(test)]
mod tests;

pub use facts::{Datapath, HostFacts, NetworkFacts, NodeFacts, PodFacts, PortNumber};
pub use flow::Flows;
pub use links::{HostLink, PodLink, Routing};
pub use ports::HostPart;

/// Everything that must stand on the host, and nothing else of ours.
#[derive(Debug, Clone, PartialEq)]
pub struct HostPlan {
    /// Ports of the integration bridge, one sheet for each part.
    pub ports: Vec<Sheet>,
    pub bridge: BridgePlan,
    /// The host's own links into primary networks.
    pub links: Vec<HostLink>,
    pub routing: Routing,
    pub pods: Vec<PodLink>,
}

/// What the external bridge must look like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BridgePlan {
    pub name: String,
    /// Ports that a flood must not reach: each costs a walk through a whole virtual network.
    pub quiet: BTreeSet<PortNumber>,
    pub flows: Flows,
}

impl HostPlan {
    /// Decides how the host must look.
    pub fn of(facts: &HostFacts) -> Self {
        let facts = facts.sorted();
        let HostFacts { node, networks, pods } = &facts;
        Self {
            ports: ports::draw(&facts),
            bridge: BridgePlan {
                name: node.gateway.bridge.clone(),
                quiet: networks.iter().filter_map(|network| network.patch).collect(),
                flows: bridge::flows(node, networks),
            },
            links: networks.iter().map(links::host_link).collect(),
            routing: links::routing(node, networks),
            pods: pods.iter().map(|pod| links::pod_link(node, pod)).collect(),
        }
    }
}
