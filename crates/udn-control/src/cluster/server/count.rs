//! What metrics tell networks apart by.
//!
//! Reads a world; returns labels.
//! Invariant: words of users never become labels; whatever is not known counts as nothing.

use serde_json::Value;
use udn_cluster::{WorkItem, World};
use udn_wire::api::{ConditionStatus, NetworkStatus};

use crate::metrics::NetworkLabels;

const ROLES: [&str; 2] = ["Primary", "Secondary"];
const TOPOLOGIES: [&str; 3] = ["Layer2", "Layer3", "Localnet"];

/// The labels of a UDN or CUDN; `None` if it is gone or the work item is not about one.
pub(super) fn labels(world: &World, item: &WorkItem) -> Option<NetworkLabels> {
    let (network, status) = match item {
        WorkItem::UserDefinedNetwork(name) => {
            let udn = world.networks.get(name)?;
            (udn.spec.value(), &udn.status)
        }
        WorkItem::ClusterUserDefinedNetwork(name) => {
            let cudn = world.cluster_networks.get(name)?;
            (cudn.spec.value().get_mut("network")?.take(), &cudn.status)
        }
        WorkItem::HandWritten(_)
        | WorkItem::Node(_)
        | WorkItem::DefaultNad
        | WorkItem::Pod(_)
        | WorkItem::Claim(_) => return None,
    };
    let topology = known(&TOPOLOGIES, network.get("topology"))?;
    let part = network.get(topology.to_lowercase());
    let role = known(&ROLES, part.and_then(|it| it.get("role")))?;
    Some(NetworkLabels { role, topology, conditions: conditions(status) })
}

fn known(words: &[&'static str], word: Option<&Value>) -> Option<&'static str> {
    let word = word?.as_str()?;
    words.iter().copied().find(|it| *it == word)
}

fn conditions(status: &NetworkStatus) -> Vec<(String, &'static str)> {
    let all = status.conditions.iter().flatten();
    let said = all.map(|it| {
        let status = match &it.status {
            ConditionStatus::True => "True",
            ConditionStatus::False => "False",
            ConditionStatus::Unknown | ConditionStatus::Other(_) => "Unknown",
        };
        (it.condition_type.clone(), status)
    });
    said.collect()
}
