//! What whoever drives a zone does, on databases in memory.
//!
//! Invariant: work items are drawn and committed one by one, in order, and as much of each as is
//! asked for; whatever cannot be compared or is refused ends the test.
#![allow(dead_code, reason = "each shelf uses a part of this")]

use std::collections::BTreeSet;
use std::sync::Arc;

use ovn::{Owner, Plan, SimulatedDatabase};
use ovsdb::cache::Change as RowChange;
use udn_blueprint::owners;
use udn_cluster::reconciler::Change;
use udn_model::{ClusterSettings, NodeName};
use udn_zone::{Extent, Touched, WorkItem, Zone};

/// A zone and its databases.
pub(crate) struct Driver {
    pub(crate) zone: Zone,
    pub(crate) northbound: SimulatedDatabase,
    pub(crate) southbound: SimulatedDatabase,
}

/// What one transaction was about.
pub(crate) struct Commit {
    /// Whose rows were drawn.
    pub(crate) owners: BTreeSet<Owner>,
    pub(crate) plan: Plan,
    pub(crate) changes: Vec<RowChange>,
}

impl Driver {
    /// A zone that knows nothing, and empty databases.
    pub(crate) fn new(node: &NodeName, settings: &ClusterSettings) -> Self {
        Self {
            zone: Zone::new(node.clone(), Arc::new(settings.clone())),
            northbound: SimulatedDatabase::new(owners::northbound_of(node, settings)),
            southbound: SimulatedDatabase::new(owners::southbound()),
        }
    }

    /// Takes in changes; returns what they touch.
    pub(crate) fn hear(&mut self, changes: impl IntoIterator<Item = Change>) -> Touched {
        changes.into_iter().for_each(|change| self.zone.hear(change));
        self.renew()
    }

    /// Reads again what is not up to date; returns what that touches.
    pub(crate) fn renew(&mut self) -> Touched {
        let mut touched = Touched::default();
        while let Some(piece) = self.zone.next_dirty() {
            touched.append(self.zone.renew(&piece));
        }
        touched
    }

    /// Everything that there is or that stands.
    pub(crate) fn everything(&self) -> Touched {
        self.zone.everything(self.northbound.rows())
    }

    /// Commits what is touched.
    pub(crate) fn commit_all(&mut self, touched: &Touched) -> Vec<Commit> {
        touched.0.iter().map(|(item, extent)| self.commit(item, extent)).collect()
    }

    /// Draws, compares and commits a work item.
    pub(crate) fn commit(&mut self, item: &WorkItem, extent: &Extent) -> Commit {
        let database = match item {
            WorkItem::Southbound => &mut self.southbound,
            WorkItem::Shared | WorkItem::Network(_) => &mut self.northbound,
        };
        let drawing = self.zone.draw(item, extent, database.rows());
        let plan = database.plan(&drawing.sheets).unwrap_or_else(|error| panic!("{error}"));
        let told = database.transact_and_tell(&plan.operations(database.rules().database));
        let (_, changes) = told.unwrap_or_else(|fault| panic!("refused: {fault}\n{plan}"));
        self.zone.ports_gone(item, database.rows());
        Commit { owners: drawing.owners(), plan, changes }
    }

    /// What would be committed if everything were looked at.
    pub(crate) fn left_to_do(&mut self) -> Vec<Plan> {
        let everything = self.everything();
        let plan = |(item, extent)| {
            let database = match &item {
                WorkItem::Southbound => &self.southbound,
                WorkItem::Shared | WorkItem::Network(_) => &self.northbound,
            };
            let sheets = self.zone.draw(&item, &extent, database.rows()).sheets;
            database.plan(&sheets).unwrap_or_else(|error| panic!("{error}"))
        };
        let plans = everything.0.into_iter().map(plan);
        plans.filter(|plan| !plan.is_empty() || !plan.is_complete()).collect()
    }
}
