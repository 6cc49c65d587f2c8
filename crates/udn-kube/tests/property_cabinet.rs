//! A slice tells an affair what the whole world would, and no change that matters goes unheard.

// A test that cannot go on stops where it is.
#![allow(clippy::unwrap_used)]

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{FileFailurePersistence, TestRunner};
use udn_kube::{Affair, Cabinet, Kind, NadAnnotations, NadConfig, World, translate};
use udn_model::{
    ClusterSettings, Findings, Intent, Network, NetworkName, ObjectName, PublishedNetwork, Reason,
    Subject, Told,
};

use drafts::{Draft, draft, namespaces};
use server::{Belief, Entry, Server, decode};

#[path = "cabinet/drafts.rs"]
mod drafts;
#[path = "cabinet/server.rs"]
mod server;

/// What happens next.
#[derive(Debug, Clone)]
enum Step {
    /// Somebody writes an object; the cabinet hears of it now, or later or never.
    Write(Draft, bool),
    Delete(Index, bool),
    /// The cabinet is told something of the past.
    Repeat(Index),
    /// The cabinet is given a list; the present one, or one of the past.
    List(Index, Option<Index>),
}

fn step() -> impl Strategy<Value = Step> {
    let is_heard = prop_oneof![8 => Just(true), 1 => Just(false)];
    let is_gone_heard = prop_oneof![8 => Just(true), 1 => Just(false)];
    prop_oneof![
        20 => (draft(), is_heard).prop_map(|(draft, is_heard)| Step::Write(draft, is_heard)),
        4 => (any::<Index>(), is_gone_heard).prop_map(|(it, is_heard)| Step::Delete(it, is_heard)),
        2 => any::<Index>().prop_map(Step::Repeat),
        2 => (any::<Index>(), prop::option::of(any::<Index>()))
            .prop_map(|(kind, at)| Step::List(kind, at)),
    ]
}

/// What comes of an affair.
#[derive(Debug, Clone, Default, PartialEq)]
struct Upshot {
    network: Option<Network>,
    published: Option<PublishedNetwork>,
    findings: Findings,
}

/// How often the interesting things happened.
#[derive(Debug, Default)]
struct Tally {
    steps: usize,
    affairs: usize,
    changed: usize,
    touched: usize,
    networks: usize,
    reasons: BTreeMap<Reason, usize>,
    slices: usize,
    objects: usize,
    sliced: usize,
}

fn default_definition() -> ObjectName {
    ObjectName::new("ovn-kubernetes", "default")
}

/// Whose affair a NAD is, told without the cabinet.
fn home(world: &World, name: &ObjectName) -> Option<Affair> {
    let definition = &world.definitions[name];
    let maker = definition.metadata.controller();
    match maker.map(|it| it.kind.as_str()) {
        Some("UserDefinedNetwork") => {
            let name = ObjectName::new(&name.namespace, &maker?.name);
            return Some(Affair::UserDefinedNetwork(name));
        }
        Some(_) => return Some(Affair::ClusterUserDefinedNetwork(maker?.name.clone())),
        None => {}
    }
    let told = match NadConfig::decode(&definition.spec.config) {
        Ok(NadConfig::Network(config)) => config.name,
        Ok(NadConfig::Elsewhere | NadConfig::DefaultNetwork) => return None,
        Err(_) => String::new(),
    };
    let marked = NadAnnotations::decode(&definition.metadata.annotations).unwrap_or_default().name;
    let marked = marked.unwrap_or_else(|| NetworkName::new(&name.to_string()));
    let network = if told.is_empty() { marked } else { NetworkName::new(&told) };
    Some(Affair::Written(network))
}

