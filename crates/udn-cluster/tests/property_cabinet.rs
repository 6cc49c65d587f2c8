//! A slice tells an affair what the whole world would, and no change that matters goes unheard.

// A test that cannot go on stops where it is.
#![allow(clippy::unwrap_used)]

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{FileFailurePersistence, TestRunner};
use udn_cluster::office::Slice;
use udn_cluster::{Affair, Cabinet, Doors, World, translate};
use udn_model::{
    Attachment, AttachmentGrant, AttachmentKey, Claim, ClusterSettings, Findings, Intent, Network,
    NetworkName, ObjectName, PublishedClaim, PublishedNetwork, Reason, Subject, Told,
};
use udn_wire::{Kind, NadAnnotations, NadConfig};

use drafts::{Draft, draft, guest_draft, namespaces, opening};
use server::{Belief, Entry, Server, decode};
use sight::{Built, Sight, doors, sight, used};

#[path = "cabinet/drafts.rs"]
mod drafts;
#[path = "cabinet/server.rs"]
mod server;
#[path = "cabinet/sight.rs"]
mod sight;

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
    /// The turns of all networks ended well, or one may not be any more.
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

/// What comes of an affair.
#[derive(Debug, Clone, Default, PartialEq)]
struct Upshot {
    network: Option<Network>,
    published: Option<PublishedNetwork>,
    findings: Findings,
    sight: Option<Sight>,
    guest: Guest,
}

/// What comes of a pod or a claim.
#[derive(Debug, Clone, Default, PartialEq)]
struct Guest {
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
    affairs: usize,
    changed: usize,
    touched: usize,
    networks: usize,
    reasons: BTreeMap<Reason, usize>,
    slices: usize,
    objects: usize,
    sliced: usize,
    open_doors: usize,
    users_of_claims: usize,
    changed_guests: usize,
    touched_guests: usize,
    guests: usize,
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
        Affair::Written(_) | Affair::DefaultDefinition | Affair::Pod(_) | Affair::Claim(_) => None,
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
        network: network.map(|it| (**it).clone()),
        published: published.cloned(),
        findings: findings.cloned().collect(),
        ..Upshot::default()
    }
}

/// What a turn of a pod or a claim says, over a world with doors.
fn guest_upshot(told: &Told<Intent>, (world, doors): (&World, &Doors), affair: &Affair) -> Upshot {
    let Told { value: intent, findings } = told;
    let about = |subject: Subject| findings.iter().filter(move |it| it.subject == subject).cloned();
    let guest = match affair {
        Affair::Pod(name) => {
            let wanted = intent.attachments.values().flatten().filter(|(key, _)| key.pod == *name);
            let carried = intent.published.attachments.values().flatten();
            let carried = carried.filter(|(key, _)| key.pod == *name);
            Guest {
                attachments: wanted.map(|(_, it)| it.clone()).collect(),
                carried: carried.map(|(key, it)| (key.clone(), it.clone())).collect(),
                findings: about(Subject::Pod(name.clone())).collect(),
                ..Guest::default()
            }
        }
        Affair::Claim(name) => Guest {
            claim: intent.claims.get(name).cloned(),
            published: intent.published.claims.get(name).cloned(),
            findings: about(Subject::Claim(name.clone())).collect(),
            ..Guest::default()
        },
        Affair::UserDefinedNetwork(_)
        | Affair::ClusterUserDefinedNetwork(_)
        | Affair::Written(_)
        | Affair::Node(_)
        | Affair::DefaultDefinition => Guest::default(),
    };
    Upshot { sight: sight(world, doors, affair), guest, ..Upshot::default() }
}

fn is_guest(affair: &Affair) -> bool {
    matches!(affair, Affair::Pod(_) | Affair::Claim(_))
}

fn pods_turn(world: &World, doors: &Doors) -> Told<Intent> {
    translate::pods(world, doors, &ClusterSettings::default())
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
        Some(
            Affair::Written(_)
            | Affair::Node(_)
            | Affair::DefaultDefinition
            | Affair::Pod(_)
            | Affair::Claim(_),
        )
        | None => true,
    })
}

fn size(world: &World) -> usize {
    let World { namespaces, nodes, networks, cluster_networks, definitions, pods, reports, .. } =
        world;
    let cluster = namespaces.len() + nodes.len() + cluster_networks.len() + reports.len();
    cluster + networks.len() + definitions.len() + pods.len()
}

/// Whether a pod that is on its main network sees nothing else change than where that leads: it
/// keeps what it has.
fn is_at_home(
    affair: &Affair,
    world: &World,
    doors: [&Doors; 2],
    results: [Option<&Upshot>; 2],
) -> bool {
    let Affair::Pod(name) = affair else { return false };
    let Some(pod) = world.pods.get(name) else { return false };
    let [before, after] = doors.map(|it| it.primary.get(&name.namespace));
    let networks =
        [before.and_then(|it| doors[0].network(it)), after.and_then(|it| doors[1].network(it))];
    let is_moved = before != after || networks[0] != networks[1];
    let is_on_it = [before, after].into_iter().flatten().any(|it| used(pod).contains(it));
    let [before, after] = results.map(|it| it.and_then(|it| it.sight.as_ref()));
    is_moved && is_on_it && before.is_some() && before == after
}

/// A cabinet, what it should know, and what came of all affairs.
struct History<'a> {
    server: Server,
    belief: Belief,
    cabinet: Cabinet,
    built: Built,
    doors: Doors,
    results: BTreeMap<Affair, Upshot>,
    tally: &'a RefCell<Tally>,
}

