//! How northbound cases are played: a zone hears of a case's objects as a server would tell it, and
//! commits what they touch; then the rows are compared with those of OVN-Kubernetes.
//!
//! A page under `docs/compat` says of each folder which steps of which case are equal here, which are
//! but for some rows, and which are left out; a case that it does not name fails.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    clippy::unwrap_used,
    reason = "this reads the shared cases, which are well formed, and says when they are absent"
)]

use std::collections::{BTreeMap, BTreeSet};

use ovn::SimulatedDatabase;
use ovsdb::cache::RowView;
use serde_json::Value;
use udn_blueprint::names;
use udn_cluster::reconciler::Change;

use crate::driver::Driver;
use crate::rows::content::content_of;
use cases::{Case, Verdict};
use world::Input;

pub(crate) mod cases;
pub(crate) mod database;
pub(crate) mod world;

/// The cases of one folder, and how their steps are taken.
pub(crate) struct Folder {
    pub(crate) name: &'static str,
    /// Does what happened in the other project's test before the step.
    pub(crate) take_step: fn(&Case, &str, &mut Input, &mut Driver),
    /// Tables that are not looked at: rows of features that are not built here yet.
    pub(crate) later_tables: &'static [&'static str],
    /// Whether a row is not looked at.
    pub(crate) is_set_aside: fn(&Case, RowView<'_>) -> bool,
}

/// Which tables are compared.
pub(crate) type IsCompared<'a> = &'a dyn Fn(&str) -> bool;

impl Folder {
    pub(crate) fn check_tables(&self, tables: &[&str]) {
        self.check(&|table| tables.contains(&table));
    }

    /// Compares the rows of some tables after every step that the page calls equal.
    pub(crate) fn check(&self, is_compared: IsCompared<'_>) {
        let Some(cases) = cases::all(self.name) else { return skip() };
        let verdicts = cases::verdicts(self.name);
        let mut failures = Vec::new();
        for case in &cases {
            let Some(verdict) = verdicts.get(&case.id) else { continue };
            failures.extend(self.failures_of(case, verdict, is_compared));
        }
        assert!(failures.is_empty(), "{} steps differ:\n{}", failures.len(), failures.join("\n\n"));
    }

    /// Plays the first step of every case that is equal, without telling what pods are given; what the
    /// zone writes on pods is heard back. Then pods carry the same, and the same rows stand.
    pub(crate) fn check_pods(&self, left_out: &[&str]) {
        let Some(cases) = cases::all(self.name) else { return skip() };
        let verdicts = cases::verdicts(self.name);
        let played = |case: &&Case| verdicts[&case.id].equal.contains("initial");
        let mut played: Vec<&Case> = cases.iter().filter(played).collect();
        played.retain(|case| !left_out.contains(&case.id.as_str()));
        assert!(!played.is_empty());
        for case in played {
            let step = case.step("initial").unwrap();
            let mut input = Input::of(case);
            let mut driver = Driver::new(&input.zone, &input.settings);
            let pods = input.take_pods(&step["pod_networks"]);
            start(&input, &mut driver);
            for pod in pods {
                let mut changes = input.add(pod);
                while !changes.is_empty() {
                    reconcile(&mut driver, changes);
                    changes = input.publish(driver.zone.writes());
                }
            }
            let want: BTreeMap<String, Value> =
                serde_json::from_value(step["pod_networks"].clone()).unwrap();
            assert_eq!(input.pod_networks(), want, "{}", case.id);
            let lines = self.difference(case, &driver.northbound, &step["nb"], &|_| true);
            assert!(lines.is_empty(), "{}\n{}", case.id, lines.join("\n"));
        }
    }

    pub(crate) fn check_page(&self) {
        let Some(cases) = cases::all(self.name) else { return skip() };
        let verdicts = cases::verdicts(self.name);
        let ids: BTreeSet<&str> = cases.iter().map(|case| case.id.as_str()).collect();
        let named: BTreeSet<&str> = verdicts.keys().map(String::as_str).collect();
        assert_eq!(named, ids, "the page and the folder");
        for case in &cases {
            let mut want: Vec<String> = case.steps().into_iter().map(|(step, _)| step).collect();
            let mut named = verdicts[&case.id].steps();
            named.sort();
            want.sort();
            assert_eq!(named, want, "steps of {}", case.id);
        }
    }

    /// Runs a case through the steps that the page does not leave out; returns how those differ that
    /// should not.
    fn failures_of(
        &self,
        case: &Case,
        verdict: &Verdict,
        is_compared: IsCompared<'_>,
    ) -> Vec<String> {
        let played: Vec<(String, &Value)> =
            case.steps().into_iter().filter(|(step, _)| !verdict.left_out.contains(step)).collect();
        if played.is_empty() {
            return Vec::new();
        }
        let mut input = Input::of(case);
        let mut driver = Driver::new(&input.zone, &input.settings);
        match case.input("initial_nb") {
            Value::Null => {}
            tables => driver.northbound = database::load(driver.northbound.rules().clone(), tables),
        }
        let mut failures = Vec::new();
        for (step, want) in played {
            (self.take_step)(case, &step, &mut input, &mut driver);
            let lines = self.difference(case, &driver.northbound, want, is_compared);
            let lines = match verdict.nearly.get(&step) {
                Some(told) => unexpected(&lines, told),
                None => lines,
            };
            let title = format!("{} at {step}", case.id);
            failures.extend((!lines.is_empty()).then(|| [title, lines.join("\n")].join("\n")));
        }
        failures
    }