fn subjects(world: &World, affair: &Affair) -> BTreeSet<Subject> {
    let all = world.definitions.keys();
    let own = all.filter(|name| home(world, name).as_ref() == Some(affair));
    let mut subjects: BTreeSet<Subject> = own.cloned().map(Subject::Definition).collect();
    subjects.extend(affair.network().map(Subject::Network));
    subjects.extend(match affair {
        Affair::UserDefinedNetwork(name) => Some(Subject::UserDefinedNetwork(name.clone())),
        Affair::ClusterUserDefinedNetwork(name) => {
            Some(Subject::ClusterUserDefinedNetwork(name.clone()))
        }
        Affair::Node(name) => Some(Subject::Node(name.clone())),
        Affair::Written(_) | Affair::DefaultDefinition => None,
    });
    subjects
}

/// What a turn over a world says about an affair; `whole` tells which objects are the affair's.
fn upshot(told: &Told<Intent>, whole: &World, affair: &Affair) -> Upshot {
    let subjects = subjects(whole, affair);
    let findings = told.findings.iter().filter(|it| subjects.contains(&it.subject));
    let name = affair.network();
    let network = name.as_ref().and_then(|name| told.value.networks.get(name));
    let published = name.as_ref().and_then(|name| told.value.published.networks.get(name));
    Upshot {
        network: network.cloned(),
        published: published.cloned(),
        findings: findings.cloned().collect(),
    }
}

fn turn(world: &World) -> Told<Intent> {
    translate::cluster(world, &ClusterSettings::default())
}

/// Whether each NAD of a slice has its maker there, if there is one.
fn has_makers(slice: &World, world: &World) -> bool {
    slice.definitions.keys().all(|name| match home(world, name) {
        Some(Affair::UserDefinedNetwork(udn)) => {
            slice.networks.get(&udn) == world.networks.get(&udn)
        }
        Some(Affair::ClusterUserDefinedNetwork(cudn)) => {
            slice.cluster_networks.get(&cudn) == world.cluster_networks.get(&cudn)
        }
        Some(Affair::Written(_) | Affair::Node(_) | Affair::DefaultDefinition) | None => true,
    })
}

fn size(world: &World) -> usize {
    let World { namespaces, nodes, networks, cluster_networks, definitions, pods, reports, .. } =
        world;
    let cluster = namespaces.len() + nodes.len() + cluster_networks.len() + reports.len();
    cluster + networks.len() + definitions.len() + pods.len()
}

/// A cabinet, what it should know, and what came of all affairs.
struct History<'a> {
    server: Server,
    belief: Belief,
    cabinet: Cabinet,
    results: BTreeMap<Affair, Upshot>,
    tally: &'a RefCell<Tally>,
}

impl<'a> History<'a> {
    fn new(tally: &'a RefCell<Tally>) -> Self {
        let (server, belief) = Default::default();
        let results = BTreeMap::from([(Affair::DefaultDefinition, Upshot::default())]);
        Self { server, belief, cabinet: Cabinet::new(default_definition()), results, tally }
    }

    fn take(&mut self, step: &Step) -> Result<(), TestCaseError> {
        let entries = self.server.log.len();
        let touched = match step {
            Step::Write(draft, is_heard) => {
                self.server.write(draft.clone());
                self.hear(is_heard.then_some(entries))
            }
            Step::Delete(which, is_heard) => {
                self.server.delete(|count| which.index(count));
                self.hear(is_heard.then_some(entries))
            }
            Step::Repeat(which) => self.hear((entries > 0).then(|| which.index(entries))),
            Step::List(kind, at) => {
                let kind = Kind::ALL[kind.index(Kind::ALL.len())];
                let at = at.map_or(entries, |at| at.index(entries + 1)) as u64;
                self.belief.hear_list(kind, &self.server.at(at), at);
                self.cabinet.replace(kind, self.server.list(kind, at), at)
            }
        };
        self.check(&touched)
    }

    /// The cabinet hears an entry of the log, if there is such an entry.
    fn hear(&mut self, number: Option<usize>) -> BTreeSet<Affair> {
        let entry = number.and_then(|it| self.server.log.get(it));
        let Some(Entry { version, target, object }) = entry else { return BTreeSet::new() };
        self.belief.hear(entry.unwrap());
        match object {
            Some(object) => self.cabinet.put(decode(target.kind, object.clone())),
            None => self.cabinet.remove(target, *version),
        }
    }

