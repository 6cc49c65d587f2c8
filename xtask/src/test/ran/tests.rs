use super::Ran;
use crate::shelf::Shelf;
use crate::test::libtest::{Outcome, Tally};

fn tally(target: &str, tests: &[(&str, Outcome)]) -> Tally {
    let tests = tests.iter().map(|(test, outcome)| ((*test).to_owned(), *outcome)).collect();
    Tally { tests: [(target.to_owned(), tests)].into(), ..Tally::default() }
}

#[test]
fn a_complete_run_forgets_and_a_filtered_one_adds() {
    let mut ran = Ran::default();
    ran.absorb(
        Shelf::Unit,
        &tally("ovn", &[("a", Outcome::Passed), ("b", Outcome::Failed)]),
        false,
    );
    ran.absorb(Shelf::Unit, &tally("ovn", &[("a", Outcome::Failed)]), true);
    assert_eq!(ran.outcome("ovn", |test| test == "a"), Some(Outcome::Failed));
    assert_eq!(ran.outcome("ovn", |test| test == "b"), Some(Outcome::Failed));

    ran.absorb(Shelf::Unit, &tally("ovn", &[("a", Outcome::Passed)]), false);
    assert_eq!(ran.outcome("ovn", |test| test == "a"), Some(Outcome::Passed));
    assert_eq!(ran.outcome("ovn", |test| test == "b"), None);
}

#[test]
fn the_worst_of_several_is_told() {
    let mut ran = Ran::default();
    let tests = [("x::a", Outcome::Passed), ("y::a", Outcome::Ignored), ("z::a", Outcome::Failed)];
    ran.absorb(Shelf::Unit, &tally("ovn", &tests), false);
    assert_eq!(ran.outcome("ovn", |_| true), Some(Outcome::Failed));
    assert_eq!(ran.outcome("ovn", |test| test != "z::a"), Some(Outcome::Ignored));
    assert_eq!(ran.outcome("udn", |_| true), None);
}

#[test]
fn a_bench_is_remembered_beside_tests() {
    let mut ran = Ran::default();
    ran.absorb(Shelf::Unit, &tally("ovsdb", &[("a", Outcome::Passed)]), false);
    ran.absorb_bench("ovsdb", Outcome::Passed);
    assert_eq!(ran.outcome("ovsdb", |_| true), Some(Outcome::Passed));
    assert_eq!(ran.outcome("ovsdb (bench)", |_| true), Some(Outcome::Passed));
}

#[test]
fn the_record_survives_a_write_and_a_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("udn/ran.json");
    assert_eq!(Ran::load(&path).unwrap(), Ran::default());
    let mut ran = Ran::default();
    ran.absorb(Shelf::Ovn, &tally("ovn_a", &[("a", Outcome::Passed)]), false);
    ran.save(&path).unwrap();
    assert_eq!(Ran::load(&path).unwrap(), ran);
}
