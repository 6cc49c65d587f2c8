//! The shared northbound cases, heard by a zone: same rows as OVN-Kubernetes.
//!
//! A zone is told of a case's objects as a server would tell it, and commits what they touch.
//! `docs/compat/nb-topology.md` says which steps of which case are equal here and which are left
//! out; a case that it does not name fails.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    clippy::unwrap_used,
    reason = "this test reads the shared cases, which are well formed, and says when they are absent"
)]

use std::collections::BTreeSet;

use crate::driver::Driver;
use crate::rows::content::content_of;
use cases::Case;
use ovn::{Owner, SimulatedDatabase};
use ovsdb::cache::RowView;
use udn_blueprint::{names, owners, parts};
use udn_cluster::reconciler::Change;
use world::Input;

mod cases;
mod database;
mod world;

/// Which tables are compared.
type IsCompared<'a> = &'a dyn Fn(&str) -> bool;

#[test]
fn equal_steps_are_equal() {
    check(&|_| true);
}

// proves: T-03
#[test]
fn switches_and_routers_and_their_links_are_equal() {
    check_tables(&[
        "Logical_Router",
        "Logical_Router_Port",
        "Logical_Switch",
        "Logical_Switch_Port",
    ]);
}

// proves: T-05, T-06
#[test]
fn ports_of_routers_are_equal() {
    check_tables(&["Logical_Router_Port"]);
}

// proves: T-07
#[test]
fn the_chassis_of_gateway_ports_are_equal() {
    check_tables(&["Gateway_Chassis"]);
}

// proves: T-10
#[test]
fn translations_of_addresses_are_equal() {
    check_tables(&["NAT"]);
}

// proves: T-11, T-13
#[test]
fn routes_are_equal() {
    check_tables(&["Logical_Router_Static_Route"]);
}

// proves: T-12 half: the EgressIP rules
#[test]
fn policies_are_equal() {
    check_tables(&["Logical_Router_Policy"]);
}

fn check_tables(tables: &[&str]) {
    check(&|table| tables.contains(&table));
}

/// Compares the rows of some tables after every step that the page calls equal.
fn check(is_compared: IsCompared<'_>) {
    let Some(cases) = cases::all() else { return skip() };
    let verdicts = cases::verdicts();
    let mut failures = Vec::new();
    for case in &cases {
        let Some(verdict) = verdicts.get(&case.id) else { continue };
        failures.extend(failures_of(case, &verdict.equal, is_compared));
    }
    assert!(failures.is_empty(), "{} steps differ:\n{}", failures.len(), failures.join("\n\n"));
}

#[test]
fn the_page_names_every_step_of_every_case_once() {
    let Some(cases) = cases::all() else { return skip() };
    let verdicts = cases::verdicts();
    let ids: BTreeSet<&str> = cases.iter().map(|case| case.id.as_str()).collect();
    let named: BTreeSet<&str> = verdicts.keys().map(String::as_str).collect();
    assert_eq!(named, ids, "the page and the folder");
    for case in &cases {
        let verdict = &verdicts[&case.id];
        let steps: Vec<String> = case.steps().into_iter().map(|(step, _)| step).collect();
        let mut named: Vec<_> = verdict.equal.iter().chain(&verdict.left_out).cloned().collect();
        named.sort();
        let mut want = steps;
        want.sort();
        assert_eq!(named, want, "steps of {}", case.id);
    }
}

fn skip() {
    println!("skipped: the shared cases are absent; set UDN_CASES to their folder");
}

/// Runs a case through the steps that are equal; returns how those differ that are not.
fn failures_of(case: &Case, equal: &BTreeSet<String>, is_compared: IsCompared<'_>) -> Vec<String> {
    if equal.is_empty() {
        return Vec::new();
    }
    let mut input = Input::of(case);
    let mut driver = Driver::new(&input.zone, &input.settings);
    match case.input("initial_nb") {
        serde_json::Value::Null => {}
        tables => driver.northbound = database::load(owners::northbound(&input.zone), tables),
    }
    let mut failures = Vec::new();
    for (step, want) in case.steps().into_iter().filter(|(step, _)| equal.contains(step)) {
        take_step(case, &step, &mut input, &mut driver);
        failures.extend(difference(case, &step, &driver.northbound, want, is_compared));
    }
    failures
}

