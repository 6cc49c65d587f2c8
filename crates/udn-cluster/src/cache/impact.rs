//! How far a change goes: the work items for which it could make a difference.
//!
//! Reads the cache, once as it was and once as it is; returns work items.
//! Invariant: a work item that is not reached has the same network and the same findings as before.

use std::collections::BTreeSet;
use std::sync::Arc;

use udn_model::{NetworkName, ObjectName};
use udn_wire::object::Nad;

use super::cached::Change;
use super::lookup::Lookup;
use super::summaries::NadSummary;
use crate::translate::ovn_prefix;
use crate::work_item::WorkItem;

mod pods;

/// What was reached so far.
///
/// Who takes a namespace takes it from somebody, who gives free the name of its NAD there, and, if
/// that was its last, its name in OVN, for somebody else who takes namespaces then. Such chains are
/// followed to their ends.
#[derive(Debug)]
pub(super) struct Impact<'a> {
    pub(super) lookup: Lookup<'a>,
    pub(super) default_nad: &'a ObjectName,
    touched: BTreeSet<WorkItem>,
    /// Those whose siblings were looked at.
    met: BTreeSet<WorkItem>,
    /// Those all of whose places were looked at.
    spread: BTreeSet<WorkItem>,
    /// Those who were looked at in a namespace.
    looked_in: BTreeSet<(Arc<str>, WorkItem)>,
    /// The namespaces all of whose primary networks were looked at.
    contested: BTreeSet<Arc<str>>,
    /// The pods that were reached together with the claims that they name.
    pods: BTreeSet<ObjectName>,
    /// The claims all of whose pods were touched.
    claims: BTreeSet<ObjectName>,
    waiting: Vec<WorkItem>,
}

impl<'a> Impact<'a> {
    pub(super) fn new(lookup: Lookup<'a>, default_nad: &'a ObjectName) -> Self {
        Self {
            lookup,
            default_nad,
            touched: BTreeSet::new(),
            met: BTreeSet::new(),
            spread: BTreeSet::new(),
            looked_in: BTreeSet::new(),
            contested: BTreeSet::new(),
            pods: BTreeSet::new(),
            claims: BTreeSet::new(),
            waiting: Vec::new(),
        }
    }

    /// Follows all chains to their ends.
    pub(super) fn finish(mut self) -> BTreeSet<WorkItem> {
        while let Some(item) = self.waiting.pop() {
            if self.spread.insert(item.clone()) {
                self.look_around(&item);
            }
        }
        self.touched
    }

    /// The work item itself, and nobody else.
    pub(super) fn touch(&mut self, item: &WorkItem) {
        if !self.touched.contains(item) {
            self.touched.insert(item.clone());
        }
    }

    /// A network that may be another one now, everywhere.
    pub(super) fn spread(&mut self, item: &WorkItem) {
        if !self.spread.contains(item) {
            self.waiting.push(item.clone());
        }
    }

    /// A network that may have got or lost what it has in a namespace.
    pub(super) fn in_namespace(&mut self, item: &WorkItem, namespace: &str) {
        let namespace: Arc<str> = namespace.into();
        let mut next = vec![item.clone()];
        while let Some(item) = next.pop() {
            if !self.looked_in.insert((namespace.clone(), item.clone())) {
                continue;
            }
            self.meet(&item);
            next.extend(self.lookup.namesakes(&item, &namespace));
            if self.lookup.is_primary(&item) && self.contested.insert(namespace.clone()) {
                next.extend(self.lookup.primaries(&namespace));
            }
        }
    }

    /// Networks on the same segment hear of each other.
    pub(super) fn segments(&mut self, item: &WorkItem) {
        for segment in self.lookup.segments(item) {
            self.lookup.index.segments.at(segment).for_each(|it| self.touch(it));
        }
    }

    /// A namespace that came, went or changed its labels.
    pub(super) fn namespace(&mut self, name: &str) {
        self.lookup.residents(name).iter().for_each(|item| self.meet(item));
        if *self.default_nad.namespace == *name {
            self.touch(&WorkItem::DefaultNad);
        }
    }

    /// A NAD that came, went or says something else.
    pub(super) fn nad(&mut self, name: &ObjectName) {
        if name == self.default_nad {
            self.touch(&WorkItem::DefaultNad);
        }
        let summary = self.lookup.index.nads.get(name);
        let home = summary.and_then(|it| it.home.as_ref());
        for namer in self.lookup.namers(name).iter().filter(|it| Some(*it) != home) {
            self.in_namespace(namer, &name.namespace);
        }
        if let Some(home) = home {
            if self.decides(home, name) {
                self.spread(home);
                self.segments(home);
            } else {
                self.in_namespace(home, &name.namespace);
            }
        }
        // A NAD of a primary network keeps others out, whosever it is and whatever it is worth.
        if summary.is_some_and(|it| it.is_primary) {
            let primaries = self.lookup.primaries(&name.namespace);
            primaries.iter().for_each(|it| self.in_namespace(it, &name.namespace));
        }
        // Its numbers are those of the network that it names, whosever that is.
        if let Some(network) = summary.and_then(|it| it.network.as_ref()) {
            let named = self.lookup.index.prefixes.at(&ovn_prefix(network));
            named.filter(|it| Some(*it) != home).for_each(|it| self.spread(it));
        }
    }

    /// Everybody who tells of nodes.
    pub(super) fn all_manifests(&mut self) {
        self.lookup.index.manifests.keys().for_each(|it| self.touch(it));
    }

    /// Everybody who has subnets of layer-3 networks.
    pub(super) fn all_nodes(&mut self) {
        let nodes = self.lookup.world.nodes.keys().cloned().map(WorkItem::Node);
        nodes.for_each(|it| self.touch(&it));
    }

    /// Nodes carry subnets of a network that nothing speaks of, now or before the change.
    pub(super) fn subnets_of(&mut self, network: &NetworkName) {
        if self.lookup.is_gone(network.as_str()) {
            self.all_nodes();
        }
    }

    /// The same for the networks that a NAD speaks of, or spoke of.
    pub(super) fn subnets_of_nads(&mut self, name: &ObjectName, change: &Change<'_, Nad>) {
        if self.lookup.index.node_subnets.is_empty() {
            return;
        }
        for nad in [change.before, change.after].into_iter().flatten() {
            let spoken_of = NadSummary::of(name, nad).spoken_of();
            spoken_of.iter().for_each(|it| self.subnets_of(it));
        }
    }

    /// Whether a NAD says more of its network than that it is there: its number, or what it is.
    fn decides(&self, home: &WorkItem, name: &ObjectName) -> bool {
        if matches!(home, WorkItem::HandWritten(_)) {
            return true;
        }
        let is_first = self.lookup.nads_of(home).next() == Some(name);
        let leader = self.lookup.leader(home);
        is_first
            || leader.is_none_or(|(leader, summary)| leader == name || summary.rank == u16::MAX)
    }

    fn meet(&mut self, item: &WorkItem) {
        self.touch(item);
        if self.met.insert(item.clone()) {
            self.lookup.siblings(item).into_iter().for_each(|it| self.spread(it));
        }
    }

    fn look_around(&mut self, item: &WorkItem) {
        self.meet(item);
        let places: BTreeSet<Arc<str>> = self.lookup.places(item);
        places.iter().for_each(|place| self.in_namespace(item, place));
    }
}