    fn difference(
        &self,
        case: &Case,
        database: &SimulatedDatabase,
        want: &Value,
        is_compared: IsCompared<'_>,
    ) -> Vec<String> {
        if case.is_subset() {
            let missing = database::missing(database, want);
            return missing.iter().map(|row| format!("- {row}")).collect();
        }
        let mut want = want.clone();
        self.later_tables
            .iter()
            .for_each(|table| drop(want.as_object_mut().unwrap().remove(*table)));
        let want = database::load(database.rules().clone(), &want);
        let is_set_aside = |row: RowView<'_>| (self.is_set_aside)(case, row);
        let facts = |of: &SimulatedDatabase| {
            let left_out = content_of(of, &is_set_aside);
            let left_out: BTreeSet<String> =
                left_out.iter().filter_map(|row| row.lines().next()).map(str::to_owned).collect();
            let looks_at = |row: RowView<'_>| is_compared(&row.table.name) && !is_set_aside(row);
            facts(&content_of(of, &looks_at), &left_out)
        };
        changes(&facts(&want), &facts(database))
    }
}

/// Hears of all objects, and looks at everything that stands.
pub(crate) fn start(input: &Input, driver: &mut Driver) {
    driver.hear(input.listed());
    driver.commit_all(&driver.everything());
    look_again(driver);
}

/// The program starts anew over what stands.
pub(crate) fn restart(input: &Input, driver: &mut Driver) {
    let databases = (driver.northbound.clone(), driver.southbound.clone());
    *driver = Driver::new(&input.zone, &input.settings);
    (driver.northbound, driver.southbound) = databases;
    start(input, driver);
}

/// Commits what changes touch, and nothing else.
pub(crate) fn reconcile(driver: &mut Driver, changes: Vec<Change>) {
    let touched = driver.hear(changes);
    driver.commit_all(&touched);
    look_again(driver);
}

fn look_again(driver: &mut Driver) {
    let left: Vec<String> = driver.left_to_do().iter().map(ToString::to_string).collect();
    assert!(left.is_empty(), "a second plan:\n{}", left.join("\n"));
}

/// Whether a row is the router guard's, which the other project does not have.
pub(crate) fn is_guard(row: RowView<'_>) -> bool {
    row.entry("external_ids", names::ids::OWNER_TYPE) == Some(names::ids::ROUTER_GUARD)
}

/// Tables of features that are not built yet: services and advertised networks.
pub(crate) const LATER_TABLES: &[&str] = &["Address_Set", "Chassis_Template_Var", "Load_Balancer"];

/// By whom rows are made of a feature that is not built yet: policies.
const LATER_OWNERS: [&str; 3] = ["Namespace", "NetpolNamespace", "NetworkPolicy"];

/// Whether a row is ours alone, or of a feature that is not built yet, or of one that the case
/// switches off and we cannot.
pub(crate) fn is_later(case: &Case, row: RowView<'_>) -> bool {
    let features = case.input("config")["enabled_features"].as_array().unwrap();
    let has_lock = features.iter().any(|it| it == "EnableNetworkSegmentation");
    match row.entry("external_ids", names::ids::OWNER_TYPE) {
        Some(names::ids::ROUTER_GUARD) => true,
        Some(names::ids::ISOLATION) => !has_lock,
        Some(owner) => LATER_OWNERS.contains(&owner),
        None => false,
    }
}

fn skip() {
    println!("skipped: the shared cases are absent; set UDN_CASES to their folder");
}

fn changes(want: &[String], got: &[String]) -> Vec<String> {
    let lost = want.iter().filter(|row| !got.contains(row)).map(|row| format!("- {row}"));
    let surplus = got.iter().filter(|row| !want.contains(row)).map(|row| format!("+ {row}"));
    let lines: Vec<String> = lost.chain(surplus).collect();
    let is_other_number = lines.is_empty() && want != got;
    let number = is_other_number.then(|| "the same rows, but some more often".to_owned());
    lines.into_iter().chain(number).collect()
}

/// What rows say, one by one: what each holds, and each row that it refers to.
fn facts(rows: &[String], left_out: &BTreeSet<String>) -> Vec<String> {
    let mut facts: Vec<String> = rows.iter().flat_map(|row| facts_of(row, left_out)).collect();
    facts.sort();
    facts
}

fn facts_of(row: &str, left_out: &BTreeSet<String>) -> Vec<String> {
    let mut lines = row.lines().map(str::trim_start);
    let plain = lines.next().unwrap_or_default();
    let table = plain.split(' ').next().unwrap_or_default();
    let name = plain.split(" name=").nth(1).map(|it| it.split(' ').next().unwrap_or_default());
    let label = name.map_or(plain.to_owned(), |name| format!("{table} {name}"));
    let (mut facts, mut column) = (vec![plain.to_owned()], "");
    for line in lines {
        let (named, target) = line.split_once(" → ").unwrap_or((column, line));
        column = named;
        if !left_out.contains(target) {
            facts.push(format!("{label} {column} → {target}"));
        }
    }
    facts
}

/// The differences that the page does not tell, and what it tells and is not there.
fn unexpected(lines: &[String], told: &BTreeSet<String>) -> Vec<String> {
    let is_told = |line: &&String| told.iter().any(|words| line.contains(words.as_str()));
    let is_there = |words: &&String| lines.iter().any(|line| line.contains(words.as_str()));
    let surplus = lines.iter().filter(|line| !is_told(line)).cloned();
    let stale = told.iter().filter(|words| !is_there(words));
    surplus.chain(stale.map(|words| format!("the page tells of {words}, which is equal"))).collect()
}
