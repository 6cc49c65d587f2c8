use super::{Circumstances, Gap, Ran, Seen};
use crate::program::Program;
use crate::shelf::Shelf;
use crate::test::libtest::{Outcome, Tally};

fn api() -> Program {
    Program::new("udn", "api")
}

fn tally(tests: &[(&str, Outcome)]) -> Tally {
    let tests = tests.iter().map(|(test, outcome)| ((*test).to_owned(), *outcome)).collect();
    Tally { tests: [(api(), tests)].into(), ..Tally::default() }
}

fn run(tree: &str, is_partial: bool) -> Circumstances {
    let servers = [("udn".to_owned(), ["kube-apiserver".to_owned()].into())].into();
    Circumstances { tree: tree.to_owned(), is_partial, servers }
}

fn seen<'a>(ran: &'a Ran, name: &str) -> Seen<'a> {
    ran.look(&api(), |test| test == name)
}

#[test]
fn a_complete_run_forgets_what_was_before() {
    let mut ran = Ran::default();
    ran.absorb(&tally(&[("a", Outcome::Passed), ("b", Outcome::Failed)]), &run("1", false));
    assert_eq!(seen(&ran, "b"), Seen::Failed);
    ran.absorb(&tally(&[("a", Outcome::Passed)]), &run("2", false));
    assert_eq!(seen(&ran, "a"), Seen::Passed(&["kube-apiserver".to_owned()].into()));
    assert_eq!(seen(&ran, "b"), Seen::NotRun);
}

#[test]
fn a_partial_run_adds_nothing_that_counts() {
    let mut ran = Ran::default();
    ran.absorb(&tally(&[("a", Outcome::Passed)]), &run("1", true));
    assert_eq!(seen(&ran, "a"), Seen::InPartialRun);
    ran.absorb(&tally(&[("a", Outcome::Passed)]), &run("1", false));
    ran.absorb(&tally(&[("b", Outcome::Passed)]), &run("1", true));
    assert!(matches!(seen(&ran, "a"), Seen::Passed(_)));
    assert_eq!(seen(&ran, "b"), Seen::InPartialRun);
}

#[test]
fn what_failed_in_a_partial_run_no_longer_counts() {
    let mut ran = Ran::default();
    ran.absorb(&tally(&[("a", Outcome::Passed)]), &run("1", false));
    ran.absorb(&tally(&[("a", Outcome::Failed)]), &run("1", true));
    assert_eq!(seen(&ran, "a"), Seen::Failed);
}

#[test]
fn the_worst_of_several_is_told() {
    let mut ran = Ran::default();
    let tests = [("x::a", Outcome::Passed), ("y::a", Outcome::Ignored), ("z::a", Outcome::Failed)];
    ran.absorb(&tally(&tests), &run("1", false));
    assert_eq!(ran.look(&api(), |_| true), Seen::Failed);
    assert_eq!(ran.look(&api(), |test| test != "z::a"), Seen::Ignored);
    assert_eq!(ran.look(&Program::new("udn-wire", "api"), |_| true), Seen::NotRun);
}

#[test]
fn the_record_speaks_for_the_tree_it_was_run_on() {
    let mut ran = Ran::default();
    let gap = |ran: &Ran, tree| match ran.gap(&[api()].into(), tree) {
        Some(Gap::NotWhole(sentence)) => Some(sentence),
        None => None,
        skipped => panic!("{skipped:?}"),
    };
    assert_eq!(gap(&ran, "1").as_deref(), Some("`udn api` was not run"));
    ran.absorb(&tally(&[("a", Outcome::Passed)]), &run("1", true));
    assert_eq!(gap(&ran, "1").as_deref(), Some("the run of `udn api` was partial"));
    ran.absorb(&tally(&[("a", Outcome::Passed)]), &run("1", false));
    assert_eq!(gap(&ran, "1"), None);
    assert_eq!(gap(&ran, "2").as_deref(), Some("the run of `udn api` was of another tree"));
    assert!(ran.is_of_another_tree("2") && !ran.is_of_another_tree("1"));
}

#[test]
fn a_skipped_shelf_is_told_after_what_could_have_run() {
    let mut ran = Ran::default();
    ran.absorb_skip(Shelf::Api, Some("no Go"));
    let both = [api(), Program::new("udn", "unit")].into();
    assert_eq!(ran.gap(&[api()].into(), "1"), Some(Gap::Skipped("api: no Go".into())));
    assert_eq!(ran.gap(&both, "1"), Some(Gap::NotWhole("`udn unit` was not run".into())));
    ran.absorb_skip(Shelf::Api, None);
    assert_eq!(ran.gap(&[api()].into(), "1"), Some(Gap::NotWhole("`udn api` was not run".into())));
}

#[test]
fn the_record_survives_a_write_and_a_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("udn/ran.json");
    assert_eq!(Ran::load(&path).unwrap(), Ran::default());
    let mut ran = Ran::default();
    ran.absorb(&tally(&[("a", Outcome::Passed)]), &run("1", false));
    ran.absorb_skip(Shelf::Ovn, Some("no root"));
    ran.save(&path).unwrap();
    assert_eq!(Ran::load(&path).unwrap(), ran);
}
