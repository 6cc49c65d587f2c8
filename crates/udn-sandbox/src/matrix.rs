//! Who must reach whom: the probes of a ping matrix, and the verdict on each.
//!
//! Reads an intent, its grants and the hosts outside; returns probes. Pure: pings are run elsewhere.
//! Invariant: every pair of different pods is probed in each family that both have.

use std::fmt;
use std::net::IpAddr;

use serde::Serialize;
use udn_model::{Family, Grants, Intent, InterfaceAddress, Network, NetworkName, ObjectName};

mod endpoint;
mod show;
#[cfg(test)]
mod tests;

pub(crate) use endpoint::{Endpoint, endpoints};
pub use show::Matrix;

/// One ping, and what should come of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Probe {
    pub from: Source,
    pub to: Target,
    pub address: IpAddr,
    pub expectation: Expectation,
}

/// The pod that pings, on one of its networks.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Source {
    pub pod: ObjectName,
    pub network: NetworkName,
}

/// What is pinged.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Target {
    Pod(Source),
    Gateway,
    /// A host by its name: outside, or on a VLAN.
    Host(String),
}

/// What a ping should bring.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Expectation {
    /// An answer, between pods of one node.
    SameNode,
    /// An answer, between pods of two nodes.
    AcrossNodes,
    /// An answer from the network's gateway.
    Gateway,
    /// An answer from a host outside.
    Outside,
    /// The target hears nothing, even if somebody else has the same address and answers.
    Silence,
}

impl fmt::Display for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SameNode => "an answer from the same node",
            Self::AcrossNodes => "an answer from another node",
            Self::Gateway => "an answer from the gateway",
            Self::Outside => "an answer from outside",
            Self::Silence => "silence",
        })
    }
}

/// What a ping brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Observation {
    pub is_answered: bool,
    /// Whether the target itself heard a ping; known for pods and hosts that must not.
    pub is_heard: Option<bool>,
}

/// A host that is not a pod.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Host {
    pub name: String,
    pub addresses: Vec<InterfaceAddress>,
    pub reach: Reach,
}

/// From where a host must be reachable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Reach {
    /// From every primary network, through the nodes' gateways.
    Outside,
    /// From one localnet.
    Localnet(NetworkName),
}

impl Host {
    fn is_reached_from(&self, network: &Network) -> bool {
        match &self.reach {
            Reach::Outside => network.is_primary(),
            Reach::Localnet(reached) => *reached == network.name,
        }
    }
}

impl Probe {
    /// Whether what happened is what should.
    pub fn is_as_expected(&self, observation: Observation) -> bool {
        match self.expectation {
            Expectation::Silence => match observation.is_heard {
                Some(is_heard) => !is_heard,
                None => !observation.is_answered,
            },
            Expectation::SameNode
            | Expectation::AcrossNodes
            | Expectation::Gateway
            | Expectation::Outside => observation.is_answered,
        }
    }

    pub fn family(&self) -> Family {
        Family::of(self.address)
    }
}

/// All probes, in order.
pub fn probes(intent: &Intent, grants: &Grants, hosts: &[Host]) -> Vec<Probe> {
    let endpoints = endpoints(intent, grants);
    let mut probes = Vec::new();
    for from in &endpoints {
        let Some(network) = intent.networks.get(&from.source.network) else { continue };
        if from.is_locked() {
            probes.extend(from_locked(from, &endpoints));
            continue;
        }
        // A pod with several networks reaches through one what it must not through another, so
        // silence can be asked only about networks that it is not on.
        let own: Vec<&Network> = endpoints
            .iter()
            .filter(|endpoint| endpoint.source.pod == from.source.pod)
            .filter_map(|endpoint| intent.networks.get(&endpoint.source.network))
            .map(AsRef::as_ref)
            .collect();
        for to in endpoints.iter().filter(|to| to.source.pod != from.source.pod) {
            let is_other = to.source.network != from.source.network;
            if !(is_other && own.iter().any(|it| it.name == to.source.network)) {
                probes.extend(between_pods(from, to));
            }
        }
        probes.extend(from.to_gateways(Expectation::Gateway));
        for host in hosts {
            if host.is_reached_from(network) || !own.iter().any(|it| host.is_reached_from(it)) {
                probes.extend(to_host(from, network, host));
            }
        }
    }
    probes
}

/// From a port that lets only the node in and nothing out: everything else of its pod goes through
/// the pod's main network, and is asked about there.
fn from_locked(from: &Endpoint, endpoints: &[Endpoint]) -> Vec<Probe> {
    let is_other = |to: &&Endpoint| {
        to.source.pod != from.source.pod && to.source.network == from.source.network
    };
    let others = endpoints.iter().filter(is_other);
    let to_pods = others.flat_map(|to| from.to_pod(to, Expectation::Silence));
    to_pods.chain(from.to_gateways(Expectation::Silence)).collect()
}

fn between_pods(from: &Endpoint, to: &Endpoint) -> Vec<Probe> {
    let expectation = if from.source.network != to.source.network || !to.is_open() {
        Expectation::Silence
    } else if from.node == to.node {
        Expectation::SameNode
    } else {
        Expectation::AcrossNodes
    };
    from.to_pod(to, expectation)
}

fn to_host(from: &Endpoint, network: &Network, host: &Host) -> Vec<Probe> {
    let expectation = match host.is_reached_from(network) {
        true => Expectation::Outside,
        false => Expectation::Silence,
    };
    let probe = |address| Probe {
        from: from.source.clone(),
        to: Target::Host(host.name.clone()),
        address,
        expectation,
    };
    let addresses = host.addresses.iter().map(InterfaceAddress::addr);
    addresses.filter(|address| from.speaks(*address)).map(probe).collect()
}
