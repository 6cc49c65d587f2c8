use std::collections::BTreeMap;

use super::random::{RandomProgram, RandomTest};
use super::{Drawn, Run, command, drawn, failed, failure, store, words};
use crate::program::Program;
use crate::shelf::Shelf;
use crate::test::libtest::{Outcome, Tally};
use crate::workspace::Workspace;

fn random(only: Option<&[&str]>) -> RandomProgram {
    let test = |cases| RandomTest { path: "crates/a/tests/property/laws.rs".into(), cases };
    RandomProgram {
        program: Program::new("a", "property"),
        shelf: Shelf::Property,
        only: only.map(|only| only.iter().map(|it| (*it).to_owned()).collect()),
        tests: [("laws::x".to_owned(), test(Some(200))), ("laws::y".to_owned(), test(None))].into(),
    }
}

fn one_run(random: &RandomProgram) -> Run<'_> {
    Run { random, executable: "/target/property-1", words: vec!["--nocapture".into()], seed: 7 }
}

fn workspace(root: &std::path::Path) -> Workspace {
    Workspace { root: root.to_owned(), target: root.join("target"), members: vec![] }
}

#[test]
fn the_name_picks_among_the_random_tests() {
    let check = |only: Option<&[&str]>, name, want: Option<&str>| {
        assert_eq!(words(&random(only), name).map(|it| it.join(" ")).as_deref(), want);
    };
    check(None, None, Some("--nocapture"));
    check(None, Some("x"), Some("--nocapture x"));
    check(Some(&["a::x", "b::y"]), None, Some("--nocapture a::x b::y --exact"));
    check(Some(&["a::x", "b::y"]), Some("y"), Some("--nocapture b::y --exact"));
    check(Some(&["a::x"]), Some("z"), None);
}

#[test]
fn everything_random_has_the_seed_of_the_round() {
    let random = random(None);
    let command = command(&workspace("/tree".as_ref()), &one_run(&random));
    let set: BTreeMap<_, _> = command.get_envs().collect();
    for variable in ["UDN_SEED", "PROPTEST_RNG_SEED"] {
        assert_eq!(set[variable.as_ref() as &std::ffi::OsStr], Some("7".as_ref()));
    }
    assert_eq!(command.get_current_dir(), Some("/tree/crates/a".as_ref()));
}

#[test]
fn inputs_are_counted_for_tests_that_passed() {
    let tests = [("laws::x", Outcome::Passed), ("laws::y", Outcome::Passed)];
    let tally = |tests: &[(&str, Outcome)]| {
        let tests = tests.iter().map(|(name, outcome)| ((*name).to_owned(), *outcome)).collect();
        Tally { tests: [(Program::new("a", "property"), tests)].into(), ..Tally::default() }
    };
    let mut printed = Drawn::default();
    printed.line("drew: 3 histories");
    let random = random(None);
    assert_eq!(drawn(&random, &tally(&tests), &printed).text(), "3 histories, 200 inputs");
    let failing = tally(&[("laws::x", Outcome::Failed)]);
    assert_eq!(drawn(&random, &failing, &printed).text(), "3 histories");
    assert_eq!(failed(&failing, &random.program), ["laws::x"]);
    assert_eq!(failed(&Tally::default(), &random.program), ["a test unknown"]);
}

#[test]
fn a_failure_tells_how_to_repeat_and_to_keep_it() {
    let random = random(None);
    assert_eq!(
        failure(&one_run(&random), "laws::x", "/target/x.txt"),
        "  a property: FAILED laws::x, seed 7\n    \
         again:  UDN_SEED=7 PROPTEST_RNG_SEED=7 cargo test -p a --test property -- \
         --exact laws::x --nocapture\n    output: /target/x.txt\n    \
         keep:   proptest added it to crates/a/tests/property/laws.regressions; \
         commit that, and a case in words\n"
    );
    assert!(
        failure(&one_run(&random), "laws::y", "")
            .contains("add the seed to the stored ones of crates/a/tests/property/laws.rs")
    );
}

#[test]
fn a_failure_is_stored_with_seed_command_and_output() {
    let folder = tempfile::tempdir().unwrap();
    let random = random(None);
    let output = ["thread panicked".to_owned()];
    let path = store(&workspace(folder.path()), &one_run(&random), "laws::x", &output).unwrap();
    assert!(path.to_string_lossy().ends_with("-laws-x.txt"), "{}", path.display());
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.starts_with("seed 7\nUDN_SEED=7 "), "{text}");
    assert!(text.ends_with("\n\nthread panicked\n"), "{text}");
}