/// Does what happened in the other project's test before the step.
fn take_step(case: &Case, step: &str, input: &mut Input, driver: &mut Driver) {
    match (case.id.as_str(), step) {
        (_, "initial") => start(input, driver),
        (_, "remote-node-deleted") => reconcile(driver, input.remove_node("test-node2")),
        (_, "network-cleanup") => reconcile(driver, input.remove_networks()),
        // The steps before it, from an older topology, are left out.
        (_, "all-remotes-upgraded") => {
            input.upgrade_nodes();
            start(input, driver);
        }
        // Only what is left of nodes that are gone is removed; nothing else is looked at.
        ("asserted-controller-should-cleanup-stale-nodes-on-startup", "end")
        | (
            "asserted-subset-default-network-controller-syncpods-should-not-delete-dhcp-options-owned-by-udn-controllers",
            "end",
        ) => sweep(input, driver),
        (id, "end") if id.starts_with("asserted-cleanup-") || id.ends_with("-removes-them") => {
            start(input, driver);
            reconcile(driver, input.remove_networks());
        }
        // The other node has no pod of the network, and dynamic allocation leaves such nodes out.
        ("asserted-with-dynamic-udn-allocation-a-remote-node-with-no-nad-is-ignored", "end") => {
            input.remove_node("test-node2");
            start(input, driver);
        }
        (
            "asserted-subset-activates-a-remote-node-when-a-nad-becomes-active-and-cleans-it-up-when-inactive",
            "end",
        ) => {
            input.remove_node("remoteNode");
            start(input, driver);
        }
        (_, "end") => start(input, driver),
        (id, step) => panic!("no way to take step {step} of {id}"),
    }
}

/// Hears of all objects, and looks at everything that stands.
fn start(input: &Input, driver: &mut Driver) {
    driver.hear(input.listed());
    driver.commit_all(&driver.everything());
    look_again(driver);
}

/// Commits what changes touch, and nothing else.
fn reconcile(driver: &mut Driver, changes: Vec<Change>) {
    let touched = driver.hear(changes);
    driver.commit_all(&touched);
    look_again(driver);
}

fn look_again(driver: &mut Driver) {
    let left: Vec<String> = driver.left_to_do().iter().map(ToString::to_string).collect();
    assert!(left.is_empty(), "a second plan:\n{}", left.join("\n"));
}

/// Removes what belongs to no part, and draws nothing.
fn sweep(input: &Input, driver: &mut Driver) {
    driver.hear(input.listed());
    let parts = parts(&driver.zone.input());
    let drawn: BTreeSet<Owner> = parts.iter().map(owners::owner).collect();
    for (item, extent) in driver.everything().0 {
        let rows = driver.northbound.rows();
        let mut sheets = driver.zone.draw(&item, &extent, rows).sheets;
        sheets.retain(|sheet| !drawn.contains(&sheet.owner) && sheet.is_empty());
        let plan = driver.northbound.plan(&sheets).expect("comparable");
        driver.northbound.apply(&plan).unwrap_or_else(|fault| panic!("refused: {fault}\n{plan}"));
    }
}

fn difference(
    case: &Case,
    step: &str,
    database: &SimulatedDatabase,
    want: &serde_json::Value,
    is_compared: IsCompared<'_>,
) -> Option<String> {
    let lines = if case.is_subset() {
        database::missing(database, want).iter().map(|row| format!("- {row}")).collect()
    } else {
        let want = database::load(database.rules().clone(), want);
        let rows = |of| content_of(of, &|row| is_compared(&row.table.name) && !is_guard(row));
        changes(&rows(&want), &rows(database))
    };
    let title = format!("{} at {step}", case.id);
    (!lines.is_empty()).then(|| [title, lines.join("\n")].join("\n"))
}

/// Whether a row is the router guard's, which the other project does not have.
fn is_guard(row: RowView<'_>) -> bool {
    row.entry("external_ids", names::ids::OWNER_TYPE) == Some(names::ids::ROUTER_GUARD)
}

fn changes(want: &[String], got: &[String]) -> Vec<String> {
    let lost = want.iter().filter(|row| !got.contains(row)).map(|row| format!("- {row}"));
    let surplus = got.iter().filter(|row| !want.contains(row)).map(|row| format!("+ {row}"));
    let lines: Vec<String> = lost.chain(surplus).collect();
    let is_other_number = lines.is_empty() && want != got;
    let number = is_other_number.then(|| "the same rows, but some more often".to_owned());
    lines.into_iter().chain(number).collect()
}
