//! A view tells a work item what the whole world would, and no change that matters goes unheard.

// A test that cannot go on stops where it is.
#![allow(clippy::unwrap_used)]

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{FileFailurePersistence, TestRunner};
use udn_cluster::reconciler::view;
use udn_cluster::{NadStates, ObjectCache, View, WorkItem, World, translate};
use udn_model::{
    Attachment, AttachmentGrant, AttachmentKey, Claim, ClusterSettings, Findings, Intent, Manifest,
    Network, NetworkName, ObjectName, PublishedClaim, PublishedNetwork, Reason, Subject, Told,
};
use udn_wire::{Kind, NadAnnotations, NadConfig};

use drafts::{Draft, draft, namespaces, opening, pod_draft};
use server::{Belief, Entry, Server, decode};
use sight::{Built, Sight, nad_states, sight, used};
use subnets::{SubnetSight, subnet_sight};

mod drafts;
mod server;
mod sight;
mod subnets;

/// What happens next.
#[derive(Debug, Clone)]
enum Step {
    /// Somebody writes an object; the cache hears of it now, or later or never.
    Write(Draft, bool),
    Delete(Index, bool),
    /// The cache is told something of the past.
    Repeat(Index),
    /// The cache is given a list; the present one, or one of the past.
    List(Index, Option<Index>),
    /// The reconciles of all networks ended well, or one may not be any more.
    Build(Index, bool),
}

fn step(draft: impl Strategy<Value = Draft>) -> impl Strategy<Value = Step> {
    let is_heard = prop_oneof![8 => Just(true), 1 => Just(false)];
    let is_gone_heard = prop_oneof![8 => Just(true), 1 => Just(false)];
    prop_oneof![
        20 => (draft, is_heard).prop_map(|(draft, is_heard)| Step::Write(draft, is_heard)),
        4 => (any::<Index>(), is_gone_heard).prop_map(|(it, is_heard)| Step::Delete(it, is_heard)),
        2 => any::<Index>().prop_map(Step::Repeat),
        2 => (any::<Index>(), prop::option::of(any::<Index>()))
            .prop_map(|(kind, at)| Step::List(kind, at)),
        8 => (any::<Index>(), prop_oneof![5 => Just(true), 1 => Just(false)])
            .prop_map(|(which, is_built)| Step::Build(which, is_built)),
    ]
}

/// What comes of a work item.
#[derive(Debug, Clone, Default, PartialEq)]
struct Upshot {
    network: Option<Network>,
    published: Option<PublishedNetwork>,
    findings: Findings,
    sight: Option<Sight>,
    outcome: PodOutcome,
    /// Of a node.
    subnets: Option<SubnetSight>,
}

/// What comes of a pod or a claim.
#[derive(Debug, Clone, Default, PartialEq)]
struct PodOutcome {
    attachments: Vec<Attachment>,
    carried: Vec<(AttachmentKey, AttachmentGrant)>,
    claim: Option<Claim>,
    published: Option<PublishedClaim>,
    findings: Findings,
}

/// How often the interesting things happened.
#[derive(Debug, Default)]
struct Tally {
    steps: usize,
    items: usize,
    changed: usize,
    touched: usize,
    networks: usize,
    reasons: BTreeMap<Reason, usize>,
    views: usize,
    objects: usize,
    viewed: usize,
    ready_nads: usize,
    users_of_claims: usize,
    changed_pods: usize,
    touched_pods: usize,
    pods_and_claims: usize,
    layer3_networks: usize,
    gone: usize,
}

fn default_nad() -> ObjectName {
    ObjectName::new("ovn-kubernetes", "default")
}

/// Whose work item a NAD is, told without the cache.
fn home(world: &World, name: &ObjectName) -> Option<WorkItem> {
    let nad = &world.nads[name];
    let maker = nad.metadata.controller();
    match maker.map(|it| it.kind.as_str()) {
        Some("UserDefinedNetwork") => {
            let name = ObjectName::new(&name.namespace, &maker?.name);
            return Some(WorkItem::Network(Manifest::Udn(name)));
        }
        Some(_) => return Some(WorkItem::Network(Manifest::Cudn(maker?.name.clone()))),
        None => {}
    }
    let told = match NadConfig::decode(&nad.spec.config) {
        Ok(NadConfig::Network(config)) => config.name,
        Ok(NadConfig::Foreign | NadConfig::DefaultNetwork) => return None,
        Err(_) => String::new(),
    };
    let marked = NadAnnotations::decode(&nad.metadata.annotations).unwrap_or_default().name;
    let marked = marked.unwrap_or_else(|| NetworkName::new(&name.to_string()));
    let network = if told.is_empty() { marked } else { NetworkName::new(&told) };
    Some(WorkItem::HandWritten(network))
}

