//! The cluster controller's brain: hears of objects, and decides about one work item at a time.
//!
//! Reads changes as a server tells them; returns the work items that they touch, and for each item an
//! [`Attempt`] with the writes that are missing, then its status and events.
//! Invariant: one owner alone has the ledger, so that decisions are made one after the other; a
//! decision on a view that others have overtaken could write down what a pod held that is gone.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use udn_ledger::{Ledger, Waiter};
use udn_model::{ClusterSettings, Findings, Intent, Network, NodeName, Reason};
use udn_wire::object::AnyObject;
use udn_wire::{Kind, Target};

use crate::cache::ObjectCache;
use crate::decision::{Decision, NetworkState, concerning};
use crate::others::events_of_others;
use crate::pod::carriers;
use crate::view::{Layer3View, View};
use crate::work_item::WorkItem;
use crate::world::World;
use crate::write::{Event, Write};
use crate::{claim, default_nad, network, node, pod, translate};

mod agents;
mod attempt;
mod news;
#[cfg(test)]
mod tests;

pub use attempt::{Answer, Attempt, End};
use news::tells_more_than_the_write;

/// The kinds that matter to networks and the pods on them.
pub const KINDS: [Kind; 9] = [
    Kind::Namespace,
    Kind::Node,
    Kind::UserDefinedNetwork,
    Kind::ClusterUserDefinedNetwork,
    Kind::Nad,
    Kind::Pod,
    Kind::Report,
    Kind::Claim,
    Kind::Machine,
];

/// What is told to those who wait for numbers.
const WAITING_FOR_NUMBERS: [Reason; 2] = [Reason::PoolExhausted, Reason::AlreadyTaken];

/// What a server tells.
#[derive(Debug)]
pub enum Change {
    /// All objects of a kind, as they were at a version.
    Listed {
        kind: Kind,
        objects: Vec<AnyObject>,
        version: u64,
    },
    Put(Box<AnyObject>),
    Removed {
        target: Target,
        version: u64,
    },
}

/// What came of a reconcile, for whoever drives it.
#[derive(Debug)]
pub struct Conclusion {
    /// The work items that have something to do now.
    pub touched: BTreeSet<WorkItem>,
    /// What people are told; the same in every reconcile where there is no status to compare with.
    pub events: Vec<Event>,
    /// What people are told because it has changed just now.
    pub news: Vec<Event>,
    pub findings: Findings,
    pub end: End,
}

/// The brain.
#[derive(Debug)]
pub struct Reconciler {
    cache: ObjectCache,
    ledger: Ledger,
    settings: Arc<ClusterSettings>,
    unlisted: BTreeSet<Kind>,
    /// How often numbers were given back.
    releases: u64,
    /// Work items that wait for numbers which others hold, and how many releases each has seen.
    short: BTreeMap<WorkItem, u64>,
    /// Pods and claims that waited for addresses and may get them now, and networks of which other
    /// nodes lack a subnet now. Noted while a decision is made, so that one that ends in a panic
    /// forgets nobody.
    woken: BTreeSet<WorkItem>,
    /// The nodes whose agents came or went silent, and of which that is not told yet.
    untold: BTreeSet<NodeName>,
}

impl Reconciler {
    pub fn new(settings: ClusterSettings) -> Self {
        Self {
            cache: ObjectCache::new(settings.default_nad.clone()),
            ledger: Ledger::new(&settings),
            settings: Arc::new(settings),
            unlisted: KINDS.into(),
            releases: 0,
            short: BTreeMap::new(),
            woken: BTreeSet::new(),
            untold: BTreeSet::new(),
        }
    }

    /// Everything that is known.
    pub fn world(&self) -> &World {
        self.cache.world()
    }

    pub fn settings(&self) -> &Arc<ClusterSettings> {
        &self.settings
    }

    /// Whether all kinds were listed.
    pub fn is_synced(&self) -> bool {
        self.unlisted.is_empty()
    }

    /// All work items that there are now.
    pub fn items(&self) -> BTreeSet<WorkItem> {
        self.cache.items()
    }

    /// Takes in a change; returns the work items that it touches, none before all was listed.
    pub fn observe(&mut self, change: Change) -> BTreeSet<WorkItem> {
        let touched = match change {
            Change::Put(object) => self.cache.put(*object),
            Change::Removed { target, version } => self.cache.remove(&target, version),
            Change::Listed { kind, objects, version } => {
                let touched = self.cache.replace(kind, objects, version);
                if self.unlisted.remove(&kind) && self.unlisted.is_empty() {
                    self.rebuild();
                    return self.cache.items();
                }
                touched
            }
        };
        if self.is_synced() { touched } else { BTreeSet::new() }
    }

