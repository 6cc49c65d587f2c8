//! Takes out of the cache what a network needs to see.
//!
//! Reads the cache; returns a small world.
//! Invariant: whoever decides whether a network gets its name or a place in a namespace is in the
//! small world together with whoever decides over them, and so on; others may be there but have no
//! say.

use std::collections::BTreeSet;
use std::sync::Arc;

use udn_model::{Manifest, ObjectName, SmallSet};

use crate::cache::Lookup;
use crate::work_item::WorkItem;
use crate::world::World;

/// The small world of a network.
pub(crate) fn view(lookup: Lookup<'_>, item: &WorkItem) -> World {
    let mut gathering = Gathering::new(lookup);
    gathering.network(item);
    gathering.world
}

/// What must be known of a network.
enum Need {
    /// All that becomes of it.
    Whole(WorkItem),
    /// What becomes of it in a namespace.
    InNamespace(WorkItem, Arc<str>),
}

struct Gathering<'a> {
    lookup: Lookup<'a>,
    world: World,
    taken: BTreeSet<WorkItem>,
    whole: BTreeSet<WorkItem>,
    in_namespaces: BTreeSet<(WorkItem, Arc<str>)>,
    /// The namespaces whose primary networks were asked for.
    contested: BTreeSet<Arc<str>>,
    waiting: Vec<Need>,
}

impl<'a> Gathering<'a> {
    fn new(lookup: Lookup<'a>) -> Self {
        let (taken, whole, in_namespaces, contested) = Default::default();
        let world = World::default();
        Self { lookup, world, taken, whole, in_namespaces, contested, waiting: Vec::new() }
    }

    fn network(&mut self, item: &WorkItem) {
        self.waiting.push(Need::Whole(item.clone()));
        while let Some(need) = self.waiting.pop() {
            match need {
                Need::Whole(item) => self.whole(&item),
                Need::InNamespace(item, namespace) => self.in_namespace(&item, namespace),
            }
        }
        self.neighbours(item);
    }

    fn whole(&mut self, item: &WorkItem) {
        if !self.whole.insert(item.clone()) {
            return;
        }
        for sibling in self.lookup.siblings(item) {
            self.waiting.push(Need::Whole(sibling.clone()));
        }
        self.take(item);
        for place in self.lookup.places(item) {
            self.waiting.push(Need::InNamespace(item.clone(), place));
        }
    }

    fn in_namespace(&mut self, item: &WorkItem, namespace: Arc<str>) {
        if !self.in_namespaces.insert((item.clone(), namespace.clone())) {
            return;
        }
        self.take(item);
        self.namespace(&namespace);
        if let Some(name) = wanted_name(item) {
            self.nad(&ObjectName { namespace: namespace.clone(), name });
        }
        self.users_who_keep(item, &namespace);
        if !self.lookup.siblings(item).is_empty() {
            self.waiting.push(Need::Whole(item.clone()));
        }
        let mut rivals = self.lookup.namesakes(item, &namespace);
        if self.lookup.is_primary(item) && self.contested.insert(namespace.clone()) {
            rivals.extend(self.lookup.primaries(&namespace));
        }
        let in_namespaces =
            rivals.into_iter().map(|rival| Need::InNamespace(rival, namespace.clone()));
        self.waiting.extend(in_namespaces);
    }

    /// Localnets on the same segment; what becomes of them does not matter, only what they ask for.
    fn neighbours(&mut self, item: &WorkItem) {
        for segment in self.lookup.segments(item) {
            for neighbour in self.lookup.index.segments.at(segment).filter(|it| *it != item) {
                if matches!(neighbour, WorkItem::HandWritten(_)) {
                    self.take(neighbour);
                } else {
                    self.manifest(neighbour);
                    let leader = self.lookup.leader(neighbour).map(|(name, _)| name);
                    let first = self.lookup.nads_of(neighbour).next();
                    first.into_iter().chain(leader).for_each(|it| self.nad(it));
                }
            }
        }
    }

    /// A network's manifest, and all that tells its numbers.
    fn take(&mut self, item: &WorkItem) {
        if !self.taken.insert(item.clone()) {
            return;
        }
        self.manifest(item);
        self.lookup.nads_of(item).for_each(|it| self.nad(it));
        let Some(network) = item.network() else { return };
        let same = self.lookup.index.by_network.get(&network);
        same.into_iter().flat_map(SmallSet::iter).for_each(|it| self.nad(it));
    }

    fn manifest(&mut self, item: &WorkItem) {
        let (all, world) = (self.lookup.world, &mut self.world);
        match item {
            WorkItem::Network(Manifest::Udn(name)) => world.networks.share(&all.networks, name),
            WorkItem::Network(Manifest::Cudn(name)) => {
                world.cluster_networks.share(&all.cluster_networks, name);
            }
            WorkItem::HandWritten(_)
            | WorkItem::Node(_)
            | WorkItem::DefaultNad
            | WorkItem::Pod(_)
            | WorkItem::Claim(_) => {}
        }
    }

    /// A NAD, and who made it: without its maker it would look like one that was left behind.
    fn nad(&mut self, name: &ObjectName) {
        if self.world.nads.contains_key(name) {
            return;
        }
        self.world.nads.share(&self.lookup.world.nads, name);
        let summary = self.lookup.index.nads.get(name);
        if let Some(home) = summary.and_then(|it| it.home.as_ref()) {
            self.manifest(home);
        }
    }

    fn namespace(&mut self, name: &str) {
        self.world.namespaces.share(&self.lookup.world.namespaces, name);
    }

    /// Pods that keep a NAD in its place though nobody wants it.
    fn users_who_keep(&mut self, item: &WorkItem, namespace: &str) {
        for (name, summary) in self.lookup.summaries_in(namespace) {
            if summary.home.as_ref() == Some(item) && !self.lookup.is_settled(name) {
                self.users(name);
            }
        }
    }

    fn users(&mut self, nad: &ObjectName) {
        let pods = self.lookup.index.pods.users(nad);
        pods.for_each(|it| self.world.pods.share(&self.lookup.world.pods, it));
    }
}

/// The name of the NADs that a UDN or CUDN wants.
fn wanted_name(item: &WorkItem) -> Option<Arc<str>> {
    match item {
        WorkItem::Network(Manifest::Udn(name)) => Some(name.name.clone()),
        WorkItem::Network(Manifest::Cudn(name)) => Some(name.as_str().into()),
        WorkItem::HandWritten(_)
        | WorkItem::Node(_)
        | WorkItem::DefaultNad
        | WorkItem::Pod(_)
        | WorkItem::Claim(_) => None,
    }
}
