//! `Ready`: whether pods can be on the network wherever they come to run.
//!
//! Reads the other conditions and how far the nodes are; returns a [`ConditionDraft`].
//! Invariant: it is true only if the network is whole and every node has confirmed it.

use udn_wire::api::{ConditionStatus, NodeProblem, NodeReadiness};

use super::case::Case;
use super::draft::{ConditionDraft, READY};
use super::reasons::{
    NO_NODES, NODES_NOT_READY, NODES_READY, NOT_ALLOCATED, NOT_CREATED, is_passing,
};
use crate::bounded::list_of_more;

/// How many bytes the nodes that are not ready may take.
const NODES: usize = 16_000;

pub(super) fn judge(
    case: &Case<'_>,
    created: &ConditionDraft,
    allocated: Option<&ConditionDraft>,
    nodes: &NodeReadiness,
) -> ConditionDraft {
    let no =
        |reason, message: &str| ConditionDraft::new(READY, ConditionStatus::False, reason, message);
    if case.is_leaving() {
        return no(NOT_CREATED, "the network is being deleted");
    }
    if !created.holds() {
        return no(NOT_CREATED, "the network is not created; see condition NetworkCreated");
    }
    match allocated {
        None => return no(NOT_ALLOCATED, "the network is in no namespace, so it has no numbers"),
        Some(it) if !it.holds() => {
            let message = match case.grant {
                Some(_) if case.about_numbers().next().is_some() => {
                    "nodes have no subnet of the network; see condition NetworkAllocationSucceeded"
                }
                Some(_) | None => {
                    "the network has no numbers; see condition NetworkAllocationSucceeded"
                }
            };
            return no(NOT_ALLOCATED, message);
        }
        Some(_) => {}
    }
    let NodeReadiness { total, ready, not_ready, problems } = nodes;
    match (*total, *not_ready) {
        (0, _) => {
            let message = "there is no node that could have the network";
            ConditionDraft::new(READY, ConditionStatus::Unknown, NO_NODES, message)
        }
        (total, 0) => {
            let who = match total {
                1 => "the only node has".to_owned(),
                total => format!("all {total} nodes have"),
            };
            let message = format!("{who} programmed the network");
            ConditionDraft::new(READY, ConditionStatus::True, NODES_READY, message)
        }
        (total, not_ready) => {
            let problems = problems.as_deref().unwrap_or_default();
            let why = troubles(problems, not_ready);
            let message = format!("{ready} of {total} nodes are ready; not ready: {why}");
            let draft = no(NODES_NOT_READY, &message);
            let is_alarm = problems.iter().any(|it| !is_passing(&it.reason));
            if is_alarm { draft.alarming() } else { draft }
        }
    }
}

/// The nodes that are not ready; those that the status does not list are counted.
fn troubles(problems: &[NodeProblem], not_ready: i32) -> String {
    let texts = problems.iter().map(|NodeProblem { node, reason, message }| match message {
        Some(message) => format!("{node} ({reason}: {message})"),
        None => format!("{node} ({reason})"),
    });
    let texts: Vec<String> = texts.collect();
    let unlisted = usize::try_from(not_ready).unwrap_or(0).saturating_sub(texts.len());
    list_of_more(&texts, unlisted, ", ", NODES)
}
