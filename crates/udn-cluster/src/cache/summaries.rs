//! What the cache notes of a UDN, a CUDN or a NAD, so that it need not read it again.
//!
//! Reads one object; returns its summary.
//! Invariant: a summary says at least of what the object could be a part: where `translate` refuses the
//! object, the summary may say more than comes of it.

use std::collections::BTreeSet;

use udn_model::{NetworkName, NodeName, ObjectName};
use udn_wire::api::{ConditionStatus, NetworkStatus};
use udn_wire::nad_annotations::NadAnnotations;
use udn_wire::nad_config::{NadConfig, NetConf};
use udn_wire::object::{ClusterUserDefinedNetwork, Metadata, Nad, UserDefinedNetwork};

use crate::agents;
use crate::spec::{ReadSpec, Selector};
use crate::translate::item_of_written;
use crate::translate::{made_for, maker, rank};
use crate::work_item::WorkItem;

/// The condition that every node has built the network.
const READY: &str = "Ready";

/// What two localnets have in common if they are one network outside.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Segment {
    pub(crate) physical_network: String,
    /// Zero for untagged frames, as on the wire.
    pub(crate) vlan: i64,
}

/// Of a UDN or CUDN.
#[derive(Debug)]
pub(crate) struct NetworkSummary {
    pub(crate) uid: String,
    pub(crate) is_leaving: bool,
    pub(crate) is_primary: bool,
    pub(crate) is_ready: bool,
    /// The nodes of which the status says that their agents do not respond.
    pub(crate) silent: Vec<NodeName>,
    pub(crate) segment: Option<Segment>,
    /// Of a CUDN, unless it cannot be read.
    pub(crate) selector: Option<Selector>,
}

/// Of a NAD.
#[derive(Debug)]
pub(crate) struct NadSummary {
    /// Whose work item the NAD is, unless it is another plugin's.
    pub(crate) home: Option<WorkItem>,
    /// Whether it is not another plugin's, nor the default network's.
    pub(crate) is_ours: bool,
    /// The uid of the UDN or CUDN that it says it was made for; somebody may have taken it away.
    pub(crate) maker_uid: Option<String>,
    /// The network that it is about, as far as it says so.
    pub(crate) network: Option<NetworkName>,
    pub(crate) is_primary: bool,
    /// Only of NADs that somebody wrote; others take it from their makers.
    pub(crate) segment: Option<Segment>,
    /// The network's number, or what stands behind all numbers.
    pub(crate) rank: u16,
}

impl NetworkSummary {
    pub(crate) fn of_udn(udn: &UserDefinedNetwork) -> Self {
        Self::new(&udn.metadata, &udn.status, &ReadSpec::of_udn(&udn.spec))
    }

    pub(crate) fn of_cudn(cudn: &ClusterUserDefinedNetwork) -> Self {
        Self::new(&cudn.metadata, &cudn.status, &ReadSpec::of_cudn(&cudn.spec))
    }

    fn new(metadata: &Metadata, status: &NetworkStatus, spec: &ReadSpec) -> Self {
        let segment = spec.segment.clone();
        Self {
            uid: metadata.uid.clone(),
            is_leaving: metadata.is_leaving(),
            is_primary: spec.is_primary,
            is_ready: is_ready(status),
            silent: called_silent(status),
            segment: segment.map(|(physical_network, vlan)| Segment { physical_network, vlan }),
            selector: spec.selector.clone(),
        }
    }

    /// Whether it is to be the primary network of the namespaces that it is for.
    pub(crate) fn is_promise(&self) -> bool {
        self.is_primary && !self.is_leaving
    }
}

impl NadSummary {
    pub(crate) fn of(name: &ObjectName, nad: &Nad) -> Self {
        let annotations = NadAnnotations::decode(&nad.metadata.annotations);
        let annotations = annotations.unwrap_or_default();
        let made_for = made_for(name, nad);
        let (config, is_ours) = match NadConfig::decode(&nad.spec.config) {
            Ok(NadConfig::Network(config)) => (Some(config), true),
            Ok(NadConfig::Foreign | NadConfig::DefaultNetwork) => (None, false),
            Err(_) => (None, true),
        };
        let told = config.as_ref().filter(|it| !it.name.is_empty());
        let told = told.map(|it| NetworkName::new(&it.name));
        let network = told.or(annotations.name).filter(|_| is_ours);
        let segment = config.as_ref().filter(|_| made_for.is_none());
        Self {
            maker_uid: maker(&nad.metadata).map(|it| it.uid.clone()),
            is_primary: config.as_ref().is_some_and(|it| it.role == "primary"),
            segment: segment.and_then(|it| Segment::of_config(it)),
            home: made_for.or_else(|| item_of_written(name, nad)),
            rank: rank(annotations.id),
            is_ours,
            network,
        }
    }
}

impl NadSummary {
    /// The networks that it speaks of.
    pub(crate) fn spoken_of(&self) -> BTreeSet<NetworkName> {
        let maker = self.home.as_ref().and_then(WorkItem::network);
        self.network.iter().cloned().chain(maker).collect()
    }
}

impl Segment {
    fn of_config(config: &NetConf) -> Option<Self> {
        let NetConf { topology, physical_network_name, name, vlan_id, .. } = config;
        let physical = if physical_network_name.is_empty() { name } else { physical_network_name };
        (topology == "localnet")
            .then(|| Self { physical_network: physical.clone(), vlan: *vlan_id })
    }
}

fn is_ready(status: &NetworkStatus) -> bool {
    let ready = status.conditions.iter().flatten().find(|it| it.condition_type == READY);
    ready.is_some_and(|it| it.status == ConditionStatus::True)
}

fn called_silent(status: &NetworkStatus) -> Vec<NodeName> {
    let problems = status.nodes.iter().filter_map(|it| it.problems.as_deref()).flatten();
    problems.filter(|it| agents::is_told(it)).map(|it| NodeName::new(&it.node)).collect()
}
