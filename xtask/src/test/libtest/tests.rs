use super::{Outcome, Reader, Tally, strip_colour};
use crate::program::{Program, Programs};

fn programs() -> Programs {
    let mut programs = Programs::default();
    let mut add = |file: &str, owner: &str, name: &str| {
        programs.add(&format!("/root/target/debug/deps/{file}"), Program::new(owner, name));
    };
    add("ovsdb_net-0a1b2c3d", "ovsdb-net", "unit");
    add("ovn-99ff", "ovsdb-net", "ovn");
    add("ovn-1", "udn-lab", "ovn");
    add("udn-1", "udn", "unit");
    add("udn-2", "udn", "unit");
    programs
}

fn read(text: &str) -> Tally {
    let programs = programs();
    let mut reader = Reader::new(&programs);
    for line in text.lines() {
        reader.line(line);
    }
    reader.finish()
}

fn check(text: &str, want: [usize; 3], failures: &[&str]) -> Tally {
    let tally = read(text);
    assert_eq!([tally.passed, tally.failed, tally.ignored], want, "{text}");
    assert_eq!(tally.failures(), failures, "{text}");
    tally
}

const TWO_TARGETS: &str = "
    Finished `test` profile [unoptimized] target(s) in 0.20s
     Running unittests src/lib.rs (/root/target/debug/deps/ovsdb_net-0a1b2c3d)

running 2 tests
test remote::tests::a_bad_port_is_refused ... ok
test remote::tests::boom - should panic ... ok

test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s

     Running tests/ovn/main.rs (/root/target/debug/deps/ovn-99ff)

running 3 tests
test found ... ok
test leader::lost ... FAILED
test later ... ignored, needs a guest

failures:

---- leader::lost stdout ----
thread 'leader::lost' panicked at tests/ovn/resume.rs:5:5:
boom

test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 2.5s
";

#[test]
fn tests_are_told_apart_by_program() {
    let tally = check(TWO_TARGETS, [3, 1, 1], &["ovsdb-net ovn: leader::lost"]);
    let unit = &tally.tests[&Program::new("ovsdb-net", "unit")];
    assert_eq!(unit["remote::tests::boom"], Outcome::Passed);
    assert_eq!(tally.tests[&Program::new("ovsdb-net", "ovn")]["later"], Outcome::Ignored);
    assert_eq!(tally.total(), 5);
}

#[test]
fn doc_tests_have_a_program_of_their_own() {
    let tally = check(
        "   Doc-tests ovsdb\n\nrunning 1 test\n\
         test crates/ovsdb/src/value.rs - value::Atom (line 7) ... ok\n\n\
         test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1s\n",
        [1, 0, 0],
        &[],
    );
    assert!(tally.tests.contains_key(&Program::new("ovsdb", "docs")));
}

#[test]
fn output_between_a_name_and_its_outcome_is_not_lost() {
    check(
        "     Running tests/ovn.rs (x/ovn-1)\nrunning 1 test\ntest slow ... starting ovsdb-server\n\
         ok\ntest result: ok. 1 passed; 0 failed; 0 ignored\n",
        [1, 0, 0],
        &[],
    );
}

#[test]
fn a_program_that_died_is_a_failure() {
    check(
        "     Running tests/ovn.rs (x/ovn-1)\nrunning 2 tests\ntest one ... ok\ntest two ... \n\
         error: test failed, to rerun pass `--test ovn_a`\n",
        [1, 1, 0],
        &["udn-lab ovn: two (the test program died)"],
    );
    check(
        "     Running tests/ovn.rs (x/ovn-1)\nrunning 2 tests\ntest one ... ok\n\
              Running tests/ovn.rs (x/ovn-99ff)\nrunning 0 tests\n\
         test result: ok. 0 passed; 0 failed; 0 ignored\n",
        [1, 1, 0],
        &["udn-lab ovn: a test unknown (the test program died)"],
    );
}

#[test]
fn a_failure_is_not_hidden_by_a_namesake() {
    check(
        "     Running unittests src/lib.rs (x/udn-1)\nrunning 1 test\ntest a ... FAILED\n\
         test result: FAILED. 0 passed; 1 failed; 0 ignored\n\
              Running unittests src/main.rs (x/udn-2)\nrunning 1 test\ntest a ... ok\n\
         test result: ok. 1 passed; 0 failed; 0 ignored\n",
        [1, 1, 0],
        &["udn unit: a"],
    );
}

#[test]
fn colours_do_not_matter() {
    assert_eq!(
        strip_colour("\u{1b}[1m\u{1b}[32m     Running\u{1b}[0m tests/a.rs"),
        "     Running tests/a.rs"
    );
    check(
        "\u{1b}[1m\u{1b}[32m     Running\u{1b}[0m tests/ovn.rs (x/ovn-1)\nrunning 1 test\n\
         test one ... \u{1b}[31mFAILED\u{1b}(B\u{1b}[m\n\
         test result: \u{1b}[31mFAILED\u{1b}(B\u{1b}[m. 0 passed; 1 failed; 0 ignored\n",
        [0, 1, 0],
        &["udn-lab ovn: one"],
    );
}

#[test]
fn a_program_without_tests_ran_all_the_same() {
    let tally = read(
        "     Running tests/ovn.rs (x/ovn-1)\n\nrunning 0 tests\n\ntest result: ok. 0 passed;\n",
    );
    assert!(tally.tests[&Program::new("udn-lab", "ovn")].is_empty());
}
