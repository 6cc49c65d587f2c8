//! One condition before it has a time.
//!
//! Invariant: what a condition says fits into the CRD.

use udn_wire::api::{Condition, ConditionStatus, NetworkStatus};

use crate::bounded::{LONGEST_MESSAGE, cut};

pub(super) const NETWORK_CREATED: &str = "NetworkCreated";
pub(super) const NETWORK_ALLOCATED: &str = "NetworkAllocationSucceeded";
pub(super) const READY: &str = "Ready";
pub(super) const DEGRADED: &str = "Degraded";

/// The conditions that this controller writes, in order; all others are somebody else's.
pub(super) const OURS: [&str; 4] = [NETWORK_CREATED, NETWORK_ALLOCATED, READY, DEGRADED];

/// What is said in one condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ConditionDraft {
    pub(super) condition: &'static str,
    pub(super) status: ConditionStatus,
    pub(super) reason: String,
    pub(super) message: String,
    /// Whether somebody has to be called, unless it was said before.
    pub(super) is_alarm: bool,
}

impl ConditionDraft {
    pub(super) fn new(
        condition: &'static str,
        status: ConditionStatus,
        reason: &str,
        message: impl AsRef<str>,
    ) -> Self {
        let message = cut(message.as_ref(), LONGEST_MESSAGE);
        Self { condition, status, reason: reason.to_owned(), message, is_alarm: false }
    }

    /// The same, as something that somebody has to see to.
    pub(super) fn alarming(mut self) -> Self {
        self.is_alarm = true;
        self
    }

    pub(super) fn holds(&self) -> bool {
        self.status == ConditionStatus::True
    }

    /// The condition that stands now.
    pub(super) fn before<'a>(&self, standing: &'a NetworkStatus) -> Option<&'a Condition> {
        let mut all = standing.conditions.iter().flatten();
        all.find(|it| it.condition_type == self.condition)
    }
}