fn subjects(world: &World, item: &WorkItem) -> BTreeSet<Subject> {
    let all = world.nads.keys();
    let own = all.filter(|name| home(world, name).as_ref() == Some(item));
    let mut subjects: BTreeSet<Subject> = own.cloned().map(Subject::Nad).collect();
    subjects.extend(item.network().map(Subject::Network));
    subjects.extend(match item {
        WorkItem::Network(Manifest::Udn(name)) => {
            Some(Subject::Manifest(Manifest::Udn(name.clone())))
        }
        WorkItem::Network(Manifest::Cudn(name)) => {
            Some(Subject::Manifest(Manifest::Cudn(name.clone())))
        }
        WorkItem::Node(name) => Some(Subject::Node(name.clone())),
        WorkItem::HandWritten(_) | WorkItem::DefaultNad | WorkItem::Pod(_) | WorkItem::Claim(_) => {
            None
        }
    });
    subjects
}

/// What a reconcile over a world says about a work item; `whole` tells which objects are the work item's.
fn upshot(told: &Told<Intent>, whole: &World, item: &WorkItem) -> Upshot {
    let subjects = subjects(whole, item);
    let findings = told.findings.iter().filter(|it| subjects.contains(&it.subject));
    let name = item.network();
    let network = name.as_ref().and_then(|name| told.value.networks.get(name));
    let published = name.as_ref().and_then(|name| told.value.published.networks.get(name));
    Upshot {
        network: network.map(|it| (**it).clone()),
        published: published.cloned(),
        findings: findings.cloned().collect(),
        ..Upshot::default()
    }
}

/// What a reconcile of a pod or a claim says, over a world with states of NADs.
fn pod_upshot(
    told: &Told<Intent>,
    (world, nad_states): (&World, &NadStates),
    item: &WorkItem,
) -> Upshot {
    let Told { value: intent, findings } = told;
    let about = |subject: Subject| findings.iter().filter(move |it| it.subject == subject).cloned();
    let outcome = match item {
        WorkItem::Pod(name) => {
            let wanted = intent.attachments.values().flatten().filter(|(key, _)| key.pod == *name);
            let carried = intent.published.attachments.values().flatten();
            let carried = carried.filter(|(key, _)| key.pod == *name);
            PodOutcome {
                attachments: wanted.map(|(_, it)| it.clone()).collect(),
                carried: carried.map(|(key, it)| (key.clone(), it.clone())).collect(),
                findings: about(Subject::Pod(name.clone())).collect(),
                ..PodOutcome::default()
            }
        }
        WorkItem::Claim(name) => PodOutcome {
            claim: intent.claims.get(name).cloned(),
            published: intent.published.claims.get(name).cloned(),
            findings: about(Subject::Claim(name.clone())).collect(),
            ..PodOutcome::default()
        },
        WorkItem::Network(_)
        | WorkItem::HandWritten(_)
        | WorkItem::Node(_)
        | WorkItem::DefaultNad => PodOutcome::default(),
    };
    Upshot { sight: sight(world, nad_states, item), outcome, ..Upshot::default() }
}

fn is_pod_or_claim(item: &WorkItem) -> bool {
    matches!(item, WorkItem::Pod(_) | WorkItem::Claim(_))
}

fn translate_pods(world: &World, nad_states: &NadStates) -> Told<Intent> {
    translate::pods(world, nad_states, &ClusterSettings::default())
}

fn translate_cluster(world: &World) -> Told<Intent> {
    translate::cluster(world, &ClusterSettings::default())
}

/// Whether each NAD of a view has its maker there, if there is one.
fn has_makers(view: &World, world: &World) -> bool {
    view.nads.keys().all(|name| match home(world, name) {
        Some(WorkItem::Network(Manifest::Udn(udn))) => {
            view.networks.get(&udn) == world.networks.get(&udn)
        }
        Some(WorkItem::Network(Manifest::Cudn(cudn))) => {
            view.cluster_networks.get(&cudn) == world.cluster_networks.get(&cudn)
        }
        Some(
            WorkItem::HandWritten(_)
            | WorkItem::Node(_)
            | WorkItem::DefaultNad
            | WorkItem::Pod(_)
            | WorkItem::Claim(_),
        )
        | None => true,
    })
}

fn size(world: &World) -> usize {
    let World { namespaces, nodes, networks, cluster_networks, nads, pods, reports, .. } = world;
    let cluster = namespaces.len() + nodes.len() + cluster_networks.len() + reports.len();
    cluster + networks.len() + nads.len() + pods.len()
}

