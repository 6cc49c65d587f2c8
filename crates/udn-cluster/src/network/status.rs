//! What the controller tells about a network: conditions, numbers, how far the nodes are, and events.
//!
//! Reads a [`View`] after its writes; returns a [`StatusUpdate`].
//! Invariant: a status that says the same as the one that stands is not written.

use serde_json::{Map, json};
use udn_wire::api::{Condition, NetworkStatus};

use crate::decision::Decision;
use crate::status_update::{Outcome, StatusUpdate};
use crate::view::View;
use crate::work_item::WorkItem;
use crate::write::{Act, Write};

mod allocated;
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

use case::Case;
use draft::{ConditionDraft, OURS};

/// The status of a UDN or CUDN after the writes, which the view holds.
///
/// A network of hand-written NADs has no status, so that what was found about them becomes events,
/// the same in every reconcile; who sends them sees to it that each is sent once.
pub(crate) fn status_update(view: &View, decision: &Decision, outcome: &Outcome) -> StatusUpdate {
    if let WorkItem::HandWritten(network) = &view.item {
        let events = events::of_written(&view.world, network, &decision.findings);
        return StatusUpdate { write: None, events };
    }
    Case::of(view, decision).map(|case| update(&case, outcome)).unwrap_or_default()
}

fn update(case: &Case<'_>, outcome: &Outcome) -> StatusUpdate {
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

/// The drafts as conditions; the time of one that stood with the same status stays.
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
