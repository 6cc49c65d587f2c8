//! Who decides: in production always the pure [`Reconciler`].
//!
//! Invariant: a brain is asked by one task alone, one question after the other.

use std::collections::BTreeSet;

use udn_cluster::reconciler::{Attempt, Change, Conclusion};
use udn_cluster::{AgentNews, Reconciler, View, WorkItem, World};

/// What the controller asks.
pub trait Brain: Send + 'static {
    /// Takes in a change; returns the work items that it touches.
    fn observe(&mut self, change: Change) -> BTreeSet<WorkItem>;

    /// Takes in which agents of nodes are heard now and which are not; returns the work items that
    /// are touched.
    fn observe_agents(&mut self, news: AgentNews) -> BTreeSet<WorkItem>;

    /// Whether everything was listed.
    fn is_synced(&self) -> bool;

    /// What a reconcile of a work item sees.
    fn view(&self, item: &WorkItem) -> View;

    /// What it does.
    fn decide(&mut self, view: View) -> Attempt;

    /// Takes in what came of it.
    fn conclude(&mut self, attempt: Attempt) -> Conclusion;

    /// Pods and claims that need not wait any more.
    fn take_woken(&mut self) -> BTreeSet<WorkItem>;

    /// Everything that is known.
    fn world(&self) -> &World;
}

impl Brain for Reconciler {
    fn observe(&mut self, change: Change) -> BTreeSet<WorkItem> {
        Self::observe(self, change)
    }

    fn observe_agents(&mut self, news: AgentNews) -> BTreeSet<WorkItem> {
        Self::observe_agents(self, news)
    }

    fn is_synced(&self) -> bool {
        Self::is_synced(self)
    }

    fn view(&self, item: &WorkItem) -> View {
        Self::view(self, item)
    }

    fn decide(&mut self, view: View) -> Attempt {
        Self::decide(self, view)
    }

    fn conclude(&mut self, attempt: Attempt) -> Conclusion {
        Self::conclude(self, attempt)
    }

    fn take_woken(&mut self) -> BTreeSet<WorkItem> {
        Self::take_woken(self)
    }

    fn world(&self) -> &World {
        Self::world(self)
    }
}
