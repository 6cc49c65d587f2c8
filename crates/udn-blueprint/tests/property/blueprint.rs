//! What must hold for the drawing of any cluster.
#![allow(clippy::unwrap_used, reason = "a recipe's texts and numbers are well formed")]

use std::collections::{BTreeMap, BTreeSet};

use crate::rows::content::content;
use cluster::{Cluster, network_name};
use ovn::audit::audit;
use ovn::{Key, Owner, Plan, Sheet, SimulatedDatabase};
use ovsdb::Datum;
use ovsdb::cache::Table;
use proptest::prelude::*;
use proptest::test_runner::{Config, FileFailurePersistence};
use recipe::{DEFAULT, PodRecipe, Recipe, recipe};
use udn_blueprint::{DrawingInput, draw, draw_southbound, has_nodes, owners, parts, parts_of};
use udn_model::{Findings, Part};

mod cluster;
mod recipe;

fn cases(number: u32) -> Config {
    // A failing case stays in the tree, beside this file.
    let persistence = FileFailurePersistence::WithSource("regressions");
    Config { cases: number, failure_persistence: Some(Box::new(persistence)), ..Config::default() }
}

fn draw_all(input: &DrawingInput<'_>) -> Vec<Sheet> {
    parts(input).iter().map(|part| draw(part, input).value).collect()
}

fn empty(cluster: &Cluster) -> SimulatedDatabase {
    SimulatedDatabase::new(owners::northbound_of(&cluster.zone, &cluster.settings))
}

/// Plans and applies; a refusal by the database fails the test with the plan shown.
fn settle(database: &mut SimulatedDatabase, sheets: &[Sheet]) -> Plan {
    let plan = database.plan(sheets).unwrap_or_else(|error| panic!("{error}"));
    database.apply(&plan).unwrap_or_else(|fault| panic!("refused: {fault}\n{plan}"));
    plan
}

/// A database in which the cluster was drawn, and nothing else.
fn fresh(cluster: &Cluster) -> SimulatedDatabase {
    let mut database = empty(cluster);
    settle(&mut database, &draw_all(&cluster.input()));
    database
}

/// Empty sheets for owners that stand although no part is theirs.
fn vanished(cluster: &Cluster, database: &SimulatedDatabase) -> Vec<Sheet> {
    let parts: BTreeSet<Owner> = parts(&cluster.input()).iter().map(owners::owner).collect();
    let standing = owners::standing(database.rows());
    standing.difference(&parts).cloned().map(Sheet::new).collect()
}

/// What a fresh drawing holds, and the shared rows where there were some before.
fn content_after(cluster: &Cluster, had_zone: bool) -> Vec<String> {
    let mut database = empty(cluster);
    if had_zone {
        settle(&mut database, &[draw(&Part::Zone, &cluster.input()).value]);
    }
    settle(&mut database, &draw_all(&cluster.input()));
    content(&database)
}

fn without_repeats(recipe: &Recipe) -> Recipe {
    // Of two entries for the same thing the last counts, so only the first of each is kept.
    let mut recipe = recipe.clone();
    let mut seen = BTreeSet::new();
    recipe.networks.retain(|it| seen.insert(it.name));
    let mut seen = BTreeSet::new();
    recipe.nodes.retain(|it| seen.insert(it.number));
    let mut seen = BTreeSet::new();
    // A pod is on the default network once.
    let index = |it: &PodRecipe| if it.network == DEFAULT { 0 } else { it.index };
    recipe.pods.retain(|it| seen.insert((it.network, it.number, index(it))));
    recipe
}

