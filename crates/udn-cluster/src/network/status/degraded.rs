//! `Degraded`: what is not as it should be, though the network stands or may stand.
//!
//! Reads a [`Case`]; returns a [`ConditionDraft`], or none if all is well.
//! Invariant: what other conditions tell is not told again.

use std::collections::BTreeSet;

use udn_model::{ObjectName, Reason};
use udn_wire::api::ConditionStatus;

use super::case::Case;
use super::created::in_use;
use super::draft::{ConditionDraft, DEGRADED};
use crate::bounded::list;

/// How many bytes the sentences may take.
const SENTENCES: usize = 28_000;

pub(super) fn judge(case: &Case<'_>) -> Option<ConditionDraft> {
    let findings = case.about_the_rest();
    let first = findings.first().filter(|_| !case.is_leaving())?;
    let mut sentences: Vec<String> = findings.iter().map(|it| it.message.clone()).collect();
    let is_blocked = findings.iter().any(|it| it.reason == Reason::Waiting);
    sentences.extend(is_blocked.then(|| in_use(&case.users(&unwanted(case)))).flatten());
    sentences.dedup();
    let message = list(&sentences, "; ", SENTENCES);
    let reason = first.reason.as_str();
    Some(ConditionDraft::new(DEGRADED, ConditionStatus::True, reason, message).alarming())
}

/// NADs in namespaces that the network has left.
fn unwanted<'a>(case: &Case<'a>) -> BTreeSet<&'a ObjectName> {
    let unwanted = case.nads.iter().filter(|(name, it)| !case.wants(name, it));
    unwanted.map(|(name, _)| *name).collect()
}
