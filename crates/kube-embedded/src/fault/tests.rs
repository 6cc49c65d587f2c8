//! Faults are repeatable, rare as asked, and independent of one another.

use std::time::Duration;

use super::{Fault, FaultPlan, Faults, PerMille, Planned, Turn};

fn plan(seed: u64) -> FaultPlan {
    FaultPlan {
        seed,
        delay: PerMille(100),
        longest_delay: Duration::from_millis(5),
        refuse: PerMille(100),
        conflict: PerMille(100),
        cut_before: PerMille(50),
        cut_after: PerMille(50),
        twice: PerMille(50),
        event_twice: PerMille(200),
        watch_cut: PerMille(50),
        ..FaultPlan::default()
    }
}

fn history(seed: u64, paths: &[&str]) -> Vec<Vec<Fault>> {
    let faults = Faults::default();
    faults.set(Some(plan(seed)));
    paths.iter().map(|path| faults.on_request("patch", "pods", path)).collect()
}

#[test]
fn without_a_plan_nothing_goes_wrong() {
    let faults = Faults::default();
    assert!((0..1000).all(|_| faults.on_request("create", "pods", "/pods").is_empty()));
    assert!((0..1000).all(|revision| faults.on_event("pods", revision) == Turn::Deliver));
}

#[test]
fn the_same_seed_gives_the_same_faults() {
    let paths = ["/a"; 500];
    assert_eq!(history(7, &paths), history(7, &paths));
    assert_ne!(history(7, &paths), history(8, &paths));
}

#[test]
fn what_runs_beside_changes_nothing() {
    let alone = history(7, &["/a"; 100]);
    let mixed: Vec<&str> = (0..200).map(|turn| if turn % 2 == 0 { "/a" } else { "/b" }).collect();
    let beside: Vec<Vec<Fault>> = history(7, &mixed).into_iter().step_by(2).collect();
    assert_eq!(alone, beside);
}

#[test]
fn a_watch_that_was_cut_gets_on() {
    let faults = Faults::default();
    faults.set(Some(FaultPlan { watch_cut: PerMille(500), ..plan(1) }));
    for revision in 0..100 {
        let tries = (0..50).take_while(|_| faults.on_event("pods", revision) == Turn::Cut).count();
        assert!(tries < 50, "event {revision} is never told");
    }
}

#[test]
fn faults_are_as_rare_as_asked() {
    let faults: Vec<Fault> = history(3, &["/a"; 10_000]).into_iter().flatten().collect();
    let cuts = faults.iter().filter(|it| **it == Fault::CutBefore).count();
    assert!((350..650).contains(&cuts), "{cuts} of 10,000 at 50 in a thousand");
}

#[test]
fn a_planned_fault_meets_its_request_alone() {
    let faults = Faults::default();
    faults.plan(Planned {
        verb: "update".to_owned(),
        resource: "pods".to_owned(),
        after: 1,
        fault: Fault::CutAfter,
    });
    let seen: Vec<Vec<Fault>> = [
        ("create", "pods"),
        ("update", "nodes"),
        ("update", "pods"),
        ("update", "pods"),
        ("update", "pods"),
    ]
    .map(|(verb, resource)| faults.on_request(verb, resource, "/x"))
    .into();
    assert_eq!(seen, [vec![], vec![], vec![], vec![Fault::CutAfter], vec![]]);
    assert_eq!(faults.pending(), 0);
}
