//! A brain that panics over some work items, as one with a mistake in it would.
//!
//! Invariant: it differs from the one in production by its curse alone.

use std::collections::BTreeSet;

use udn_cluster::reconciler::{Attempt, Change, Conclusion};
use udn_cluster::{Reconciler, View, WorkItem, World};
use udn_control::cluster::Brain;
use udn_model::ClusterSettings;

/// A brain, and what makes it panic.
pub(crate) struct Cursed {
    brain: Reconciler,
    curse: fn(&WorkItem),
}

impl Cursed {
    pub(crate) fn new(settings: &ClusterSettings, curse: fn(&WorkItem)) -> Self {
        Self { brain: Reconciler::new(settings.clone()), curse }
    }
}

impl Brain for Cursed {
    fn observe(&mut self, change: Change) -> BTreeSet<WorkItem> {
        self.brain.observe(change)
    }

    fn is_synced(&self) -> bool {
        self.brain.is_synced()
    }

    fn view(&self, item: &WorkItem) -> View {
        self.brain.view(item)
    }

    fn decide(&mut self, view: View) -> Attempt {
        (self.curse)(&view.item);
        self.brain.decide(view)
    }

    fn conclude(&mut self, attempt: Attempt) -> Conclusion {
        self.brain.conclude(attempt)
    }

    fn take_woken(&mut self) -> BTreeSet<WorkItem> {
        self.brain.take_woken()
    }

    fn world(&self) -> &World {
        self.brain.world()
    }
}
