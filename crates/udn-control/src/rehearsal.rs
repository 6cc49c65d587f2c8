//! Rehearses a reconcile of both controllers without writing anything.
//!
//! Reads a world; returns every intermediate value, as `explain`, golden cases and benches want it.
//! Invariant: the stages are those of the turns, in the same order.

use ovn::Sheet;
use udn_blueprint::{DrawingInput, draw_southbound, unreachable_nodes, waiting};
use udn_cluster::{Change, Publication, World, render, translate};
use udn_ledger::{Ledger, accept, settle};
use udn_model::{ClusterSettings, Findings, Grants, Intent, NodeName, ObjectName, Told};
use udn_wire::{Kind, Target};

use crate::zone::plan::{Batch, StandingOwners, batches, sheets};

/// What the cluster controller would do.
#[derive(Debug, Clone)]
pub struct ClusterRehearsal {
    pub intent: Told<Intent>,
    pub grants: Told<Grants>,
    pub publications: Vec<Publication>,
    /// The world as it would be once everything is published.
    pub world: World,
}

/// What a zone controller would do with that world.
#[derive(Debug, Clone)]
pub struct ZoneRehearsal {
    pub node: NodeName,
    pub intent: Told<Intent>,
    pub grants: Told<Grants>,
}

/// Translates, settles and renders as the cluster controller does.
pub fn rehearse_cluster(mut world: World, settings: &ClusterSettings) -> ClusterRehearsal {
    let intent = translate::cluster(&world, settings);
    let (_, grants) = settle(&intent.value, Ledger::new(settings), settings);
    let publications = render::publications(&world, &intent.value, &grants.value, settings);
    publish(&mut world, &publications);
    ClusterRehearsal { intent, grants, publications, world }
}

/// Lays publications over a world, as observing them would.
pub fn publish(world: &mut World, publications: &[Publication]) {
    let texts: Vec<String> = publications.iter().filter_map(Publication::to_yaml).collect();
    let sources = texts.iter().map(|text| ("publication", text.as_bytes()));
    world.merge(World::read(sources).world);
    for publication in publications {
        let Target { kind, namespace, name } = &publication.target;
        if publication.change == Change::Delete && *kind == Kind::Nad {
            world.nads.remove(&ObjectName::new(namespace, name));
        }
    }
}

/// Translates and accepts as a zone controller does.
pub fn rehearse_zone(world: &World, node: &NodeName, settings: &ClusterSettings) -> ZoneRehearsal {
    let intent = translate::zone(world, settings);
    let grants = accept(&intent.value, settings);
    ZoneRehearsal { node: node.clone(), intent, grants }
}

impl ZoneRehearsal {
    /// The drawing table of the zone.
    pub fn input<'a>(&'a self, settings: &'a ClusterSettings) -> DrawingInput<'a> {
        DrawingInput {
            intent: &self.intent.value,
            grants: &self.grants.value,
            settings,
            zone: &self.node,
        }
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
        let waiting = self.intent.value.networks.keys().flat_map(|it| waiting(&input, it));
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
