//! Events: what has changed for the worse, and what is well again.
//!
//! Reads the status that stood and the one that will, or findings; returns [`Event`]s.
//! Invariant: a status that stays as it is gives none; nor does a network that is well at once.

use std::collections::BTreeSet;

use udn_model::{Finding, NetworkName, ObjectName, Subject};
use udn_wire::Target;
use udn_wire::api::{Condition, ConditionStatus, NetworkStatus};
use udn_wire::object::{Metadata, Nad};

use super::case::{Case, is_mended};
use super::draft::{ConditionDraft, DEGRADED, READY};
use super::reasons::{DELETED, NODES_NOT_READY, NUMBERS_NOT_WRITTEN, RECOVERED, is_passing};
use crate::bounded::{LONGEST_NOTE, cut};
use crate::translate::{item_of_written, owner};
use crate::work_item::WorkItem;
use crate::world::World;
use crate::write::{Event, EventType};

/// What has changed between two states of a network.
pub(super) fn of_changes(
    case: &Case<'_>,
    standing: &NetworkStatus,
    status: &NetworkStatus,
    drafts: &[ConditionDraft],
) -> Vec<Event> {
    let tell = |(kind, reason, message): (EventType, &str, &str)| {
        event(case.target.clone(), case.metadata, kind, reason, message)
    };
    let change = |it: &ConditionDraft| {
        let is_new = match it.condition {
            READY => is_new_trouble(standing, status),
            _ => it.before(standing).is_none_or(|before| !says(before, it)),
        };
        if it.is_alarm {
            return is_new.then(|| tell((EventType::Warning, &it.reason, &it.message)));
        }
        let is_well =
            it.holds() && it.before(standing).is_some_and(|before| was_bad(before, standing));
        is_well.then(|| tell((EventType::Normal, &it.reason, &it.message)))
    };
    let recovered = recovery(standing, drafts).filter(|_| !case.is_leaving());
    let recovered = recovered.map(|message| tell((EventType::Normal, RECOVERED, &message)));
    drafts.iter().filter_map(change).chain(recovered).collect()
}

fn says(before: &Condition, now: &ConditionDraft) -> bool {
    before.status == now.status && before.reason == now.reason && before.message == now.message
}

/// Whether the condition was something to be called for.
fn was_bad(before: &Condition, standing: &NetworkStatus) -> bool {
    match before.condition_type.as_str() {
        // All networks begin so; only what did not pass by itself is worth a word.
        READY => !troubles(standing).is_empty(),
        _ => {
            let is_quiet = [DELETED, NUMBERS_NOT_WRITTEN].contains(&before.reason.as_str());
            before.status == ConditionStatus::False && !is_quiet
        }
    }
}

/// Whether nodes have kinds of trouble that they had not: progress alone is no news.
fn is_new_trouble(standing: &NetworkStatus, status: &NetworkStatus) -> bool {
    let mut conditions = standing.conditions.iter().flatten();
    let was_told = conditions.any(|it| it.condition_type == READY && it.reason == NODES_NOT_READY);
    !was_told || !troubles(status).is_subset(&troubles(standing))
}

/// The reasons of nodes that do not pass by themselves.
fn troubles(status: &NetworkStatus) -> BTreeSet<&str> {
    let problems = status.nodes.iter().filter_map(|it| it.problems.as_deref()).flatten();
    problems.map(|it| it.reason.as_str()).filter(|it| !is_passing(it)).collect()
}

/// That a network is no longer degraded: then there is no condition that could say so.
fn recovery(standing: &NetworkStatus, drafts: &[ConditionDraft]) -> Option<String> {
    let mut conditions = standing.conditions.iter().flatten();
    let before = conditions.find(|it| it.condition_type == DEGRADED)?;
    let is_over = drafts.iter().all(|it| it.condition != DEGRADED);
    is_over.then(|| format!("no longer degraded: {} is over", before.reason))
}

/// What was found about NADs that somebody wrote.
pub(super) fn of_written(world: &World, network: &NetworkName, findings: &[Finding]) -> Vec<Event> {
    let item = WorkItem::HandWritten(network.clone());
    let is_own = |(name, it): &(&ObjectName, &Nad)| {
        is_written(world, name, it) && item_of_written(name, it).as_ref() == Some(&item)
    };
    let first = world.nads.iter().find(is_own);
    let about = |finding: &Finding| match &finding.subject {
        Subject::Nad(name) => {
            let nad = world.nads.get_key_value(name).filter(is_own)?;
            (!is_mended(finding, nad.1)).then_some(nad)
        }
        Subject::Network(name) => first.filter(|_| name == network),
        Subject::Manifest(_)
        | Subject::Node(_)
        | Subject::Pod(_)
        | Subject::Claim(_)
        | Subject::Namespace(_) => None,
    };
    let tell = |finding: &Finding| {
        let (name, nad) = about(finding)?;
        Some(Event::warning(Target::nad(name), &nad.metadata, finding))
    };
    findings.iter().filter_map(tell).collect()
}

fn is_written(world: &World, name: &ObjectName, nad: &Nad) -> bool {
    owner(world, name, nad).subject().is_none()
}

fn event(
    about: Target,
    metadata: &Metadata,
    kind: EventType,
    reason: &str,
    message: &str,
) -> Event {
    let (uid, message) = (metadata.uid.clone(), cut(message, LONGEST_NOTE));
    Event { about, uid, kind, reason: reason.to_owned(), message }
}
