//! What a zone controller would draw, without any database.
//!
//! Reads a world in which the cluster controller has written everything; returns every intermediate
//! value, as `explain`, golden cases and benches want it.
//! Invariant: the brain is the one that runs at a server; it hears of all objects at once.

use std::sync::Arc;

use ovn::Sheet;
use ovsdb::Cache;
use udn_blueprint::{DrawingInput, draw_southbound, owners};
use udn_cluster::World;
use udn_cluster::reconciler::Change;
use udn_model::{ClusterSettings, Findings, Grants, Intent, NodeName};
use udn_zone::{Extent, KINDS, WorkItem, Zone};

/// What a zone controller makes of a world.
#[derive(Debug)]
pub struct ZoneDryRun {
    zone: Zone,
    sheets: Vec<(String, Vec<Sheet>)>,
}

impl ZoneDryRun {
    /// Reads and draws everything as a zone controller does that finds an empty database.
    pub fn new(world: &World, node: &NodeName, settings: &ClusterSettings) -> Self {
        let rules = owners::northbound(node);
        let nothing = Cache::new(Arc::new(rules.database.to_schema()), &rules.indexes());
        Self::over(world, node, settings, &nothing)
    }

    /// The same where rows stand: whatever is left of networks that are gone is drawn empty.
    pub fn over(world: &World, node: &NodeName, settings: &ClusterSettings, rows: &Cache) -> Self {
        let mut zone = Zone::new(node.clone(), Arc::new(settings.clone()));
        for kind in KINDS {
            zone.hear(Change::Listed { kind, objects: world.of_kind(kind), version: 0 });
        }
        while let Some(piece) = zone.next_dirty() {
            zone.renew(&piece);
        }
        let items = zone.everything(rows).0.into_keys();
        let items: Vec<WorkItem> = items.filter(|it| *it != WorkItem::Southbound).collect();
        let mut draw = |item: WorkItem| {
            let drawing = zone.draw(&item, &Extent::Whole, rows);
            (zone.title(&item), drawing.sheets)
        };
        let sheets = items.into_iter().map(&mut draw).collect();
        Self { zone, sheets }
    }

    pub fn node(&self) -> &NodeName {
        self.zone.node()
    }

    pub fn intent(&self) -> &Intent {
        self.zone.intent()
    }

    pub fn grants(&self) -> &Grants {
        self.zone.grants()
    }

    /// What the zone draws from.
    pub fn input(&self) -> DrawingInput<'_> {
        self.zone.input()
    }

    /// Every sheet of the zone's northbound database, by the titles of what is committed together.
    pub fn sheets(&self) -> &[(String, Vec<Sheet>)] {
        &self.sheets
    }

    /// Everything that the zone finds wrong or waits for.
    pub fn findings(&self) -> Findings {
        self.zone.findings()
    }

    /// The sheet of its southbound database.
    pub fn southbound(&self) -> Sheet {
        draw_southbound(&self.input())
    }
}