impl<'a> History<'a> {
    fn new(tally: &'a RefCell<Tally>) -> Self {
        let (server, belief, built, doors) = Default::default();
        let results = BTreeMap::from([(Affair::DefaultDefinition, Upshot::default())]);
        let cabinet = Cabinet::new(default_definition());
        Self { server, belief, cabinet, built, doors, results, tally }
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
            Step::Build(which, is_built) => self.build(which, *is_built),
        };
        self.check(&touched)
    }

    /// The networks that there are now are built as they are, or one that was built is over.
    fn build(&mut self, which: &Index, is_built: bool) -> BTreeSet<Affair> {
        if is_built {
            let there = turn(self.cabinet.world()).value.networks;
            self.built.extend(there.clone());
            let built = there.iter().map(|(name, it)| self.cabinet.build(name, Some(it)));
            return built.flatten().collect();
        }
        if self.built.is_empty() {
            return BTreeSet::new();
        }
        let name = self.built.keys().nth(which.index(self.built.len())).unwrap().clone();
        self.built.remove(&name);
        self.cabinet.build(&name, None)
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
        let doors = doors(&world, &self.built);
        let told_of_pods = pods_turn(&world, &doors);
        let mut tally = self.tally.borrow_mut();
        tally.open_doors += doors.at.keys().filter(|it| doors.network(it).is_some()).count();
        let affairs = self.cabinet.affairs();
        let mut results = BTreeMap::new();
        for affair in &affairs {
            let there = if is_guest(affair) {
                guest_upshot(&told_of_pods, (&world, &doors), affair)
            } else {
                upshot(&told, &world, affair)
            };
            if let Some(claim) = &there.guest.claim {
                tally.users_of_claims += claim.users.len();
            }
            tally.guests += usize::from(is_guest(affair));
            tally.networks += usize::from(there.network.is_some());
            for finding in &there.findings {
                *tally.reasons.entry(finding.reason).or_default() += 1;
            }
            if touched.contains(affair) || tally.steps.is_multiple_of(8) {
                let Slice { world: slice, doors, .. } = self.cabinet.slice(affair);
                let here = if is_guest(affair) {
                    guest_upshot(&pods_turn(&slice, &doors), (&slice, &doors), affair)
                } else {
                    upshot(&turn(&slice), &world, affair)
                };
                prop_assert_eq!(&here, &there, "{}: slice and world differ", affair);
                prop_assert!(has_makers(&slice, &world), "{affair}: a NAD looks left behind");
                tally.slices += 1;
                tally.sliced += size(&slice);
                tally.objects += size(&world);
            }
            results.insert(affair.clone(), there);
        }
        for affair in affairs.union(&self.results.keys().cloned().collect()) {
            let (before, after) = (self.results.get(affair), results.get(affair));
            if before == after || is_at_home(affair, &world, [&self.doors, &doors], [before, after])
            {
                continue;
            }
            prop_assert!(
                touched.contains(affair),
                "{affair} was not told: {touched:?}; {before:?} became {after:?}"
            );
            let count =
                if is_guest(affair) { &mut tally.changed_guests } else { &mut tally.changed };
            *count += 1;
        }
        tally.steps += 1;
        tally.affairs += affairs.iter().filter(|it| !is_guest(it)).count();
        let guests = touched.iter().filter(|it| is_guest(it)).count();
        tally.touched += touched.len() - guests;
        tally.touched_guests += guests;
        drop(tally);
        (self.results, self.doors) = (results, doors);
        Ok(())
    }

    /// A cabinet that hears of the present only hands out the same.
    fn compare_with_a_new_one(&self) -> Result<(), TestCaseError> {
        let mut other = Cabinet::new(default_definition());
        for (kind, objects) in self.belief.lists() {
            other.replace(kind, objects, self.server.version());
        }
        for (name, network) in self.built.iter().rev() {
            other.build(name, Some(&Arc::new((**network).clone())));
        }
        prop_assert_eq!(self.cabinet.affairs(), other.affairs());
        for affair in self.cabinet.affairs() {
            let (one, other) = (self.cabinet.slice(&affair), other.slice(&affair));
            prop_assert_eq!(one.world, other.world, "{}", affair);
            prop_assert_eq!(one.doors, other.doors, "{}", affair);
            prop_assert_eq!(one.roster, other.roster);
        }
        Ok(())
    }
}

/// Lets histories happen, each from an opening on.
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
    tally.into_inner()
}

#[test]
fn a_slice_says_what_the_world_says_and_who_changes_is_told() {
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
    // A small universe, in which many things hang together; but not all of them.
    assert!(tally.touched < 5 * tally.changed, "too many are told: {tally:?}");
    assert!(2 * tally.touched < tally.affairs, "too many are told: {tally:?}");
    assert!(3 * tally.sliced < 2 * tally.objects, "slices are too large: {tally:?}");
}

#[test]
fn pods_and_claims_are_told_what_concerns_them() {
    let tally = tell(opening(), step(guest_draft()));
    assert!(tally.open_doors > 10_000, "too few doors were open: {tally:?}");
    assert!(tally.changed_guests > 2_000, "too few pods saw a change: {tally:?}");
    assert!(tally.touched_guests < 2 * tally.changed_guests, "too many are told: {tally:?}");
    assert!(3 * tally.sliced < tally.objects, "slices are too large: {tally:?}");
}
