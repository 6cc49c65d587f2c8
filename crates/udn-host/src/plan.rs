//! The host plan: rows of the switch's database, flows of its bridges, links, routes, rules.
//!
//! Reads [`HostFacts`]; returns a [`HostPlan`].
//! Invariant: what the plan holds for one network does not depend on any other network, except for
//! the list of those that hear the neighbours on the external bridge.

use std::collections::BTreeSet;

use ovn::Sheet;

use crate::facts::{Datapath, HostFacts, PodFacts, PortNumber};
use crate::flow::Flows;
use crate::guard::GuardPlan;
use crate::links::{HostLink, Parameter, PodLink};
use crate::routing::Routing;
use crate::{bridge, links, ports, routing};

#[cfg(test)]
mod tests;

/// Everything that must stand on the host, and nothing else of ours.
#[derive(Debug, Clone, PartialEq)]
pub struct HostPlan {
    /// Ports of the integration bridge, one sheet for each part.
    pub ports: Vec<Sheet>,
    /// What the integration bridge drops; it stands before the ports do.
    pub guard: GuardPlan,
    pub bridge: BridgePlan,
    /// The host's own links into networks.
    pub links: Vec<HostLink>,
    /// What the host's kernel must do besides, where packets go through it.
    pub parameters: Vec<Parameter>,
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

/// Everything that must stand for one attachment of one pod.
#[derive(Debug, Clone, PartialEq)]
pub struct PodPlan {
    pub link: PodLink,
    pub ports: Sheet,
}

impl PodPlan {
    /// Decides about one attachment, whatever else is on the host.
    pub fn of(integration_bridge: &str, datapath: Datapath, pod: &PodFacts) -> Self {
        Self {
            link: links::pod_link(integration_bridge, datapath, pod),
            ports: ports::draw_pod(integration_bridge, pod),
        }
    }
}

impl HostPlan {
    /// Decides how the host must look.
    pub fn of(facts: &HostFacts) -> Self {
        let facts = facts.sorted();
        let HostFacts { node, networks, pods } = &facts;
        Self {
            ports: ports::draw(&facts),
            guard: GuardPlan {
                bridge: node.integration_bridge.clone(),
                macs: pods.iter().filter(|pod| pod.is_guarded).map(|pod| pod.mac).collect(),
            },
            bridge: BridgePlan {
                name: node.gateway.bridge.clone(),
                quiet: networks.iter().filter_map(|network| network.patch).collect(),
                flows: bridge::flows(node, networks),
            },
            links: networks.iter().map(links::host_link).collect(),
            parameters: links::host_parameters(node, networks),
            routing: routing::routing(node, networks),
            pods: pods
                .iter()
                .map(|pod| links::pod_link(&node.integration_bridge, node.datapath, pod))
                .collect(),
        }
    }
}
