//! What a node told of itself and has no longer: is it gone, or only away for a moment?
//!
//! When a switch begins anew, the external bridge is gone for a moment, and comes back without its
//! addresses and routes until somebody gives them to it again. Networks need not lose their way out
//! for that.
//! Invariant: what is new counts at once; a loss counts once it has lasted, and never while the switch
//! is away.

use std::time::Duration;

use tokio::time::Instant;
use udn_host::chassis::OwnFacts;
use udn_model::{Family, Gateway, Node};

#[cfg(test)]
mod tests;

/// How long a loss must last.
const LASTING: Duration = Duration::from_secs(10);

/// Since when something is lost.
#[derive(Debug, Default)]
pub(super) struct Losses {
    since: Option<Instant>,
}

/// What counts.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) facts: OwnFacts,
    /// When a loss will have lasted, if there is one.
    pub(super) look_again: Option<Duration>,
}

impl Losses {
    /// What counts of what a node knows of itself, given what it told before.
    pub(super) fn hold(
        &mut self,
        mut facts: OwnFacts,
        told: &Node,
        switch_is_here: bool,
        now: Instant,
    ) -> Held {
        if !has_lost(&facts, told) {
            self.since = None;
            return Held { facts, look_again: None };
        }
        let since = *self.since.get_or_insert(now);
        let lasted = now.saturating_duration_since(since);
        if lasted >= LASTING && switch_is_here {
            return Held { facts, look_again: None };
        }
        facts.gateway.clone_from(&told.gateway);
        facts.addresses.clone_from(&told.addresses);
        let rest = LASTING.saturating_sub(lasted).max(Duration::from_secs(1));
        Held { facts, look_again: Some(rest) }
    }
}

fn has_lost(facts: &OwnFacts, told: &Node) -> bool {
    let gateway = told.gateway.as_ref().is_some_and(|told| match &facts.gateway {
        None => true,
        Some(own) => has_lost_way(own, told),
    });
    gateway || told.addresses.iter().any(|it| !facts.addresses.contains(it))
}

/// Whether a way out is less than it was. Another MAC is a loss too: a bridge that begins anew has
/// some MAC before it has its own.
fn has_lost_way(own: &Gateway, told: &Gateway) -> bool {
    let has_next_hop =
        |it: &Gateway, family| it.next_hops.iter().any(|next_hop| Family::of(*next_hop) == family);
    let is_lost = |family: Family| {
        let address = told.address(family).is_some() && own.address(family).is_none();
        address || has_next_hop(told, family) && !has_next_hop(own, family)
    };
    told.bridge == own.bridge && (own.mac != told.mac || Family::BOTH.into_iter().any(is_lost))
}
