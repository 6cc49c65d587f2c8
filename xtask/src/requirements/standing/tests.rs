use super::{Grade, judge, proven};
use crate::requirements::proof::{self, Proof};
use crate::requirements::register::{self, Requirement};
use crate::shelf::Shelf;
use crate::test::libtest::{Outcome, Tally};
use crate::test::ran::Ran;
use crate::text_file::TextFile;

fn register() -> Vec<Requirement> {
    let page =
        "| L-01 | a | api |\n| L-16 | b | unit |\n| T-01 | c | ovn |\n| X-13 | d | bench |\n";
    register::parse(page).0
}

fn proofs(files: &[(&str, &str)]) -> Vec<Proof> {
    let files: Vec<TextFile> =
        files.iter().map(|(path, text)| TextFile::new(*path, *text)).collect();
    let (proofs, bad) = proof::find(&files);
    assert_eq!(bad, []);
    proofs
}

fn grades(files: &[(&str, &str)]) -> Vec<Grade> {
    let (register, proofs) = (register(), proofs(files));
    judge(&register, &proofs, &Ran::default()).iter().map(|standing| standing.grade).collect()
}

#[test]
fn nothing_is_proven_without_a_test() {
    assert_eq!(grades(&[]), [Grade::Unproven; 4]);
}

#[test]
fn a_lower_shelf_proves_partly_and_a_higher_one_wholly() {
    let files = [
        ("crates/a/src/x/tests.rs", "// proves: L-01, L-16, X-13\n#[test]\nfn low() {}\n"),
        ("crates/a/tests/node_x.rs", "// proves: T-01\n#[test]\nfn high() {}\n"),
    ];
    assert_eq!(grades(&files), [Grade::Partly, Grade::Proven, Grade::Proven, Grade::Partly]);
    let (register, proofs) = (register(), proofs(&files));
    assert_eq!(proven(&judge(&register, &proofs, &Ran::default())), 2);
}

#[test]
fn a_bench_is_proven_by_a_bench() {
    let files = [("crates/a/benches/many.rs", "// proves: X-13\n")];
    assert_eq!(grades(&files)[3], Grade::Proven);
}

fn check(path: &str, target: &str, name: &str, want: Option<Outcome>) {
    let proofs = proofs(&[(path, "// proves: L-16\n#[test]\nfn free() {}\n")]);
    let tests = [(name.to_owned(), Outcome::Passed)].into();
    let tally = Tally { tests: [(target.to_owned(), tests)].into(), ..Tally::default() };
    let mut ran = Ran::default();
    ran.absorb(Shelf::Unit, &tally, false);
    let register = register();
    assert_eq!(judge(&register, &proofs, &ran)[1].witnesses[0].outcome, want, "{path} {name}");
}

#[test]
fn the_last_outcome_is_found_by_target_and_module() {
    let passed = Some(Outcome::Passed);
    check("crates/udn-ledger/src/pool/tests.rs", "udn_ledger", "pool::tests::free", passed);
    check("crates/udn-ledger/src/pool.rs", "udn_ledger", "pool::tests::free", passed);
    check("crates/udn-ledger/src/lib.rs", "udn_ledger", "tests::free", passed);
    check("crates/a/tests/property_pool.rs", "property_pool", "free", passed);
    check("crates/a/tests/ovn_pool/ping.rs", "ovn_pool", "ping::free", passed);
    check("xtask/src/shelf/tests.rs", "xtask", "shelf::tests::free", passed);
}

#[test]
fn a_namesake_elsewhere_does_not_speak_for_it() {
    check("crates/udn-ledger/src/pool/tests.rs", "udn_ledger", "pools::tests::free", None);
    check("crates/udn-ledger/src/pool/tests.rs", "udn_model", "pool::tests::free", None);
    check("crates/udn-ledger/src/pool/tests.rs", "udn_ledger", "pool::tests::freed", None);
}
