//! The controller's brain under observation: it counts its decisions, and panics where a test wants it.
//!
//! Invariant: it differs from the one in production by its panics alone.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use udn_cluster::reconciler::{Attempt, Change, Conclusion};
use udn_cluster::{AgentNews, Reconciler, View, WorkItem, World};
use udn_control::cluster::Brain;
use udn_model::ClusterSettings;

/// How often each work item was reconciled.
pub(crate) type Counts = BTreeMap<WorkItem, usize>;

/// A brain, what makes it panic, and its decisions.
pub(crate) struct WatchedBrain {
    brain: Reconciler,
    is_cursed: fn(&WorkItem) -> bool,
    counts: Arc<Mutex<Counts>>,
}

/// What a brain did so far.
#[derive(Clone)]
pub(crate) struct Decisions(Arc<Mutex<Counts>>);

impl Decisions {
    pub(crate) fn counts(&self) -> Counts {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn of(&self, item: &WorkItem) -> usize {
        self.counts().get(item).copied().unwrap_or_default()
    }
}

impl WatchedBrain {
    pub(crate) fn new(
        settings: &ClusterSettings,
        is_cursed: fn(&WorkItem) -> bool,
    ) -> (Self, Decisions) {
        let (brain, counts) = (Reconciler::new(settings.clone()), Arc::default());
        (Self { brain, is_cursed, counts: Arc::clone(&counts) }, Decisions(counts))
    }
}

impl Brain for WatchedBrain {
    fn observe(&mut self, change: Change) -> BTreeSet<WorkItem> {
        self.brain.observe(change)
    }

    fn observe_agents(&mut self, news: AgentNews) -> BTreeSet<WorkItem> {
        self.brain.observe_agents(news)
    }

    fn is_synced(&self) -> bool {
        self.brain.is_synced()
    }

    fn view(&self, item: &WorkItem) -> View {
        self.brain.view(item)
    }

    fn decide(&mut self, view: View) -> Attempt {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        *counts.entry(view.item.clone()).or_default() += 1;
        drop(counts);
        assert!(!(self.is_cursed)(&view.item), "a deliberate panic");
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
