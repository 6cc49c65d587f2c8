//! What the controller tells about a network: conditions, numbers, how far the nodes are, and events.
//!
//! Reads a [`View`] after its writes; returns an [`StatusUpdate`].
//! Invariant: a status that says the same as the one that stands is not written.

use serde_json::{Map, json};
use udn_wire::api::{Condition, NetworkStatus};

use super::{Act, Decided, Event, View, Write};
use super::{claims, pods};
use crate::work_item::WorkItem;

mod allocated;
mod bounded;
mod case;
mod created;
mod degraded;
mod draft;
mod events;
mod nodes;
mod ready;
pub(super) mod reasons;
#[cfg(test)]
mod tests;

pub(super) use bounded::{noted, stated};
use case::Case;
use draft::{ConditionDraft, OURS};

/// What came of the writes before the status.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// What could not be written, one sentence each: the server's words, or that it is tried again.
    pub failures: Vec<String>,
    /// The time now, as Kubernetes writes it: `2026-11-16T07:00:00Z`.
    pub now: String,
}

/// What is told.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StatusUpdate {
    pub write: Option<Write>,
    pub events: Vec<Event>,
}

/// The status of a UDN or CUDN after the writes; the view holds what was written.
///
/// Other work items have no status, so that what was found about their objects becomes events, the
/// same in every reconcile; who sends them sees to it that each is sent once.
pub fn status(view: &View, decided: Decided<'_>, outcome: &Outcome) -> StatusUpdate {
    match &view.item {
        WorkItem::UserDefinedNetwork(_) | WorkItem::ClusterUserDefinedNetwork(_) => {
            Case::of(view, decided).map(|case| status_update(&case, outcome)).unwrap_or_default()
        }
        WorkItem::HandWritten(network) => {
            let events = events::of_written(&view.world, network, decided.findings);
            StatusUpdate { write: None, events }
        }
        WorkItem::Node(node) => {
            let events = events::of_node(&view.world, node, decided.findings);
            StatusUpdate { write: None, events }
        }
        WorkItem::DefaultNad => StatusUpdate::default(),
        WorkItem::Pod(name) => pods::status_update(view, decided, name, outcome),
        WorkItem::Claim(name) => claims::status_update(view, decided, name, outcome),
    }
}

fn status_update(case: &Case<'_>, outcome: &Outcome) -> StatusUpdate {
    let created = created::judge(case, &outcome.failures);
    let allocated = allocated::judge(case);
    let nodes = nodes::judge(case);
    let ready = ready::judge(case, &created, allocated.as_ref(), &nodes);
    let degraded = degraded::judge(case);
    let drafts = [Some(created), allocated, Some(ready), degraded];
    let drafts: Vec<ConditionDraft> = drafts.into_iter().flatten().collect();
    let standing = ours(case.standing);
    let numbers = allocated::numbers(case);
    let status = NetworkStatus {
        conditions: Some(conditions(case, &standing, &drafts, &outcome.now)),
        network_id: numbers.network_id,
        tunnel_keys: numbers.tunnel_keys,
        transit_subnets: numbers.transit_subnets,
        nodes: (!case.is_leaving()).then_some(nodes),
    };
    let events = events::of_changes(case, &standing, &status, &drafts);
    let write = (status != standing).then(|| write(case, &status));
    StatusUpdate { write, events }
}

/// The part of a status that this controller writes, in the order in which it does.
fn ours(status: &NetworkStatus) -> NetworkStatus {
    let all = status.conditions.iter().flatten();
    let mut conditions: Vec<Condition> =
        all.filter(|it| OURS.contains(&it.condition_type.as_str())).cloned().collect();
    conditions.sort_by_key(|it| OURS.iter().position(|ours| *ours == it.condition_type));
    NetworkStatus { conditions: Some(conditions), ..status.clone() }
}

/// The conditions as conditions; the time of one that stood with the same status stays.
fn conditions(
    case: &Case<'_>,
    standing: &NetworkStatus,
    drafts: &[ConditionDraft],
    now: &str,
) -> Vec<Condition> {
    let generation = Some(case.metadata.generation);
    let of = |draft: &ConditionDraft| {
        let before = draft.before(standing).filter(|it| it.status == draft.status);
        let since = before.map_or(now, |it| &it.last_transition_time);
        Condition {
            condition_type: draft.condition.to_owned(),
            status: draft.status.clone(),
            reason: draft.reason.clone(),
            message: draft.message.clone(),
            last_transition_time: since.to_owned(),
            observed_generation: generation,
        }
    };
    drafts.iter().map(of).collect()
}

/// Applies the status to the very object that was looked at: a successor of the same name has
/// another uid, and the server refuses.
fn write(case: &Case<'_>, status: &NetworkStatus) -> Write {
    let target = case.target.clone();
    let mut metadata = Map::new();
    metadata.insert("name".to_owned(), target.name.clone().into());
    if !target.namespace.is_empty() {
        metadata.insert("namespace".to_owned(), target.namespace.clone().into());
    }
    metadata.insert("uid".to_owned(), case.metadata.uid.clone().into());
    let object = json!({
        "apiVersion": target.kind.api_version(),
        "kind": target.kind.as_str(),
        "metadata": metadata,
        "status": status,
    });
    Write { target, act: Act::ApplyStatus(object) }
}
