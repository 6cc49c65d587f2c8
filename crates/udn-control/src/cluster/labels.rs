//! What metrics tell networks apart by.
//!
//! Reads a world; returns labels.
//! Invariant: words of users never become labels; whatever is not known counts as nothing.

use udn_cluster::{WorkItem, World, network};
use udn_wire::api::{ConditionStatus, NetworkStatus};

use crate::metrics::NetworkLabels;

/// The labels of a UDN or CUDN; `None` if it is gone or the work item is not about one.
pub(super) fn labels(world: &World, item: &WorkItem) -> Option<NetworkLabels> {
    let (sort, status) = network::sort(world, item)?;
    let (role, topology) = sort?;
    Some(NetworkLabels { role, topology, conditions: conditions(status) })
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
