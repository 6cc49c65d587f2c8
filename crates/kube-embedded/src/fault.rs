//! Faults on purpose: what networks and busy servers do to clients, as often as a test wants it.
//!
//! Reads a plan and what is asked; returns what goes wrong.
//! Invariant: the same seed and the same requests give the same faults, whatever runs beside them.

mod dice;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use dice::{Dice, Slots};

/// How often something goes wrong: so many times in a thousand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PerMille(pub u16);

/// What may go wrong, and how often.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FaultPlan {
    pub seed: u64,
    /// Requests that are answered late, at most by `longest_delay`.
    pub delay: PerMille,
    /// Events that are told late, at most by `longest_delay`.
    pub event_delay: PerMille,
    pub longest_delay: Duration,
    /// Requests that are refused with 429, 500 or 503, with nothing done.
    pub refuse: PerMille,
    /// Updates, patches and deletions that are told of a conflict, with nothing done.
    pub conflict: PerMille,
    /// Requests whose connection breaks before anything is done.
    pub cut_before: PerMille,
    /// Requests whose connection breaks after everything is done: the answer is lost.
    pub cut_after: PerMille,
    /// Requests that arrive twice; the second answer counts.
    pub twice: PerMille,
    /// Lists that show a moment up to `stalest` changes ago.
    pub stale: PerMille,
    pub stalest: u64,
    /// Watches that break before an event.
    pub watch_cut: PerMille,
    /// Events that are told twice.
    pub event_twice: PerMille,
    /// Events that are never told. No server does this; it shows what a client relies on.
    pub event_lost: PerMille,
}

/// Something that goes wrong with one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    Delay(Duration),
    Refuse(u16),
    Conflict,
    CutBefore,
    CutAfter,
    Twice,
    /// A list of so many changes ago.
    Stale(u64),
}

/// A fault for a certain request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planned {
    /// As RBAC names it; empty for any.
    pub verb: String,
    /// The plural; empty for any.
    pub resource: String,
    /// How many such requests pass before.
    pub after: usize,
    pub fault: Fault,
}

/// What happens to an event of a watch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    Deliver,
    Late(Duration),
    Twice,
    Lose,
    Cut,
}

/// The faults of a server; none until a test asks for some.
#[derive(Debug, Default)]
pub struct Faults {
    plan: RwLock<Option<Arc<FaultPlan>>>,
    planned: Mutex<VecDeque<Planned>>,
    slots: Slots,
}

impl Faults {
    /// Lets things go wrong from now on, or no more.
    pub fn set(&self, plan: Option<FaultPlan>) {
        self.slots.reset();
        *self.plan.write().unwrap_or_else(PoisonError::into_inner) = plan.map(Arc::new);
    }

    /// Lets one certain request go wrong.
    pub fn plan(&self, planned: Planned) {
        self.planned.lock().unwrap_or_else(PoisonError::into_inner).push_back(planned);
    }

    /// How many planned faults did not happen yet.
    pub fn pending(&self) -> usize {
        self.planned.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    fn current(&self) -> Option<Arc<FaultPlan>> {
        self.plan.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What goes wrong with a request.
    pub(crate) fn on_request(&self, verb: &str, resource: &str, path: &str) -> Vec<Fault> {
        if let Some(fault) = self.take_planned(verb, resource) {
            return vec![fault];
        }
        match self.current() {
            None => Vec::new(),
            Some(plan) => {
                let turn = self.slots.next(&[verb, path]);
                roll_request(&plan, verb, Dice::new(plan.seed, &[verb, path], turn))
            }
        }
    }

    fn take_planned(&self, verb: &str, resource: &str) -> Option<Fault> {
        let mut planned = self.planned.lock().unwrap_or_else(PoisonError::into_inner);
        let is_meant = |wanted: &str, given: &str| wanted.is_empty() || wanted == given;
        let place = planned
            .iter()
            .position(|it| is_meant(&it.verb, verb) && is_meant(&it.resource, resource))?;
        match planned[place].after {
            0 => planned.remove(place).map(|it| it.fault),
            _ => {
                planned[place].after -= 1;
                None
            }
        }
    }

    /// What goes wrong with an event; a watch that comes back for it has new luck.
    pub(crate) fn on_event(&self, watch: &str, revision: u64) -> Turn {
        let Some(plan) = self.current() else {
            return Turn::Deliver;
        };
        let occasion = ["event", watch, &revision.to_string()];
        let mut dice = Dice::new(plan.seed, &occasion, self.slots.next(&occasion));
        match () {
            () if dice.falls(plan.watch_cut) => Turn::Cut,
            () if dice.falls(plan.event_twice) => Turn::Twice,
            () if dice.falls(plan.event_lost) => Turn::Lose,
            () if dice.falls(plan.event_delay) => Turn::Late(dice.part_of(plan.longest_delay)),
            () => Turn::Deliver,
        }
    }
}

fn roll_request(plan: &FaultPlan, verb: &str, mut dice: Dice) -> Vec<Fault> {
    let mut faults = Vec::new();
    if dice.falls(plan.delay) {
        faults.push(Fault::Delay(dice.part_of(plan.longest_delay)));
    }
    let is_change = ["update", "patch", "delete"].contains(&verb);
    let is_write = is_change || ["create", "deletecollection"].contains(&verb);
    let fault = match () {
        () if dice.falls(plan.cut_before) => Some(Fault::CutBefore),
        () if dice.falls(plan.refuse) => Some(Fault::Refuse(dice.one_of([429, 500, 503]))),
        () if is_change && dice.falls(plan.conflict) => Some(Fault::Conflict),
        () if is_write && dice.falls(plan.twice) => Some(Fault::Twice),
        () if is_write && dice.falls(plan.cut_after) => Some(Fault::CutAfter),
        () if verb == "list" && dice.falls(plan.stale) => {
            Some(Fault::Stale(1 + dice.below(plan.stalest.max(1))))
        }
        () => None,
    };
    faults.extend(fault);
    faults
}

#[cfg(test)]
mod tests;
