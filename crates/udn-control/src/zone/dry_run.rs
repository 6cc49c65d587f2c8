//! What a zone controller would draw, without any database.
//!
//! Reads a world in which the cluster controller has written everything; returns every intermediate
//! value, as `explain`, golden cases and benches want it.
//! Invariant: the stages are those of a pass, in the same order.

use ovn::Sheet;
use udn_blueprint::{DrawingInput, draw_southbound, unreachable_nodes};
use udn_cluster::{World, translate};
use udn_ledger::accept;
use udn_model::{ClusterSettings, Findings, Grants, Intent, NodeName, Told};

use super::plan::{Batch, StandingOwners, batches, lacking, sheets};

/// What a zone controller makes of a world.
#[derive(Debug, Clone)]
pub struct ZoneDryRun {
    pub node: NodeName,
    pub intent: Told<Intent>,
    pub grants: Told<Grants>,
}

impl ZoneDryRun {
    /// Translates and accepts as a zone controller does.
    pub fn new(world: &World, node: &NodeName, settings: &ClusterSettings) -> Self {
        let intent = translate::zone(world, settings);
        let grants = accept(&intent.value, settings);
        Self { node: node.clone(), intent, grants }
    }

    /// What the zone draws from.
    pub fn input<'a>(&'a self, settings: &'a ClusterSettings) -> DrawingInput<'a> {
        let (intent, grants) = (&self.intent.value, &self.grants.value);
        DrawingInput { intent, grants, settings, zone: &self.node }
    }

    /// Every sheet of the zone's northbound database, batch by batch.
    pub fn sheets(&self, settings: &ClusterSettings) -> Vec<(Batch, Vec<Sheet>)> {
        let (input, nothing) = (self.input(settings), StandingOwners::new());
        let each = batches(&input, &nothing).into_iter();
        each.map(|batch| (batch.clone(), sheets(&batch, &input, &nothing))).collect()
    }

    /// Everything that the zone finds wrong or waits for.
    pub fn findings(&self, settings: &ClusterSettings) -> Findings {
        let input = self.input(settings);
        let waiting = self.intent.value.networks.keys().flat_map(|it| lacking(&input, it));
        let mut findings = [self.intent.findings.clone(), self.grants.findings.clone()].concat();
        findings.extend(waiting);
        findings.extend(unreachable_nodes(&input));
        findings
    }

    /// The sheet of its southbound database.
    pub fn southbound(&self, settings: &ClusterSettings) -> Sheet {
        draw_southbound(&self.input(settings))
    }
}