/// Whether a pod that is on its main network sees nothing else change than where that leads: it
/// keeps what it has.
fn is_at_home(
    item: &WorkItem,
    world: &World,
    nad_states: [&NadStates; 2],
    results: [Option<&Upshot>; 2],
) -> bool {
    let WorkItem::Pod(name) = item else { return false };
    let Some(pod) = world.pods.get(name) else { return false };
    let [before, after] = nad_states.map(|it| it.primary.get(&name.namespace));
    let networks = [
        before.and_then(|it| nad_states[0].network(it)),
        after.and_then(|it| nad_states[1].network(it)),
    ];
    let is_moved = before != after || networks[0] != networks[1];
    let is_on_it = [before, after].into_iter().flatten().any(|it| used(pod).contains(it));
    let [before, after] = results.map(|it| it.and_then(|it| it.sight.as_ref()));
    is_moved && is_on_it && before.is_some() && before == after
}

/// A cache, what it should know, and what came of all work items.
struct History<'a> {
    server: Server,
    belief: Belief,
    cache: ObjectCache,
    built: Built,
    nad_states: NadStates,
    results: BTreeMap<WorkItem, Upshot>,
    tally: &'a RefCell<Tally>,
}

impl<'a> History<'a> {
    fn new(tally: &'a RefCell<Tally>) -> Self {
        let (server, belief, built, nad_states) = Default::default();
        let results = BTreeMap::from([(WorkItem::DefaultNad, Upshot::default())]);
        let cache = ObjectCache::new(default_nad());
        Self { server, belief, cache, built, nad_states, results, tally }
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
                self.cache.replace(kind, self.server.list(kind, at), at)
            }
            Step::Build(which, is_built) => self.build(which, *is_built),
        };
        self.check(&touched)
    }

    /// The networks that there are now are built as they are, or one that was built is over.
    fn build(&mut self, which: &Index, is_built: bool) -> BTreeSet<WorkItem> {
        if is_built {
            let there = translate_cluster(self.cache.world()).value.networks;
            self.built.extend(there.clone());
            let built = there.iter().map(|(name, it)| self.cache.build(name, Some(it)));
            return built.flatten().collect();
        }
        if self.built.is_empty() {
            return BTreeSet::new();
        }
        let name = self.built.keys().nth(which.index(self.built.len())).unwrap().clone();
        self.built.remove(&name);
        self.cache.build(&name, None)
    }

    /// The cache hears an entry of the log, if there is such an entry.
    fn hear(&mut self, number: Option<usize>) -> BTreeSet<WorkItem> {
        let entry = number.and_then(|it| self.server.log.get(it));
        let Some(Entry { version, target, object }) = entry else { return BTreeSet::new() };
        self.belief.hear(entry.unwrap());
        match object {
            Some(object) => self.cache.put(decode(target.kind, object.clone())),
            None => self.cache.remove(target, *version),
        }
    }

    fn check(&mut self, touched: &BTreeSet<WorkItem>) -> Result<(), TestCaseError> {
        let world = self.belief.world();
        prop_assert_eq!(self.cache.world(), &world);
        let told = translate_cluster(&world);
        let nad_states = nad_states(&world, &self.built);
        let told_of_pods = translate_pods(&world, &nad_states);
        let mut tally = self.tally.borrow_mut();
        tally.ready_nads +=
            nad_states.at.keys().filter(|it| nad_states.network(it).is_some()).count();
        let items = self.cache.items();
        let mut results = BTreeMap::new();
        for item in &items {
            let there = if is_pod_or_claim(item) {
                pod_upshot(&told_of_pods, (&world, &nad_states), item)
            } else {
                upshot(&told, &world, item)
            };
            if let Some(claim) = &there.outcome.claim {
                tally.users_of_claims += claim.users.len();
            }
            let mut there = there;
            if let WorkItem::Node(name) = item {
                let subnets = subnet_sight(&world, &self.built, &world.nodes[name]);
                tally.layer3_networks += subnets.networks.len();
                tally.gone += subnets.gone.len();
                there.subnets = Some(subnets);
            }
            tally.pods_and_claims += usize::from(is_pod_or_claim(item));
            tally.networks += usize::from(there.network.is_some());
            for finding in &there.findings {
                *tally.reasons.entry(finding.reason).or_default() += 1;
            }
            if touched.contains(item) || tally.steps.is_multiple_of(8) {
                let View { world: seen, nad_states, layer3, .. } = view(&self.cache, item);
                let mut here = if is_pod_or_claim(item) {
                    pod_upshot(&translate_pods(&seen, &nad_states), (&seen, &nad_states), item)
                } else {
                    upshot(&translate_cluster(&seen), &world, item)
                };
                here.subnets = matches!(item, WorkItem::Node(_)).then(|| SubnetSight::of(&layer3));
                prop_assert_eq!(&here, &there, "{}: seen and world differ", item);
                prop_assert!(has_makers(&seen, &world), "{item}: a NAD looks left behind");
                tally.views += 1;
                tally.viewed += size(&seen);
                tally.objects += size(&world);
            }
            results.insert(item.clone(), there);
        }
        for item in items.union(&self.results.keys().cloned().collect()) {
            let (before, after) = (self.results.get(item), results.get(item));
            if before == after
                || is_at_home(item, &world, [&self.nad_states, &nad_states], [before, after])
            {
                continue;
            }
            prop_assert!(
                touched.contains(item),
                "{item} was not told: {touched:?}; {before:?} became {after:?}"
            );
            let count =
                if is_pod_or_claim(item) { &mut tally.changed_pods } else { &mut tally.changed };
            *count += 1;
        }
        tally.steps += 1;
        tally.items += items.iter().filter(|it| !is_pod_or_claim(it)).count();
        let pods_and_claims = touched.iter().filter(|it| is_pod_or_claim(it)).count();
        tally.touched += touched.len() - pods_and_claims;
        tally.touched_pods += pods_and_claims;
        drop(tally);
        (self.results, self.nad_states) = (results, nad_states);
        Ok(())
    }

    /// A cache that hears of the present only hands out the same.
    fn compare_with_a_new_one(&self) -> Result<(), TestCaseError> {
        let mut other = ObjectCache::new(default_nad());
        for (kind, objects) in self.belief.lists() {
            other.replace(kind, objects, self.server.version());
        }
        for (name, network) in self.built.iter().rev() {
            other.build(name, Some(&Arc::new((**network).clone())));
        }
        prop_assert_eq!(self.cache.items(), other.items());
        for item in self.cache.items() {
            let (one, other) = (view(&self.cache, &item), view(&other, &item));
            prop_assert_eq!(one.world, other.world, "{}", item);
            prop_assert_eq!(one.nad_states, other.nad_states, "{}", item);
            prop_assert_eq!(one.layer3, other.layer3, "{}", item);
            prop_assert_eq!(one.cluster_nodes, other.cluster_nodes);
        }
        Ok(())
    }
}

