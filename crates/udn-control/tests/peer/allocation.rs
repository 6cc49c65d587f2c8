//! The shared cases about addresses, claims and MACs: same answers as OVN-Kubernetes.
//!
//! Where those cases were made against stubs, the stubs' answers are preconditions here.
//! `docs/compat/addresses.md` says which cases are left out and why; all others must agree.
#![allow(clippy::unwrap_used, reason = "the shared cases are well formed")]

use std::collections::BTreeSet;

use cases::{Case, all, left_out};

mod annotations;
#[path = "../../../udn-wire/tests/peer/cases.rs"]
mod cases;
mod controller;
mod lifecycle;
mod numbers;
mod steps;
mod stories;

const FOLDER: &str = "allocation";

/// Where the answers to a case differ, if they do.
type Difference = fn(&Case) -> Result<(), String>;

fn difference(case: &Case) -> Result<(), String> {
    let families: [(&str, Difference); 10] = [
        ("pod-annotation-", annotations::difference),
        ("cluster-manager-", lifecycle::difference),
        ("e2e-", stories::difference),
        ("subnet-", steps::difference),
        ("ipamclaim-", steps::difference),
        ("mac-", steps::difference),
        ("gateway-ip-", numbers::platform),
        ("management-ip-", numbers::platform),
        ("masquerade-", numbers::masquerade),
        ("tunnel-id-", numbers::tunnel_ids),
    ];
    let family = families.into_iter().find(|(prefix, _)| case.id.starts_with(prefix));
    family.map_or(Err("no such family".to_owned()), |(_, difference)| difference(case))
}

#[test]
fn addresses_are_granted_as_elsewhere() {
    let Some(cases) = all(FOLDER) else {
        println!("{FOLDER}: 0 run, 0 listed, all skipped");
        println!("skipped: the shared cases are absent; set UDN_CASES to their folder");
        return;
    };
    let left_out = left_out("addresses.md");
    let ids: BTreeSet<&String> = cases.iter().map(|case| &case.id).collect();
    let unknown: Vec<&String> = left_out.keys().filter(|id| !ids.contains(id)).collect();
    assert!(unknown.is_empty(), "no such case: {unknown:?}");
    let run: Vec<&Case> = cases.iter().filter(|case| !left_out.contains_key(&case.id)).collect();
    let tell = |case: &&Case| Some(format!("{}: {}", case.id, difference(case).err()?));
    let failures: Vec<String> = run.iter().filter_map(tell).collect();
    let (agree, listed) = (run.len() - failures.len(), cases.len() - run.len());
    println!(
        "{FOLDER}: {} cases: {} run, of which {agree} agree; {listed} listed; 0 skipped",
        cases.len(),
        run.len()
    );
    assert!(failures.is_empty(), "{} cases differ:\n{}", failures.len(), failures.join("\n"));
}
