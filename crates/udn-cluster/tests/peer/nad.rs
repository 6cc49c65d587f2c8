//! The shared cases about NADs and pod annotations: same answers as OVN-Kubernetes.
//!
//! `docs/compat/nad.md` says which cases are left out and why; all others must agree.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    clippy::unwrap_used,
    reason = "this test reads the shared cases, which are well formed, and says when they are absent"
)]

use std::collections::BTreeSet;

use cases::{Case, all, left_out};

#[path = "../../../udn-wire/tests/peer/cases.rs"]
mod cases;
mod parsing;
mod pods;
mod rendering;

/// The page that says which cases are left out.
const PAGE: &str = "nad.md";

const FOLDERS: [&str; 3] = ["nad-parsing", "nad-rendering", "pod-annotation"];

/// Runs all cases of a folder that are not left out, and lists those that differ.
fn check(folder: &str, difference: fn(&Case) -> Result<(), String>) {
    let Some(cases) = all(folder) else {
        println!("{folder}: 0 run, 0 listed, all skipped");
        return skip();
    };
    let left_out = left_out(PAGE);
    let run: Vec<&Case> = cases.iter().filter(|case| !left_out.contains_key(&case.id)).collect();
    let tell = |case: &&Case| Some(format!("{}: {}", case.id, difference(case).err()?));
    let failures: Vec<String> = run.iter().filter_map(tell).collect();
    let (agree, listed) = (run.len() - failures.len(), cases.len() - run.len());
    println!(
        "{folder}: {} cases: {} run, of which {agree} agree; {listed} listed; 0 skipped",
        cases.len(),
        run.len()
    );
    assert!(failures.is_empty(), "{} cases differ:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn networks_are_rendered_as_nads() {
    check("nad-rendering", rendering::difference);
}

#[test]
fn nads_are_read() {
    check("nad-parsing", parsing::difference);
}

#[test]
fn pod_annotations_are_read_and_written() {
    check("pod-annotation", pods::difference);
}

#[test]
fn the_page_names_only_cases_that_are_there() {
    let folders: Option<Vec<Vec<Case>>> = FOLDERS.into_iter().map(all).collect();
    let Some(folders) = folders else { return skip() };
    let ids: BTreeSet<String> = folders.into_iter().flatten().map(|case| case.id).collect();
    let named: BTreeSet<String> = left_out(PAGE).into_keys().collect();
    let unknown: Vec<&String> = named.difference(&ids).collect();
    assert!(unknown.is_empty(), "no such case: {unknown:?}");
}

fn skip() {
    println!("skipped: the shared cases are absent; set UDN_CASES to their folder");
}
