//! `NetworkAllocationSucceeded`, and the numbers themselves.
//!
//! Reads a [`Case`]; returns a [`ConditionDraft`] and what the status tells of the numbers.
//! Invariant: it is true only if every NAD that stays carries the network's numbers.

use udn_model::{NetworkGrant, ObjectName};
use udn_wire::api::{ConditionStatus, NetworkStatus};
use udn_wire::nad_annotations::NadAnnotations;
use udn_wire::object::Nad;

use super::case::Case;
use super::draft::{ConditionDraft, NETWORK_ALLOCATED};
use super::reasons::{ALLOCATED, NUMBERS_NOT_WRITTEN};
use crate::bounded::list;

/// How many bytes of a message each list may take.
const LIST: usize = 12_000;

/// `None` while there is nothing to have numbers.
pub(super) fn judge(case: &Case<'_>) -> Option<ConditionDraft> {
    let say = |status, reason: &str, message: &str| {
        ConditionDraft::new(NETWORK_ALLOCATED, status, reason, message)
    };
    if let Some(first) = case.about_numbers().next() {
        let why: Vec<&str> = case.about_numbers().map(|it| it.message.as_str()).collect();
        let reason = first.reason.as_str();
        return Some(say(ConditionStatus::False, reason, &list(&why, "; ", LIST)).alarming());
    }
    case.staying().next()?;
    let bare = case.staying().filter(|(_, it)| !carries(case, it)).map(|(name, _)| name);
    let bare: Vec<String> = bare.map(ObjectName::to_string).collect();
    if !bare.is_empty() {
        let message = format!(
            "the network's numbers are not written yet, and tried again, on NADs: {}",
            list(&bare, ", ", LIST)
        );
        return Some(say(ConditionStatus::False, NUMBERS_NOT_WRITTEN, &message));
    }
    // compat: pkg/clustermanager/network_cluster_controller.go
    let message = "Network allocation succeeded for all synced nodes.";
    Some(say(ConditionStatus::True, ALLOCATED, message))
}

/// What the status tells of numbers; of conditions and nodes nothing.
pub(super) fn numbers(case: &Case<'_>) -> NetworkStatus {
    match case.grant {
        Some(grant) => granted(case, grant),
        // A network that is nowhere for a while keeps its numbers, and nobody else gets them.
        None => NetworkStatus { conditions: None, nodes: None, ..case.standing.clone() },
    }
}

fn granted(case: &Case<'_>, grant: &NetworkGrant) -> NetworkStatus {
    let key = |key: &udn_model::TunnelKey| {
        i32::try_from(key.get()).expect("a tunnel key has 24 bits at most")
    };
    let subnets = case.network.iter().flat_map(|it| it.ranges());
    let transit = subnets.filter_map(|it| grant.transit.of(it.family()));
    let transit = transit.filter(|_| case.network.is_some_and(udn_model::Network::is_primary));
    NetworkStatus {
        network_id: Some(grant.id.get().into()),
        tunnel_keys: some(grant.tunnel_keys.iter().map(key).collect()),
        transit_subnets: some(transit.map(ToString::to_string).collect()),
        ..NetworkStatus::default()
    }
}

fn some<T>(list: Vec<T>) -> Option<Vec<T>> {
    if list.is_empty() { None } else { Some(list) }
}

/// Whether a NAD carries the grant; where there is none now, whether it carries one of before.
fn carries(case: &Case<'_>, nad: &Nad) -> bool {
    let Ok(marks) = NadAnnotations::decode(&nad.metadata.annotations) else { return false };
    let is_named = marks.name.as_ref() == Some(&case.name);
    is_named
        && match case.grant {
            Some(grant) => {
                marks.id == Some(grant.id) && marks.tunnel_keys.as_ref() == Some(&grant.tunnel_keys)
            }
            None => marks.id.is_some() && marks.tunnel_keys.is_some(),
        }
}
