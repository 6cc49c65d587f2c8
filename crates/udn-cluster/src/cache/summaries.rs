//! What the cache notes of a UDN, a CUDN or a NAD, so that it need not read it again.
//!
//! Reads one object; returns its card.
//! Invariant: a card says at least of what the object could be a part: where `translate` refuses the
//! object, the card may say more than comes of it.

use serde_json::Value;
use udn_model::{NetworkName, ObjectName};
use udn_wire::api::{ConditionStatus, NetworkStatus};
use udn_wire::nad_annotations::NadAnnotations;
use udn_wire::nad_config::{NadConfig, NetConf};
use udn_wire::object::{ClusterUserDefinedNetwork, Nad, UserDefinedNetwork};

use crate::controller::item_of_written;
use crate::spec::{Selector, selector_of_cudn};
use crate::translate::{made_for, maker, rank};
use crate::work_item::WorkItem;

/// The condition that every node has built the network.
const READY: &str = "Ready";

/// What two localnets have in common if they are one network outside.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Segment {
    pub(super) physical_network: String,
    /// Zero for untagged frames, as on the wire.
    pub(super) vlan: i64,
}

/// Of a UDN or CUDN.
#[derive(Debug)]
pub(super) struct NetworkSummary {
    pub(super) uid: String,
    pub(super) is_leaving: bool,
    pub(super) is_primary: bool,
    pub(super) is_ready: bool,
    pub(super) segment: Option<Segment>,
    /// Of a CUDN, unless it cannot be read.
    pub(super) selector: Option<Selector>,
}

/// Of a NAD.
#[derive(Debug)]
pub(super) struct NadSummary {
    /// Whose work item the NAD is, unless it is another plugin's.
    pub(super) home: Option<WorkItem>,
    /// Whether it is not another plugin's, nor the default network's.
    pub(super) is_ours: bool,
    /// The uid of the UDN or CUDN that it says it was made for; somebody may have taken it away.
    pub(super) maker_uid: Option<String>,
    /// The network that it is about, as far as it says so.
    pub(super) network: Option<NetworkName>,
    pub(super) is_primary: bool,
    /// Only of NADs that somebody wrote; others take it from their makers.
    pub(super) segment: Option<Segment>,
    /// The network's number, or what stands behind all numbers.
    pub(super) rank: u16,
}

impl NetworkSummary {
    pub(super) fn of_udn(udn: &UserDefinedNetwork) -> Self {
        Self {
            uid: udn.metadata.uid.clone(),
            is_leaving: udn.metadata.is_leaving(),
            is_primary: is_primary(&udn.spec.value()),
            is_ready: is_ready(&udn.status),
            segment: None,
            selector: None,
        }
    }

    pub(super) fn of_cudn(cudn: &ClusterUserDefinedNetwork) -> Self {
        let spec = cudn.spec.value();
        let network = spec.get("network").unwrap_or(&Value::Null);
        Self {
            uid: cudn.metadata.uid.clone(),
            is_leaving: cudn.metadata.is_leaving(),
            is_primary: is_primary(network),
            is_ready: is_ready(&cudn.status),
            segment: network.get("localnet").and_then(Segment::of_localnet),
            selector: selector_of_cudn(&spec),
        }
    }

    /// Whether it is to be the primary network of the namespaces that it is for.
    pub(super) fn is_promise(&self) -> bool {
        self.is_primary && !self.is_leaving
    }
}

impl NadSummary {
    pub(super) fn of(name: &ObjectName, nad: &Nad) -> Self {
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

impl Segment {
    fn of_localnet(localnet: &Value) -> Option<Self> {
        let physical_network = localnet.get("physicalNetworkName")?.as_str()?.to_owned();
        let vlan = localnet.pointer("/vlan/access/id").and_then(Value::as_i64).unwrap_or(0);
        Some(Self { physical_network, vlan })
    }

    fn of_config(config: &NetConf) -> Option<Self> {
        let NetConf { topology, physical_network_name, name, vlan_id, .. } = config;
        let physical = if physical_network_name.is_empty() { name } else { physical_network_name };
        (topology == "localnet")
            .then(|| Self { physical_network: physical.clone(), vlan: *vlan_id })
    }
}

fn is_primary(network: &Value) -> bool {
    let roles = ["/layer2/role", "/layer3/role"].map(|path| network.pointer(path));
    roles.into_iter().flatten().any(|role| role == "Primary")
}

fn is_ready(status: &NetworkStatus) -> bool {
    let ready = status.conditions.iter().flatten().find(|it| it.condition_type == READY);
    ready.is_some_and(|it| it.status == ConditionStatus::True)
}
