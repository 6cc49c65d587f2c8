//! What the office tells about a network: conditions, numbers, how far the nodes are, and events.
//!
//! Reads a [`Slice`] after its writes; returns an [`Account`].
//! Invariant: a status that says the same as the one that stands is not written.

use serde_json::{Map, json};
use udn_wire::api::{Condition, NetworkStatus};

use super::{Act, Notice, Slice, Verdict, Write};
use super::{claims, pods};
use crate::affair::Affair;

mod allocated;
mod bounded;
mod case;
mod created;
mod degraded;
mod nodes;
mod notices;
mod ready;
pub(super) mod reasons;
mod statement;
#[cfg(test)]
mod tests;

pub(super) use bounded::{noted, stated};
use case::Case;
use statement::{OURS, Statement};

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
pub struct Account {
    pub write: Option<Write>,
    pub notices: Vec<Notice>,
}

/// The status of a UDN or CUDN after the writes; the slice holds what was written.
///
/// Other affairs have no status, so that what was found about their objects becomes notices, the
/// same in every turn; who sends them sees to it that each is sent once.
pub fn status(slice: &Slice, verdict: Verdict<'_>, outcome: &Outcome) -> Account {
    match &slice.affair {
        Affair::UserDefinedNetwork(_) | Affair::ClusterUserDefinedNetwork(_) => {
            Case::of(slice, verdict).map(|case| account(&case, outcome)).unwrap_or_default()
        }
        Affair::Written(network) => {
            let notices = notices::of_written(&slice.world, network, verdict.findings);
            Account { write: None, notices }
        }
        Affair::Node(node) => {
            let notices = notices::of_node(&slice.world, node, verdict.findings);
            Account { write: None, notices }
        }
        Affair::DefaultDefinition => Account::default(),
        Affair::Pod(name) => pods::account(slice, verdict, name, outcome),
        Affair::Claim(name) => claims::account(slice, verdict, name, outcome),
    }
}

fn account(case: &Case<'_>, outcome: &Outcome) -> Account {
    let created = created::judge(case, &outcome.failures);
    let allocated = allocated::judge(case);
    let nodes = nodes::judge(case);
    let ready = ready::judge(case, &created, allocated.as_ref(), &nodes);
    let degraded = degraded::judge(case);
    let statements = [Some(created), allocated, Some(ready), degraded];
    let statements: Vec<Statement> = statements.into_iter().flatten().collect();
    let standing = ours(case.standing);
    let numbers = allocated::numbers(case);
    let status = NetworkStatus {
        conditions: Some(conditions(case, &standing, &statements, &outcome.now)),
        network_id: numbers.network_id,
        tunnel_keys: numbers.tunnel_keys,
        transit_subnets: numbers.transit_subnets,
        nodes: (!case.is_leaving()).then_some(nodes),
    };
    let notices = notices::of_changes(case, &standing, &status, &statements);
    let write = (status != standing).then(|| write(case, &status));
    Account { write, notices }
}

/// The part of a status that this office writes, in the order in which it does.
fn ours(status: &NetworkStatus) -> NetworkStatus {
    let all = status.conditions.iter().flatten();
    let mut conditions: Vec<Condition> =
        all.filter(|it| OURS.contains(&it.condition_type.as_str())).cloned().collect();
    conditions.sort_by_key(|it| OURS.iter().position(|ours| *ours == it.condition_type));
    NetworkStatus { conditions: Some(conditions), ..status.clone() }
}

/// The statements as conditions; the time of one that stood with the same status stays.
fn conditions(
    case: &Case<'_>,
    standing: &NetworkStatus,
    statements: &[Statement],
    now: &str,
) -> Vec<Condition> {
    let generation = Some(case.metadata.generation);
    let of = |statement: &Statement| {
        let before = statement.before(standing).filter(|it| it.status == statement.status);
        let since = before.map_or(now, |it| &it.last_transition_time);
        Condition {
            condition_type: statement.condition.to_owned(),
            status: statement.status.clone(),
            reason: statement.reason.clone(),
            message: statement.message.clone(),
            last_transition_time: since.to_owned(),
            observed_generation: generation,
        }
    };
    statements.iter().map(of).collect()
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