    /// Everything was listed: the numbers are known.
    fn rebuild(&mut self) {
        let intent = translate::cluster(self.cache.world(), &self.settings).value;
        self.ledger = Ledger::rebuild(&intent.published, &self.settings);
        let carried = node::carried_by_all(self.cache.world());
        let default = Network::of_settings(&self.settings).map(Arc::new);
        for network in intent.networks.values().chain(&default) {
            let carried = carried.get(&network.name).into_iter().flatten();
            self.ledger.open_node_subnets(network, carried);
        }
        for network in intent.networks.values() {
            // Whom it concerns is reconciled anyway.
            self.make_ready(network);
        }
        self.woken.clear();
        self.forget_gone_nodes();
    }

    /// What a reconcile of a work item sees.
    pub fn view(&self, item: &WorkItem) -> View {
        view(&self.cache, item)
    }

    /// Whether something must be there of which nothing was heard yet, such as a UDN's namespace.
    pub fn is_premature(view: &View) -> bool {
        network::is_premature(view)
    }

    /// Decides what a reconcile does, on the world as it is now.
    pub fn decide(&mut self, view: View) -> Attempt {
        let releases = self.releases;
        let mut decision = Decision::new(&self.settings);
        match &view.item {
            WorkItem::Network(_) | WorkItem::HandWritten(_) => {
                let is_released = network::decide(&view, &mut self.ledger, &mut decision);
                self.releases += u64::from(is_released);
            }
            WorkItem::Node(name) => {
                let after = node::decide(&view, name, &mut self.ledger, &mut decision);
                self.releases += u64::from(after.is_released);
                self.woken.extend(after.networks);
            }
            WorkItem::Pod(name) => {
                let woken = pod::decide(&view, name, &mut self.ledger, &mut decision);
                self.woken.extend(woken.into_iter().map(item_of));
            }
            WorkItem::Claim(name) => {
                let woken = claim::decide(&view, name, &mut self.ledger, &mut decision);
                self.woken.extend(woken.into_iter().map(item_of));
            }
            WorkItem::DefaultNad => {}
        }
        decision.findings = concerning(&view, std::mem::take(&mut decision.findings));
        decision.waves = writes(&view, &decision);
        Attempt::new(view, decision, releases)
    }

    /// Takes in what came of an attempt.
    pub fn conclude(&mut self, attempt: Attempt) -> Conclusion {
        let Attempt { view, mut decision, releases, answers, events, end, .. } = attempt;
        let (item, mut touched) = (view.item, BTreeSet::new());
        for answer in answers {
            let is_news = tells_more_than_the_write(self.cache.world(), &answer);
            let concerned = match answer {
                Answer::Stands(object) => self.cache.put(*object),
                Answer::Gone { target, version } => self.cache.remove(&target, version),
            };
            // What the work item itself wrote, it knows.
            touched.extend(concerned.into_iter().filter(|it| is_news || *it != item));
        }
        if end != End::Failed {
            let state = std::mem::take(&mut decision.network_state);
            touched.append(&mut self.follow(&item, state));
        }
        touched.append(&mut self.woken);
        let Decision { findings, others, .. } = decision;
        touched.append(&mut self.remember_who_waits(&item, &findings, releases));
        let of_others = events_of_others(self.cache.world(), &others);
        let events = events.into_iter().chain(of_others).collect();
        let news = self.agent_event(&item).into_iter().collect();
        Conclusion { touched, events, news, findings, end }
    }

    /// Who need not wait any more, or has something new to tell, also where a decision ended in a panic.
    pub fn take_woken(&mut self) -> BTreeSet<WorkItem> {
        std::mem::take(&mut self.woken)
    }

    /// A network's reconcile ended well; returns whom that concerns.
    fn follow(&mut self, item: &WorkItem, state: NetworkState) -> BTreeSet<WorkItem> {
        match (state, item.network()) {
            (NetworkState::Ready(network), Some(_)) => self.make_ready(&network),
            (NetworkState::Pending, Some(name)) => self.cache.build(&name, None),
            (NetworkState::Unchanged, _)
            | (NetworkState::Ready(_) | NetworkState::Pending, None) => BTreeSet::new(),
        }
    }

