use std::time::Duration;

use super::libtest::Tally;
use super::plan::{Plan, Skip};
use super::{ShelfOutcome, table, words};
use crate::args::TestRequest;
use crate::shelf::Shelf;

#[test]
fn the_filter_and_the_words_after_it_go_to_the_test_programs() {
    let request = TestRequest {
        filter: Some("ping".into()),
        shelves: vec![],
        passed_on: vec!["--nocapture".into()],
    };
    let targets = ["--test".to_owned(), "ovn".to_owned()];
    assert_eq!(
        words(&request, &targets, false).join(" "),
        "test --workspace --no-fail-fast --color never --test ovn \
         -- --color never ping --nocapture"
    );
}

#[test]
fn the_table_shows_what_ran_and_what_did_not() {
    let tally = Tally { passed: 3, failed: 1, ignored: 1, ..Tally::default() };
    let outcomes = [ShelfOutcome { shelf: Shelf::Unit, tally, time: Duration::from_secs(2) }];
    let skip = Skip { shelf: Shelf::Ovn, tests: 7, reason: "no root".into() };
    let plan = Plan { skips: vec![skip], ..Plan::default() };
    assert_eq!(
        table(&plan, &outcomes).render(),
        "  shelf  tests  passed  failed  skipped  time\n  \
           ─────  ─────  ──────  ──────  ───────  ─────\n  \
           unit   5      3       1       1        2.0 s\n  \
           ovn    7      –       –       7        –\n"
    );
}
