//! What a zone controller would draw, without any database.
//!
//! Reads a world in which the cluster controller has written everything; returns every intermediate
//! value, as `explain`, golden cases and benches want it, with the addresses that the zone would grant.
//! Invariant: the brain is the one that runs at a server; it hears of all objects at once.

use std::sync::Arc;

use ovn::Sheet;
use ovsdb::Cache;
use udn_blueprint::{DrawingInput, draw_southbound, owners};
use udn_cluster::reconciler::Change;
use udn_cluster::{Act, World, Write};
use udn_model::{ClusterSettings, Findings, Grants, Intent, NodeName, ObjectName};
use udn_wire::keys::POD_NETWORKS;
use udn_wire::object::{AnyObject, Pod};
use udn_zone::{Extent, KINDS, WorkItem, Zone};

#[cfg(test)]
mod tests;

/// What a zone controller makes of a world.
#[derive(Debug)]
pub struct ZoneDryRun {
    zone: Zone,
    writes: Vec<Write>,
    sheets: Vec<(String, Vec<Sheet>)>,
}

impl ZoneDryRun {
    /// Reads and draws everything as a zone controller does that finds an empty database.
    pub fn new(world: &World, node: &NodeName, settings: &ClusterSettings) -> Self {
        let rules = owners::northbound_of(node, settings);
        let nothing = Cache::new(Arc::new(rules.database.to_schema()), &rules.indexes());
        Self::over(world, node, settings, &nothing)
    }

    /// The same where rows stand: whatever is left of networks that are gone is drawn empty.
    pub fn over(world: &World, node: &NodeName, settings: &ClusterSettings, rows: &Cache) -> Self {
        let mut zone = Zone::new(node.clone(), Arc::new(settings.clone()));
        for kind in KINDS {
            zone.hear(Change::Listed { kind, objects: world.of_kind(kind), version: 0 });
        }
        let writes = grant_all(&mut zone);
        let items = zone.everything(rows).0.into_keys();
        let items: Vec<WorkItem> = items.filter(|it| *it != WorkItem::Southbound).collect();
        let mut draw = |item: WorkItem| {
            let drawing = zone.draw(&item, &Extent::Whole, rows);
            (zone.title(&item), drawing.sheets)
        };
        let sheets = items.into_iter().map(&mut draw).collect();
        Self { zone, writes, sheets }
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

    /// What the zone would write down of the addresses that it grants; everything else is as if that
    /// were done.
    pub fn writes(&self) -> &[Write] {
        &self.writes
    }

    /// What the zone knows, with what it would write.
    pub fn world(&self) -> &World {
        self.zone.world()
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

/// Reads everything, and lets the zone hear what it would write itself.
fn grant_all(zone: &mut Zone) -> Vec<Write> {
    let mut written = Vec::new();
    loop {
        while let Some(piece) = zone.next_dirty() {
            zone.renew(&piece);
        }
        let news = zone.take_news();
        let writes: Vec<Write> =
            news.iter().filter_map(|it| zone.writes().get(it)).cloned().collect();
        if writes.is_empty() {
            return written;
        }
        for write in &writes {
            let pod = ObjectName::new(&write.target.namespace, &write.target.name);
            let pod = zone.world().pods.get(&pod).map(|it| annotated(it, write));
            pod.into_iter().for_each(|it| zone.hear_answer(AnyObject::Pod(it)));
        }
        written.extend(writes);
    }
}

/// A pod as it would be after a write of its annotation.
fn annotated(pod: &Pod, write: &Write) -> Pod {
    let mut pod = pod.clone();
    let text = match &write.act {
        Act::TestedPatch(steps) => {
            let value = steps.as_array().and_then(|it| it.last()).map(|it| &it["value"]);
            value.and_then(|it| it.as_str().or_else(|| it[POD_NETWORKS].as_str()))
        }
        Act::Create(_)
        | Act::Replace(_)
        | Act::Patch(_)
        | Act::ApplyStatus(_)
        | Act::PatchStatus(_)
        | Act::Delete { .. } => None,
    };
    let text = text.map(|it| (POD_NETWORKS.to_owned(), it.to_owned()));
    pod.metadata.annotations.extend(text);
    pod
}