    /// Lets pods know of a network. Before any pod's reconcile sees its NADs as ready, the ledger
    /// holds everything that pods and claims carry of it.
    fn make_ready(&mut self, network: &Arc<Network>) -> BTreeSet<WorkItem> {
        let touched = self.cache.build(&network.name, Some(network));
        self.open_node_subnets(network);
        let mut intent = Intent::default();
        if !self.ledger.has_network(&network.name) {
            let (world, nad_states) = carriers(self.cache.lookup(), network);
            intent = translate::pods(&world, &nad_states, &self.settings).value;
        }
        intent.networks.insert(network.name.clone(), network.clone());
        let woken = self.ledger.open_network(&intent, &network.name, &self.settings);
        self.woken.extend(woken.into_iter().map(item_of));
        touched
    }

    /// Before any node's reconcile sees a layer-3 network, the ledger holds what nodes carry of it.
    fn open_node_subnets(&mut self, network: &Network) {
        let is_open = self.ledger.node_subnets(&network.name).is_some();
        let is_new = network.layer3().is_some() && !is_open;
        let carried = is_new.then(|| node::carried_of(self.cache.lookup(), &network.name));
        self.ledger.open_node_subnets(network, &carried.unwrap_or_default());
    }

    /// Whoever waits for numbers is reconciled again once some were given back, also while its last
    /// reconcile was under way.
    fn remember_who_waits(
        &mut self,
        item: &WorkItem,
        findings: &Findings,
        releases: u64,
    ) -> BTreeSet<WorkItem> {
        // The ledger itself knows which pods and claims wait for which addresses.
        let is_known = matches!(item, WorkItem::Pod(_) | WorkItem::Claim(_));
        let is_short = findings.iter().any(|it| WAITING_FOR_NUMBERS.contains(&it.reason));
        if is_short && !is_known {
            self.short.insert(item.clone(), releases);
        } else {
            self.short.remove(item);
        }
        let now = self.releases;
        let missed = self.short.iter_mut().filter(|(_, seen)| **seen != now);
        let again = |(item, seen): (&WorkItem, &mut u64)| {
            *seen = now;
            item.clone()
        };
        missed.map(again).collect()
    }
}

/// What a reconcile of a work item sees of a cache.
pub fn view(cache: &ObjectCache, item: &WorkItem) -> View {
    let lookup = cache.lookup();
    let (world, nad_states) = match item {
        WorkItem::Network(_) | WorkItem::HandWritten(_) => {
            (network::view(lookup, item), Default::default())
        }
        WorkItem::Node(name) => (node::view(lookup, name), Default::default()),
        WorkItem::DefaultNad => {
            (default_nad::view(lookup, cache.default_nad()), Default::default())
        }
        WorkItem::Pod(name) => pod::view_of_pod(lookup, name),
        WorkItem::Claim(name) => pod::view_of_claim(lookup, name),
    };
    let cluster_nodes = cache.cluster_nodes().clone();
    let layer3 = match item {
        WorkItem::Node(name) => lookup.layer3(world.nodes.get(name)),
        WorkItem::Network(_)
        | WorkItem::HandWritten(_)
        | WorkItem::DefaultNad
        | WorkItem::Pod(_)
        | WorkItem::Claim(_) => Layer3View::default(),
    };
    View { item: item.clone(), world, nad_states, cluster_nodes, layer3 }
}

/// What must be written to put a work item in order, besides its status: waves in order.
pub fn writes(view: &View, decision: &Decision) -> Vec<Vec<Write>> {
    let waves = match &view.item {
        WorkItem::Network(_) | WorkItem::HandWritten(_) => network::writes(view, decision),
        WorkItem::Node(name) => vec![node::writes(view, decision, name)],
        WorkItem::DefaultNad => default_nad::writes(&view.world, &decision.settings),
        WorkItem::Pod(name) => vec![pod::writes(view, decision, name)],
        WorkItem::Claim(name) => claim::writes(view, decision, name),
    };
    waves.into_iter().filter(|wave| !wave.is_empty()).collect()
}

fn item_of(waiter: Waiter) -> WorkItem {
    match waiter {
        Waiter::Pod(name) => WorkItem::Pod(name),
        Waiter::Claim(name) => WorkItem::Claim(name),
    }
}