/// Lets histories happen, each from an opening on.
#[allow(clippy::disallowed_macros, reason = "a soak counts what was drawn")]
fn tell(opening: impl Strategy<Value = Vec<Draft>>, step: impl Strategy<Value = Step>) -> Tally {
    let persistence = FileFailurePersistence::WithSource("regressions");
    let config = ProptestConfig {
        cases: 200,
        failure_persistence: Some(Box::new(persistence)),
        source_file: Some(file!()),
        ..ProptestConfig::default()
    };
    let tally = RefCell::new(Tally::default());
    let histories = (opening, prop::collection::vec(step, 1..60));
    TestRunner::new(config)
        .run(&histories, |(opening, steps)| {
            let mut history = History::new(&tally);
            let opening = opening.into_iter().map(|it| Step::Write(it, true));
            opening.chain(steps).try_for_each(|step| history.take(&step))?;
            history.compare_with_a_new_one()
        })
        .unwrap();
    println!("drew: 200 histories");
    tally.into_inner()
}

#[test]
fn a_view_says_what_the_world_says_and_who_changes_is_told() {
    let tally = tell(namespaces(), step(draft()));
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
    assert!(tally.layer3_networks > 500, "too few networks have subnets for nodes: {tally:?}");
    assert!(tally.gone > 500, "too few of them are gone: {tally:?}");
    // A small universe, in which many things hang together; but not all of them.
    assert!(tally.touched < 5 * tally.changed, "too many are told: {tally:?}");
    assert!(2 * tally.touched < tally.items, "too many are told: {tally:?}");
    assert!(3 * tally.viewed < 2 * tally.objects, "views are too large: {tally:?}");
}

#[test]
fn pods_and_claims_are_told_what_concerns_them() {
    let tally = tell(opening(), step(pod_draft()));
    assert!(tally.ready_nads > 10_000, "too few NADs were ready: {tally:?}");
    assert!(tally.changed_pods > 2_000, "too few pods saw a change: {tally:?}");
    assert!(tally.touched_pods < 2 * tally.changed_pods, "too many are told: {tally:?}");
    assert!(3 * tally.viewed < tally.objects, "views are too large: {tally:?}");
}
