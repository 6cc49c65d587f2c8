use super::{Finding, Grade, judge};
use crate::program::Program;
use crate::requirements::Evidence;
use crate::test::libtest::{Outcome, Tally};
use crate::test::ran::{Circumstances, Ran};
use crate::text_file::TextFile;

const REGISTER: &str = "| L-01 | a | api |\n| L-16 | b | unit |\n| T-01 | c | ovn |\n\
                        | X-13 | d | bench |\n";

fn evidence(files: &[(&str, &str)]) -> Evidence {
    let files = files.iter().chain(&[("docs/requirements.md", REGISTER)]);
    let files: Vec<TextFile> = files.map(|(path, text)| TextFile::new(*path, *text)).collect();
    Evidence::read(&files).unwrap()
}

/// A complete run in which these tests passed, on these servers.
fn ran(tests: &[(&str, &str, &str)], servers: &[&str]) -> Ran {
    let mut tally = Tally::default();
    for (owner, name, test) in tests {
        let program = tally.tests.entry(Program::new(owner, name)).or_default();
        program.insert((*test).to_owned(), Outcome::Passed);
    }
    let started = |(owner, ..): &(&str, &str, &str)| {
        ((*owner).to_owned(), servers.iter().map(|server| (*server).to_owned()).collect())
    };
    let servers = tests.iter().map(started).collect();
    let mut ran = Ran::default();
    ran.absorb(&tally, &Circumstances { tree: "1".into(), is_partial: false, servers });
    ran
}

fn grades(files: &[(&str, &str)], ran: &Ran) -> Vec<Grade> {
    judge(&evidence(files), ran).iter().map(|standing| standing.grade).collect()
}

fn finding(files: &[(&str, &str)], ran: &Ran) -> Finding {
    let evidence = evidence(files);
    let standings = judge(&evidence, ran);
    standings.iter().find_map(|standing| standing.witnesses.first()).unwrap().finding
}

const SERVER: &[&str] = &["etcd", "kube-apiserver"];

#[test]
fn nothing_is_proven_without_a_mark() {
    assert_eq!(grades(&[], &Ran::default()), [Grade::Unproven; 4]);
}

const API: [(&str, &str); 2] = [
    ("crates/a/tests/api/main.rs", "mod x;\n"),
    ("crates/a/tests/api/x.rs", "// proves: L-01\n#[test]\nfn holds() {}\n"),
];

#[test]
fn a_mark_counts_only_if_its_test_passed_in_the_recorded_run() {
    assert_eq!(grades(&API, &Ran::default())[0], Grade::Marked);
    assert_eq!(grades(&API, &ran(&[("a", "api", "x::holds")], SERVER))[0], Grade::Proven);
    assert_eq!(grades(&API, &ran(&[("a", "api", "x::other")], SERVER))[0], Grade::Marked);
}

#[test]
fn a_failed_an_ignored_and_a_partly_run_test_do_not_count() {
    let check = |outcome, is_partial, want_grade, want| {
        let tests = [("x::holds".to_owned(), outcome)].into();
        let tally = Tally { tests: [(Program::new("a", "api"), tests)].into(), ..Tally::default() };
        let mut ran = Ran::default();
        ran.absorb(&tally, &Circumstances { is_partial, ..Circumstances::default() });
        assert_eq!(grades(&API, &ran)[0], want_grade);
        assert_eq!(finding(&API, &ran), want);
    };
    check(Outcome::Failed, false, Grade::Failed, Finding::Failed);
    check(Outcome::Ignored, false, Grade::Marked, Finding::Ignored);
    check(Outcome::Passed, true, Grade::Marked, Finding::Partial);
}

#[test]
fn a_shelf_of_real_servers_needs_one_to_have_run() {
    let tests = [("a", "api", "x::holds")];
    assert_eq!(finding(&API, &ran(&tests, &["etcd"])), Finding::NoRealServer);
    assert_eq!(grades(&API, &ran(&tests, &[]))[0], Grade::Marked);
    let ovn = [("crates/a/tests/ovn/main.rs", "// proves: T-01\n#[test]\nfn pings() {}\n")];
    let tests = [("a", "ovn", "pings")];
    assert_eq!(finding(&ovn, &ran(&tests, SERVER)), Finding::NoRealServer);
    for server in ["ovsdb-server", "ovs-vswitchd", "ovn-northd"] {
        assert_eq!(finding(&ovn, &ran(&tests, &[server])), Finding::Passed, "{server}");
    }
}

#[test]
fn another_kind_of_shelf_proves_partly() {
    let files = [
        ("crates/a/src/lib.rs", "// proves: L-01, L-16\n#[test]\nfn low() {}\n"),
        ("crates/a/tests/node/main.rs", "// proves: T-01\n#[test]\nfn high() {}\n"),
    ];
    let ran = ran(&[("a", "unit", "low"), ("a", "node", "high")], &["kubelet", "ovn-northd"]);
    let want = [Grade::Partly, Grade::Proven, Grade::Partly, Grade::Unproven];
    assert_eq!(grades(&files, &ran), want);
}

