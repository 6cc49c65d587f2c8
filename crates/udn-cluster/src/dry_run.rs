//! A dry run: reconciles everything until nothing is left to do, on objects in memory.
//!
//! Reads a world; returns what the controller would write, grant, find and tell. This is how
//! `explain`, `validate` and golden cases drive the very code that runs at a cluster.
//! Invariant: nothing is assumed of what is not in the world; it comes to an end.

use std::collections::{BTreeMap, BTreeSet};

use udn_model::{ClusterSettings, Findings, Grants, Intent, Told};
use udn_wire::Kind;

use crate::decision::Decision;
use crate::reconciler::{Attempt, Change, Conclusion, End, KINDS, Reconciler};
use crate::translate;
use crate::work_item::WorkItem;
use crate::world::World;
use crate::write::{Event, Write};

mod api_objects;
#[cfg(test)]
mod tests;

use api_objects::ApiObjects;

/// The time at which a dry run happens.
const NOW: &str = "2026-01-01T00:00:00Z";

/// How often a work item may be reconciled; a few steps are usual.
const MOST_RECONCILES: usize = 64;

/// What the controller would do.
#[derive(Debug, Default)]
pub struct DryRun {
    /// What is asked for, as it was when the controller began.
    pub intent: Told<Intent>,
    pub grants: Grants,
    /// What was found about the objects, once nothing was left to do.
    pub findings: Findings,
    /// What would be written, in order.
    pub writes: Vec<Write>,
    pub events: BTreeSet<Event>,
    /// The world as it would be then.
    pub world: World,
    /// Whether it came to rest; if not, a mistake of ours let two work items undo each other.
    pub is_quiet: bool,
}

/// What a world is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Manifests, often a part of what a cluster has.
    Manifests,
    /// All objects of a cluster.
    Cluster,
}

/// Runs the controller on a world until it is quiet.
pub fn dry_run(world: World, settings: &ClusterSettings, scope: Scope) -> DryRun {
    let intent = translate::cluster(&world, settings);
    let mut run = Run::new(world, settings, scope);
    let is_quiet = run.until_quiet();
    run.finish(intent, is_quiet)
}

/// A controller that has heard of a world, and of nothing since.
pub fn reconciler_of(world: &World, settings: &ClusterSettings) -> Reconciler {
    listed(&ApiObjects::new(world.clone()), settings).0
}

fn listed(objects: &ApiObjects, settings: &ClusterSettings) -> (Reconciler, BTreeSet<WorkItem>) {
    let (mut reconciler, mut touched) = (Reconciler::new(settings.clone()), BTreeSet::new());
    for kind in KINDS {
        let (objects, version) = objects.list(kind);
        touched = reconciler.observe(Change::Listed { kind, objects, version });
    }
    (reconciler, touched)
}

/// A dry run that is under way.
struct Run {
    scope: Scope,
    objects: ApiObjects,
    reconciler: Reconciler,
    queue: BTreeSet<(Order, WorkItem)>,
    decisions: BTreeMap<WorkItem, Decision>,
    writes: Vec<Write>,
    events: BTreeSet<Event>,
}

/// Networks come before who is on them, by name; what they are made of does not matter.
type Order = (u8, String);

impl Run {
    fn new(world: World, settings: &ClusterSettings, scope: Scope) -> Self {
        let objects = ApiObjects::new(world);
        let (reconciler, touched) = listed(&objects, settings);
        let mut run = Self {
            scope,
            objects,
            reconciler,
            queue: BTreeSet::new(),
            decisions: BTreeMap::new(),
            writes: Vec::new(),
            events: BTreeSet::new(),
        };
        run.touch(touched);
        run
    }

    fn touch(&mut self, items: BTreeSet<WorkItem>) {
        // Every cluster has the default NAD; manifests seldom do, and should not be asked for it.
        let is_whole = self.scope == Scope::Cluster;
        let items = items.into_iter().filter(|it| is_whole || *it != WorkItem::DefaultNad);
        self.queue.extend(items.map(|it| (order(&it), it)));
    }

    fn until_quiet(&mut self) -> bool {
        let most = MOST_RECONCILES * (self.queue.len() + MOST_RECONCILES);
        for _ in 0..most {
            let Some((_, item)) = self.queue.pop_first() else { return true };
            self.reconcile(&item);
        }
        false
    }

    fn reconcile(&mut self, item: &WorkItem) {
        let view = self.reconciler.view(item);
        if self.scope == Scope::Cluster && Reconciler::is_premature(&view) {
            return;
        }
        let mut attempt = self.reconciler.decide(view);
        self.decisions.insert(item.clone(), attempt.decision.clone());
        self.send(&mut attempt);
        let Conclusion { touched, events, end, .. } = self.reconciler.conclude(attempt);
        self.events.extend(events);
        self.touch(touched);
        if end == End::Again {
            self.touch(BTreeSet::from([item.clone()]));
        }
    }

    /// Writes what was decided, then the status.
    fn send(&mut self, attempt: &mut Attempt) {
        for wave in attempt.take_waves() {
            for write in &wave {
                attempt.answered(self.write(write));
            }
            attempt.wave_done(&wave);
        }
        let update = attempt.status_update(NOW.to_owned());
        let answer = update.write.as_ref().map(|write| self.write(write));
        attempt.told(answer, update.events);
    }

    fn write(&mut self, write: &Write) -> crate::reconciler::Answer {
        self.writes.push(write.clone());
        self.objects.apply(write, NOW)
    }

    fn finish(self, intent: Told<Intent>, is_quiet: bool) -> DryRun {
        let Self { objects, decisions, writes, events, .. } = self;
        let (mut grants, mut findings) = (Grants::default(), Findings::new());
        for (_, decision) in decisions {
            let Grants { networks, nodes, node_subnets, attachments, claims } = decision.grants;
            grants.networks.extend(networks);
            grants.nodes.extend(nodes);
            grants.claims.extend(claims);
            for (network, granted) in node_subnets {
                grants.node_subnets.entry(network).or_default().extend(granted);
            }
            for (network, granted) in attachments {
                grants.attachments.entry(network).or_default().extend(granted);
            }
            findings.extend(decision.findings);
            findings.extend(decision.others);
        }
        findings.sort();
        findings.dedup();
        let world = objects.into_world();
        DryRun { intent, grants, findings, writes, events, world, is_quiet }
    }
}

fn order(item: &WorkItem) -> Order {
    match item {
        WorkItem::Network(_) | WorkItem::HandWritten(_) => {
            (0, item.network().map(|it| it.to_string()).unwrap_or_default())
        }
        WorkItem::Node(name) => (1, name.to_string()),
        WorkItem::DefaultNad => (2, String::new()),
        WorkItem::Claim(name) => (3, name.to_string()),
        WorkItem::Pod(name) => (4, name.to_string()),
    }
}

impl DryRun {
    /// The writes to objects of a kind.
    pub fn writes_to(&self, kind: Kind) -> impl Iterator<Item = &Write> {
        self.writes.iter().filter(move |it| it.target.kind == kind)
    }
}
