//! Takes out of the cabinet what one affair needs to see.
//!
//! Reads a view; returns a small world.
//! Invariant: whoever decides whether a network gets its name or a seat in a namespace is in the
//! small world together with whoever decides over them, and so on; others may be there but have no
//! say.

use std::collections::BTreeSet;
use std::sync::Arc;

use udn_model::{FewSet, ObjectName};

use super::view::View;
use crate::affair::Affair;
use crate::doors::Doors;
use crate::world::World;

mod pods;

pub(super) use pods::carriers;

/// The small world of an affair, and the doors in it that lead to networks that were built.
pub(super) fn gather(
    view: View<'_>,
    affair: &Affair,
    default_definition: &ObjectName,
) -> (World, Doors) {
    let mut gathering = Gathering::new(view);
    match affair {
        Affair::UserDefinedNetwork(_)
        | Affair::ClusterUserDefinedNetwork(_)
        | Affair::Written(_) => gathering.network(affair),
        Affair::Node(name) => {
            let world = &mut gathering.world;
            world.nodes.share(&view.world.nodes, name);
            world.reports.share(&view.world.reports, name);
        }
        Affair::Pod(name) => return pods::pod(view, name),
        Affair::Claim(name) => return pods::claim(view, name),
        Affair::DefaultDefinition => {
            gathering.namespace(&default_definition.namespace);
            gathering.definition(default_definition);
        }
    }
    (gathering.world, Doors::default())
}

/// What must be known of a network.
enum Need {
    /// All that becomes of it.
    Whole(Affair),
    /// What becomes of it in a namespace.
    Seat(Affair, Arc<str>),
}

struct Gathering<'a> {
    view: View<'a>,
    world: World,
    taken: BTreeSet<Affair>,
    whole: BTreeSet<Affair>,
    seats: BTreeSet<(Affair, Arc<str>)>,
    /// The namespaces whose primary networks were asked for.
    contested: BTreeSet<Arc<str>>,
    waiting: Vec<Need>,
}

impl<'a> Gathering<'a> {
    fn new(view: View<'a>) -> Self {
        let (taken, whole, seats, contested) = Default::default();
        let world = World::default();
        Self { view, world, taken, whole, seats, contested, waiting: Vec::new() }
    }

    fn network(&mut self, affair: &Affair) {
        self.waiting.push(Need::Whole(affair.clone()));
        while let Some(need) = self.waiting.pop() {
            match need {
                Need::Whole(affair) => self.whole(&affair),
                Need::Seat(affair, namespace) => self.seat(&affair, namespace),
            }
        }
        self.neighbours(affair);
    }

    fn whole(&mut self, affair: &Affair) {
        if !self.whole.insert(affair.clone()) {
            return;
        }
        for sibling in self.view.siblings(affair) {
            self.waiting.push(Need::Whole(sibling.clone()));
        }
        self.take(affair);
        for place in self.view.places(affair) {
            self.waiting.push(Need::Seat(affair.clone(), place));
        }
    }

    fn seat(&mut self, affair: &Affair, namespace: Arc<str>) {
        if !self.seats.insert((affair.clone(), namespace.clone())) {
            return;
        }
        self.take(affair);
        self.namespace(&namespace);
        if let Some(name) = wanted_name(affair) {
            self.definition(&ObjectName { namespace: namespace.clone(), name });
        }
        self.guests_who_keep(affair, &namespace);
        if !self.view.siblings(affair).is_empty() {
            self.waiting.push(Need::Whole(affair.clone()));
        }
        let mut rivals = self.view.namesakes(affair, &namespace);
        if self.view.is_primary(affair) && self.contested.insert(namespace.clone()) {
            rivals.extend(self.view.primaries(&namespace));
        }
        let seats = rivals.into_iter().map(|rival| Need::Seat(rival, namespace.clone()));
        self.waiting.extend(seats);
    }

    /// Localnets on the same segment; what becomes of them does not matter, only what they ask for.
    fn neighbours(&mut self, affair: &Affair) {
        for segment in self.view.segments(affair) {
            for neighbour in self.view.index.segments.at(segment).filter(|it| *it != affair) {
                if matches!(neighbour, Affair::Written(_)) {
                    self.take(neighbour);
                } else {
                    self.manifest(neighbour);
                    let leader = self.view.leader(neighbour).map(|(name, _)| name);
                    let first = self.view.definitions_of(neighbour).next();
                    first.into_iter().chain(leader).for_each(|it| self.definition(it));
                }
            }
        }
    }

    /// A network's manifest, and all that tells its numbers.
    fn take(&mut self, affair: &Affair) {
        if !self.taken.insert(affair.clone()) {
            return;
        }
        self.manifest(affair);
        self.view.definitions_of(affair).for_each(|it| self.definition(it));
        let Some(network) = affair.network() else { return };
        let same = self.view.index.by_network.get(&network);
        same.into_iter().flat_map(FewSet::iter).for_each(|it| self.definition(it));
    }

    fn manifest(&mut self, affair: &Affair) {
        let (all, world) = (self.view.world, &mut self.world);
        match affair {
            Affair::UserDefinedNetwork(name) => world.networks.share(&all.networks, name),
            Affair::ClusterUserDefinedNetwork(name) => {
                world.cluster_networks.share(&all.cluster_networks, name);
            }
            Affair::Written(_)
            | Affair::Node(_)
            | Affair::DefaultDefinition
            | Affair::Pod(_)
            | Affair::Claim(_) => {}
        }
    }

    /// A NAD, and who made it: without its maker it would look like one that was left behind.
    fn definition(&mut self, name: &ObjectName) {
        if self.world.definitions.contains_key(name) {
            return;
        }
        self.world.definitions.share(&self.view.world.definitions, name);
        let card = self.view.index.definitions.get(name);
        if let Some(home) = card.and_then(|it| it.home.as_ref()) {
            self.manifest(home);
        }
    }

    fn namespace(&mut self, name: &str) {
        self.world.namespaces.share(&self.view.world.namespaces, name);
    }

    /// Pods that keep a NAD in its place though nobody wants it.
    fn guests_who_keep(&mut self, affair: &Affair, namespace: &str) {
        for (name, card) in self.view.cards_in(namespace) {
            if card.home.as_ref() == Some(affair) && !self.view.is_settled(name) {
                self.guests(name);
            }
        }
    }

    fn guests(&mut self, definition: &ObjectName) {
        let pods = self.view.index.pods.guests(definition);
        pods.for_each(|it| self.world.pods.share(&self.view.world.pods, it));
    }
}

/// The name of the NADs that a UDN or CUDN wants.
fn wanted_name(affair: &Affair) -> Option<Arc<str>> {
    match affair {
        Affair::UserDefinedNetwork(name) => Some(name.name.clone()),
        Affair::ClusterUserDefinedNetwork(name) => Some(name.as_str().into()),
        Affair::Written(_)
        | Affair::Node(_)
        | Affair::DefaultDefinition
        | Affair::Pod(_)
        | Affair::Claim(_) => None,
    }
}