#[test]
fn a_half_never_counts_as_proven() {
    let half = "// proves: L-01 half: the rest\n#[test]\nfn holds() {}\n";
    let files = [API[0], ("crates/a/tests/api/x.rs", half)];
    let tests = [("a", "api", "x::holds")];
    assert_eq!(grades(&files, &ran(&tests, SERVER))[0], Grade::Half);
    assert_eq!(grades(&files, &Ran::default())[0], Grade::Marked);
}

const FIGURES: &str = r#"{"date": "2026-11-18", "cores": 2, "rustc": "1", "figures": [
    {"name": "ready", "value": 5.5, "unit": "s", "goal": {"<=": 15}}]}"#;

#[test]
fn a_bench_is_proven_by_its_kept_figures() {
    let bench = ("crates/a/benches/many.rs", "// proves: X-13\n");
    let with = |figures: &str| grades(&[bench, ("docs/bench/many.json", figures)], &Ran::default());
    assert_eq!(grades(&[bench], &Ran::default())[3], Grade::Marked);
    assert_eq!(with(FIGURES)[3], Grade::Proven);
    assert_eq!(with(&FIGURES.replace("5.5", "15.5"))[3], Grade::Marked);
}

#[test]
fn a_test_with_a_bench_needs_both() {
    let text = "// proves: L-01 with bench sandbox\n#[test]\nfn holds() {}\n";
    let test = [API[0], ("crates/a/tests/api/x.rs", text)];
    let both = [test[0], test[1], ("docs/bench/sandbox.json", FIGURES)];
    let missed = FIGURES.replace("5.5", "16");
    let late = [test[0], test[1], ("docs/bench/sandbox.json", missed.as_str())];
    let ran = ran(&[("a", "api", "x::holds")], SERVER);
    assert_eq!(finding(&test, &ran), Finding::NoFigures);
    assert_eq!(finding(&late, &ran), Finding::GoalMissed);
    assert_eq!(finding(&both, &ran), Finding::Passed);
    assert_eq!(finding(&both, &Ran::default()), Finding::NotRun);
}

const SCENES: [(&str, &str); 3] = [
    ("crates/a/tests/api/main.rs", "mod scenes;\n"),
    ("crates/a/tests/api/scenes.rs", "mod nads;\nmod pods;\n"),
    ("crates/a/tests/api/scenes/nads.rs", "// proves: L-01\npub(super) async fn all(x: &Y) {}\n"),
];

#[test]
fn a_scene_is_proven_by_the_test_that_plays_it_on_a_real_server() {
    let check = |test: &str, want| {
        assert_eq!(grades(&SCENES, &ran(&[("a", "api", test)], SERVER))[0], want, "{test}");
    };
    check("controller::real::nads::all", Grade::Proven);
    check("real::nads::all", Grade::Proven);
    check("unreal::nads::all", Grade::Marked);
    check("real::pods::all", Grade::Marked);
    check("real::nads::all_of_them", Grade::Marked);
    check("real::nads::all::more", Grade::Marked);
}

#[test]
fn an_embedded_twin_does_not_count() {
    for test in ["controller::embedded::nads::all", "embedded::real::nads::all"] {
        assert_eq!(grades(&SCENES, &ran(&[("a", "api", test)], SERVER))[0], Grade::Marked);
    }
}

#[test]
fn a_scene_that_is_no_longer_played_lowers_the_count() {
    let played = [("a", "api", "real::nads::all"), ("a", "api", "real::nads::other")];
    assert_eq!(grades(&SCENES, &ran(&played, SERVER))[0], Grade::Proven);
    assert_eq!(grades(&SCENES, &ran(&played[1..], SERVER))[0], Grade::Marked);
}

fn check(path: &str, root: (&str, &str), program: (&str, &str), test: &str, want: Finding) {
    let text = "// proves: L-16\n#[test]\nfn free() {}\n";
    let mut files = vec![(path, text)];
    if root.0 != path {
        files.push(root);
    }
    let ran = ran(&[(program.0, program.1, test)], &[]);
    assert_eq!(finding(&files, &ran), want, "{path} {test}");
}

#[test]
fn a_test_is_found_by_crate_program_and_whole_path() {
    let (lib, unit) = (("crates/l/src/lib.rs", "mod pool;\n"), ("l", "unit"));
    check("crates/l/src/pool.rs", lib, unit, "pool::free", Finding::Passed);
    check("crates/l/src/lib.rs", lib, unit, "free", Finding::Passed);
    let (root, program) = (("crates/l/tests/property/main.rs", "mod pool;\n"), ("l", "property"));
    check("crates/l/tests/property/pool.rs", root, program, "pool::free", Finding::Passed);
}

#[test]
fn a_namesake_elsewhere_does_not_speak_for_it() {
    let (lib, unit) = (("crates/l/src/lib.rs", "mod pool;\n"), ("l", "unit"));
    let path = "crates/l/src/pool.rs";
    for test in ["free", "pool::tests::free", "pools::free", "a::pool::free", "pool::freed"] {
        check(path, lib, unit, test, Finding::NotRun);
    }
    check(path, lib, ("m", "unit"), "pool::free", Finding::NotRun);
    check(path, lib, ("l", "property"), "pool::free", Finding::NotRun);
}

#[test]
fn what_no_program_holds_does_not_count() {
    let lib = ("crates/l/src/lib.rs", "mod other;\n");
    check("crates/l/src/pool.rs", lib, ("l", "unit"), "pool::free", Finding::NoProgram);
}
