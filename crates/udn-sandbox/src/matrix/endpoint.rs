//! Pods' places in the matrix: on which network, under which addresses, behind which gateway.
//!
//! Reads an intent and its grants.
//! Invariant: a pod has one place for each attachment that has its numbers.

use std::collections::BTreeMap;
use std::net::IpAddr;

use udn_model::{
    Attachment, Family, Grants, Intent, InterfaceAddress, Network, NodeName, OpenPort,
    PlatformAddresses,
};

use super::{Expectation, Probe, Source, Target};

/// A pod's place in the matrix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Endpoint {
    pub(crate) source: Source,
    pub(crate) addresses: Vec<IpAddr>,
    pub(super) node: NodeName,
    gateways: Vec<IpAddr>,
    /// What a locked port lets in; `None` for an ordinary one.
    lock: Option<Vec<OpenPort>>,
}

/// The places of all pods that have their addresses.
pub(crate) fn endpoints(intent: &Intent, grants: &Grants) -> Vec<Endpoint> {
    let attachments = intent.attachments.values().flat_map(BTreeMap::values);
    attachments.filter_map(|attachment| Endpoint::of(attachment, intent, grants)).collect()
}

impl Endpoint {
    fn of(attachment: &Attachment, intent: &Intent, grants: &Grants) -> Option<Self> {
        let Attachment { key, network, node, lock, .. } = attachment;
        let grant = grants.attachment(network, key)?;
        let known = intent.networks.get(network);
        Some(Self {
            source: Source { pod: key.pod.clone(), network: network.clone() },
            addresses: grant.addresses.iter().map(InterfaceAddress::addr).collect(),
            node: node.clone(),
            gateways: known.map(|it| gateways(it, grants, node)).unwrap_or_default(),
            lock: lock.as_ref().map(|lock| lock.open_ports.clone()),
        })
    }

    /// Whether the pod's main network is another one.
    pub(super) fn is_locked(&self) -> bool {
        self.lock.is_some()
    }

    /// Whether pings come in.
    pub(super) fn is_open(&self) -> bool {
        self.lock.as_ref().is_none_or(|open| open.contains(&OpenPort::Icmp))
    }

    pub(super) fn speaks(&self, address: IpAddr) -> bool {
        self.addresses.iter().any(|own| Family::of(*own) == Family::of(address))
    }

    pub(super) fn to_pod(&self, to: &Self, expectation: Expectation) -> Vec<Probe> {
        let spoken = to.addresses.iter().copied().filter(|address| self.speaks(*address));
        let target = || Target::Pod(to.source.clone());
        spoken.map(|address| self.probe(target(), address, expectation)).collect()
    }

    pub(super) fn to_gateways(&self, expectation: Expectation) -> Vec<Probe> {
        let probe = |gateway: &IpAddr| self.probe(Target::Gateway, *gateway, expectation);
        self.gateways.iter().map(probe).collect()
    }

    fn probe(&self, to: Target, address: IpAddr, expectation: Expectation) -> Probe {
        Probe { from: self.source.clone(), to, address, expectation }
    }
}

/// The network's gateways, as pods of a node have them.
fn gateways(network: &Network, grants: &Grants, node: &NodeName) -> Vec<IpAddr> {
    let own = match network.layer3() {
        None => network.platform_addresses(),
        Some(_) => {
            let subnets = grants.node_subnets(&network.name, node);
            subnets.map(PlatformAddresses::on_node).unwrap_or_default()
        }
    };
    own.into_iter().map(|it| it.gateway).collect()
}
