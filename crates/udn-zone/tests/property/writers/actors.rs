//! The cluster controller and zone controllers, each with what it has heard so far.
//!
//! Invariant: an actor sees the store through what it heard and what its own writes were answered.

use std::collections::BTreeSet;
use std::sync::Arc;

use ovn::SimulatedDatabase;
use udn_blueprint::names::Prefix;
use udn_blueprint::owners;
use udn_cluster::reconciler::{Answer, Attempt, Change, End};
use udn_cluster::{Reconciler, WorkItem, Write, reconciler};
use udn_model::{ClusterSettings, NodeName, ObjectName};
use udn_zone::{KINDS, Zone};

use super::store::{Store, decode};

/// What came of a thing that an actor did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Nothing,
    /// So many writes came about, and so many met a conflict.
    Wrote(usize, usize),
    /// It died right after a write.
    Died,
}

pub(super) fn settings() -> ClusterSettings {
    ClusterSettings { builds_default_network: true, ..ClusterSettings::default() }
}

/// The next changes that an actor has not heard.
fn unheard<'s>(
    store: &'s Store,
    heard: &mut usize,
    count: usize,
) -> impl Iterator<Item = Change> + use<'s> {
    let (from, to) = (*heard, (*heard + count).min(store.log.len()));
    *heard = to;
    store.log[from..to].iter().zip(from as u64 + 1..).map(
        |((target, object), version)| match object {
            Some(object) => Change::Put(Box::new(decode(target.kind, object))),
            None => Change::Removed { target: target.clone(), version },
        },
    )
}

/// A cluster controller.
pub(super) struct Cluster {
    brain: Reconciler,
    queue: BTreeSet<WorkItem>,
    heard: usize,
}

impl Cluster {
    pub(super) fn start(store: &Store) -> Self {
        let mut cluster =
            Self { brain: Reconciler::new(settings()), queue: BTreeSet::new(), heard: 0 };
        for kind in reconciler::KINDS {
            let (objects, version) = store.list(kind);
            cluster.queue.extend(cluster.brain.observe(Change::Listed { kind, objects, version }));
        }
        cluster.heard = store.log.len();
        cluster
    }

    pub(super) fn hear(&mut self, store: &Store, count: usize) {
        for change in unheard(store, &mut self.heard, count) {
            self.queue.extend(self.brain.observe(change));
        }
    }

    /// Reconciles the first work item.
    pub(super) fn act(&mut self, store: &mut Store, dies: bool) -> Outcome {
        let Some(item) = self.queue.pop_first() else { return Outcome::Nothing };
        let view = self.brain.view(&item);
        if Reconciler::is_premature(&view) {
            return Outcome::Nothing;
        }
        let mut attempt = self.brain.decide(view);
        let Some(conflicts) = Self::write(&mut attempt, store, dies) else { return Outcome::Died };
        let written = attempt.written();
        let conclusion = self.brain.conclude(attempt);
        self.queue.extend(conclusion.touched);
        match conclusion.end {
            End::Settled => {}
            End::Again | End::Failed => drop(self.queue.insert(item)),
        }
        Outcome::Wrote(written, conflicts)
    }

    /// Sends what was decided; `None` if that was the end.
    fn write(attempt: &mut Attempt, store: &mut Store, dies: bool) -> Option<usize> {
        let mut conflicts = 0;
        for wave in attempt.take_waves() {
            for write in &wave {
                match store.apply(write) {
                    Ok(_) if dies => return None,
                    Ok(Some(object)) => attempt.answered(Answer::Stands(Box::new(object))),
                    Ok(None) => {
                        let (target, version) = (write.target.clone(), store.log.len() as u64);
                        attempt.answered(Answer::Gone { target, version });
                    }
                    Err(_) => {
                        conflicts += 1;
                        attempt.fail();
                    }
                }
            }
            if attempt.end == End::Failed {
                return Some(conflicts);
            }
            attempt.wave_done(&wave);
        }
        Some(conflicts)
    }
}

/// The zone controller of one node, whose rows stand as soon as they are drawn.
pub(super) struct ZoneActor {
    brain: Zone,
    queue: BTreeSet<ObjectName>,
    heard: usize,
}

impl ZoneActor {
    pub(super) fn start(node: &str, store: &Store) -> Self {
        let brain = Zone::new(NodeName::new(node), Arc::new(settings()));
        let mut zone = Self { brain, queue: BTreeSet::new(), heard: store.log.len() };
        for kind in KINDS {
            let (objects, version) = store.list(kind);
            zone.brain.hear(Change::Listed { kind, objects, version });
        }
        zone.renew();
        zone
    }

    pub(super) fn hear(&mut self, store: &Store, count: usize) {
        unheard(store, &mut self.heard, count).for_each(|change| self.brain.hear(change));
        self.renew();
    }

    fn renew(&mut self) {
        let rows = SimulatedDatabase::new(owners::northbound(self.brain.node()));
        loop {
            while let Some(piece) = self.brain.next_dirty() {
                self.brain.renew(&piece);
            }
            // No port has any rows here.
            let networks = self.brain.intent().networks.keys();
            let items: Vec<_> =
                networks.map(|it| udn_zone::WorkItem::Network(Prefix::of(it))).collect();
            items.iter().for_each(|item| self.brain.ports_gone(item, rows.rows()));
            if self.brain.next_dirty().is_none() {
                break;
            }
        }
        self.queue.extend(self.brain.take_news());
    }

    /// Publishes the addresses of the first pod that lacks some.
    pub(super) fn act(&mut self, store: &mut Store, dies: bool) -> Outcome {
        let Some(pod) = self.queue.pop_first() else { return Outcome::Nothing };
        let Some(write) = self.brain.writes().get(&pod).cloned() else { return Outcome::Nothing };
        self.publish(&write, store, dies)
    }

    fn publish(&mut self, write: &Write, store: &mut Store, dies: bool) -> Outcome {
        match store.apply(write) {
            Ok(_) if dies => Outcome::Died,
            Ok(object) => {
                object.into_iter().for_each(|it| self.brain.hear_answer(it));
                self.renew();
                Outcome::Wrote(1, 0)
            }
            // A newer state of the pod comes, and with it another write.
            Err(_) => Outcome::Wrote(0, 1),
        }
    }
}