    fn check(&mut self, touched: &BTreeSet<Affair>) -> Result<(), TestCaseError> {
        let world = self.belief.world();
        prop_assert_eq!(self.cabinet.world(), &world);
        let told = turn(&world);
        let mut tally = self.tally.borrow_mut();
        let affairs = self.cabinet.affairs();
        let mut results = BTreeMap::new();
        for affair in &affairs {
            let there = upshot(&told, &world, affair);
            tally.networks += usize::from(there.network.is_some());
            for finding in &there.findings {
                *tally.reasons.entry(finding.reason).or_default() += 1;
            }
            if touched.contains(affair) || tally.steps.is_multiple_of(8) {
                let slice = self.cabinet.slice(affair).world;
                let here = upshot(&turn(&slice), &world, affair);
                prop_assert_eq!(&here, &there, "{}: slice and world differ", affair);
                prop_assert!(has_makers(&slice, &world), "{affair}: a NAD looks left behind");
                tally.slices += 1;
                tally.sliced += size(&slice);
                tally.objects += size(&world);
            }
            results.insert(affair.clone(), there);
        }
        for affair in affairs.union(&self.results.keys().cloned().collect()) {
            if results.get(affair) != self.results.get(affair) {
                prop_assert!(touched.contains(affair), "{affair} was not told: {touched:?}");
                tally.changed += 1;
            }
        }
        tally.steps += 1;
        tally.affairs += affairs.len();
        tally.touched += touched.len();
        drop(tally);
        self.results = results;
        Ok(())
    }

    /// A cabinet that hears of the present only hands out the same.
    fn compare_with_a_new_one(&self) -> Result<(), TestCaseError> {
        let mut other = Cabinet::new(default_definition());
        for (kind, objects) in self.belief.lists() {
            other.replace(kind, objects, self.server.version());
        }
        prop_assert_eq!(self.cabinet.affairs(), other.affairs());
        for affair in self.cabinet.affairs() {
            let (one, other) = (self.cabinet.slice(&affair), other.slice(&affair));
            prop_assert_eq!(one.world, other.world, "{}", affair);
            prop_assert_eq!(one.roster, other.roster);
        }
        Ok(())
    }
}

#[test]
fn a_slice_says_what_the_world_says_and_who_changes_is_told() {
    let persistence = FileFailurePersistence::WithSource("regressions");
    let config = ProptestConfig {
        cases: 200,
        failure_persistence: Some(Box::new(persistence)),
        source_file: Some(file!()),
        ..ProptestConfig::default()
    };
    let tally = RefCell::new(Tally::default());
    let histories = (namespaces(), prop::collection::vec(step(), 1..60));
    TestRunner::new(config)
        .run(&histories, |(namespaces, steps)| {
            let mut history = History::new(&tally);
            let namespaces = namespaces.into_iter().map(|it| Step::Write(it, true));
            namespaces.chain(steps).try_for_each(|step| history.take(&step))?;
            history.compare_with_a_new_one()
        })
        .unwrap();
    let tally = tally.into_inner();
    for reason in [
        Reason::PrimaryConflict,
        Reason::NameConflict,
        Reason::VlanShared,
        Reason::AddressOverlap,
        Reason::ForeignDefinition,
        Reason::SubnetOverlap,
        Reason::Waiting,
    ] {
        let times = tally.reasons.get(&reason).copied().unwrap_or(0);
        assert!(times > 20, "{reason:?} came up {times} times only: {tally:?}");
    }
    // A small universe, in which many things hang together; but not all of them.
    assert!(tally.touched < 5 * tally.changed, "too many are told: {tally:?}");
    assert!(2 * tally.touched < tally.affairs, "too many are told: {tally:?}");
    assert!(3 * tally.sliced < 2 * tally.objects, "slices are too large: {tally:?}");
}