proptest! {
    #![proptest_config(cases(120))]

    #[test]
    fn the_order_of_arrival_does_not_matter(recipe in recipe()) {
        let mut recipe = without_repeats(&recipe);
        let one = Cluster::of(&recipe);
        recipe.networks.reverse();
        recipe.nodes.reverse();
        recipe.pods.reverse();
        let mut other = Cluster::of(&recipe);
        other.intent.nodes.values_mut().for_each(|node| node.addresses.reverse());
        prop_assert_eq!(parts(&one.input()), parts(&other.input()));
        prop_assert_eq!(draw_all(&one.input()), draw_all(&other.input()));
        prop_assert_eq!(draw_southbound(&one.input()), draw_southbound(&other.input()));
    }

    #[test]
    fn a_second_comparison_finds_nothing(recipe in recipe()) {
        let cluster = Cluster::of(&recipe);
        let mut database = empty(&cluster);
        let sheets = draw_all(&cluster.input());
        let plan = settle(&mut database, &sheets);
        prop_assert!(plan.is_complete(), "{}", plan);
        prop_assert!(plan.skipped.is_empty());
        let again = database.plan(&sheets).unwrap();
        prop_assert!(again.is_empty() && again.is_complete(), "{}", again);
    }

    #[test]
    fn no_row_is_drawn_by_two_parts(recipe in recipe()) {
        let cluster = Cluster::of(&recipe);
        let mut drawn: BTreeMap<Key, Owner> = BTreeMap::new();
        for sheet in draw_all(&cluster.input()) {
            prop_assert_eq!(sheet.clashes().next(), None);
            for (key, _) in sheet.rows() {
                let before = drawn.insert(key.clone(), sheet.owner.clone());
                prop_assert_eq!(before, None, "{} and {}", key, sheet.owner);
            }
        }
    }

    #[test]
    fn every_standing_row_shows_a_drawn_part_and_is_in_order(recipe in recipe()) {
        let cluster = Cluster::of(&recipe);
        let database = fresh(&cluster);
        let sheets = draw_all(&cluster.input());
        let drawn = sheets.iter().filter(|sheet| !sheet.is_empty());
        let drawn: BTreeSet<Owner> = drawn.map(|sheet| sheet.owner.clone()).collect();
        for row in database.rows().tables().flat_map(Table::rows) {
            let is_unmarked = matches!(&*row.table.name, "Gateway_Chassis" | "Meter_Band");
            match database.rules().owner(row) {
                Some(owner) => prop_assert!(drawn.contains(&owner), "{}", owner),
                None => prop_assert!(is_unmarked, "{} {:?}", row.table.name, row.text("name")),
            }
        }
        prop_assert_eq!(vanished(&cluster, &database), []);
        let notes = audit(database.rows(), database.rules(), Some(&drawn));
        // Logging metrics are made by whoever logs.
        let notes: Vec<_> = notes.iter().filter(|note| !note.to_string().contains("acl-logging")).collect();
        prop_assert!(notes.is_empty(), "{:?}", notes);
    }

    #[test]
    fn removing_a_network_leaves_exactly_the_others(recipe in recipe(), chosen in any::<prop::sample::Index>()) {
        prop_assume!(!recipe.networks.is_empty());
        let mut cluster = Cluster::of(&recipe);
        let name = network_name(recipe.networks[chosen.index(recipe.networks.len())].name);
        let mut database = fresh(&cluster);
        let had_zone = parts(&cluster.input()).contains(&Part::Zone);
        let gone = parts_of(&cluster.input(), &name);
        cluster.remove_network(&name);
        let sheets: Vec<Sheet> = gone.iter().map(|part| draw(part, &cluster.input()).value).collect();
        prop_assert!(sheets.iter().all(Sheet::is_empty));
        let swept: BTreeSet<Owner> = vanished(&cluster, &database).into_iter().map(|it| it.owner).collect();
        let known: BTreeSet<Owner> = sheets.iter().map(|it| it.owner.clone()).collect();
        prop_assert!(swept.is_subset(&known), "{:?} {:?}", swept, known);
        let plan = settle(&mut database, &sheets);
        prop_assert!(plan.is_complete(), "{}", plan);
        prop_assert_eq!(content(&database), content_after(&cluster, had_zone));
    }

    #[test]
    fn any_change_ends_where_a_fresh_start_ends(before in recipe(), after in recipe()) {
        let (before, after) = (Cluster::of(&before), Cluster::of(&after));
        let mut database = fresh(&before);
        let had_zone = parts(&before.input()).contains(&Part::Zone);
        let sheets = [draw_all(&after.input()), vanished(&after, &database)].concat();
        settle(&mut database, &sheets);
        prop_assert_eq!(content(&database), content_after(&after, had_zone));
    }

    #[test]
    fn parts_may_come_one_by_one_in_any_order(recipe in recipe(), seed in prop::collection::vec(any::<prop::sample::Index>(), 40)) {
        let cluster = Cluster::of(&recipe);
        let mut sheets = draw_all(&cluster.input());
        for (at, index) in seed.iter().enumerate().take(sheets.len()) {
            let with = index.index(sheets.len());
            sheets.swap(at, with);
        }
        let mut database = empty(&cluster);
        // Shared rows first, then backbones, then nodes, then what hangs on their switches: four rounds
        // are enough.
        for _ in 0..4 {
            for sheet in &sheets {
                settle(&mut database, std::slice::from_ref(sheet));
            }
        }
        prop_assert_eq!(content(&database), content(&fresh(&cluster)));
    }

    #[test]
    fn switches_of_pods_are_guarded_or_the_network_has_none(recipe in recipe()) {
        let cluster = Cluster::of(&recipe);
        let input = cluster.input();
        let sheets = draw_all(&input);
        let rows = || sheets.iter().flat_map(Sheet::rows);
        let is_guard = |ids: &Datum| {
            ids.entries().iter().any(|(_, value)| value.as_str() == Some("RouterGuard"))
        };
        let guards = rows().filter(|(_, row)| row.datum("external_ids").is_some_and(is_guard));
        let places = guards.flat_map(|(_, row)| &row.places);
        let guarded: BTreeSet<&Key> = places.map(|place| &place.parent).collect();
        for part in parts(&input) {
            let Part::Pod(network, pod) = &part else { continue };
            let network = &cluster.intent.networks[network];
            let is_guarded = network.is_primary() || cluster.settings.features.secondary_router_guard;
            let is_locked = cluster.intent.attachments[&network.name][pod].lock.is_some();
            let sheet = draw(&part, &input).value;
            for (_, row) in sheet.rows().filter(|(key, _)| key.table() == "Logical_Switch_Port") {
                let parents = || row.places.iter().map(|place| &place.parent);
                let groups = parents().filter(|parent| parent.table() == "Port_Group");
                prop_assert_eq!(groups.count(), usize::from(is_locked), "{}", part);
                let mut switches = parents().filter(|parent| parent.table() == "Logical_Switch");
                prop_assert_eq!(switches.any(|it| guarded.contains(it)), is_guarded, "{}", part);
            }
        }
    }

    #[test]
    fn a_network_with_an_empty_part_says_why(recipe in recipe()) {
        let cluster = Cluster::of(&recipe);
        let input = cluster.input();
        for name in cluster.intent.networks.keys() {
            let drawn: Vec<_> =
                parts_of(&input, name).iter().map(|part| draw(part, &input)).collect();
            let is_whole = drawn.iter().all(|it| !it.value.is_empty());
            let has_own_node = cluster.intent.nodes.contains_key(&cluster.zone);
            let findings: Findings = drawn.into_iter().flat_map(|it| it.findings).collect();
            let has_nodes = has_nodes(&cluster.intent.networks[name]);
            let is_there = is_whole && (has_own_node || !has_nodes);
            prop_assert_eq!(findings.is_empty(), is_there, "{}: {:?}", name, findings);
        }
    }
}
