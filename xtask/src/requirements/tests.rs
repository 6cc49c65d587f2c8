use super::{Evidence, caution, check, closing_line, render_all, score, standing, to_json};
use crate::program::Program;
use crate::test::libtest::{Outcome, Tally};
use crate::test::ran::{Circumstances, Gap, Ran};
use crate::text_file::TextFile;
use crate::verdict::Verdict;

fn tree(mark: &str) -> [TextFile; 2] {
    let test = format!("// proves: {mark}\n#[test]\nfn holds() {{}}\n");
    [
        TextFile::new(
            "docs/requirements.md",
            "| L-01 | it holds | api |\n| L-16 | free | unit |\n",
        ),
        TextFile::new("crates/a/src/lib.rs", test),
    ]
}

fn ran() -> Ran {
    let tests = [("holds".to_owned(), Outcome::Passed)].into();
    let tally = Tally { tests: [(Program::new("a", "unit"), tests)].into(), ..Tally::default() };
    let mut ran = Ran::default();
    ran.absorb(&tally, &Circumstances { tree: "1".into(), ..Circumstances::default() });
    ran
}

#[test]
fn a_requirement_is_shown_with_its_tests() {
    let evidence = Evidence::read(&tree("L-01")).unwrap();
    let standings = standing::judge(&evidence, &ran());
    let shown: Vec<_> = standings.iter().collect();
    assert_eq!(
        render_all(&shown) + &closing_line(&standings),
        "L-01  partly    api     it holds\n      \
         ↳ unit      passed   crates/a/src/lib.rs:1 holds\n\
         L-16  unproven  unit    free\n\n\
         0 proven, 0 half, 1 partly, 0 marked but not run, 1 unproven, of 2\n"
    );
    assert_eq!(to_json(&standings[0])["tests"][0]["test"], "holds");
    assert_eq!(to_json(&standings[1])["grade"], "unproven");
}

#[test]
fn the_reason_stands_beside_a_test_and_a_half_tells_what_is_missing() {
    let evidence = Evidence::read(&tree("L-16 half: the rest")).unwrap();
    let standings = standing::judge(&evidence, &Ran::default());
    let text = render_all(&standings.iter().collect::<Vec<_>>()) + &closing_line(&standings);
    assert!(text.contains("L-16  not run   unit    free\n"), "{text}");
    assert!(text.contains("not run  crates/a/src/lib.rs:1 holds  half: the rest\n"), "{text}");
    assert!(text.contains("1 marked but not run, 1 unproven, of 2"), "{text}");
}

#[test]
fn a_failure_is_counted_by_itself() {
    let evidence = Evidence::read(&tree("L-16")).unwrap();
    let tests = [("holds".to_owned(), Outcome::Failed)].into();
    let tally = Tally { tests: [(Program::new("a", "unit"), tests)].into(), ..Tally::default() };
    let mut ran = Ran::default();
    ran.absorb(&tally, &Circumstances::default());
    let line = closing_line(&standing::judge(&evidence, &ran));
    assert!(line.contains("1 FAILED, 0 marked but not run, 1 unproven"), "{line}");
}

#[test]
fn the_readme_must_say_what_the_run_shows() {
    let evidence = Evidence::read(&tree("L-01, L-16")).unwrap();
    let standings = standing::judge(&evidence, &ran());
    assert_eq!(score(&standings), "1/2");
    let readme = |number| format!("<!-- requirements -->{number}<!-- /requirements -->");
    let judge = |number, gap| check(&readme(number), &standings, gap).unwrap();
    assert_eq!(judge("1/2", None), Verdict::Pass);
    assert_eq!(judge("2/2", None), Verdict::Fail);
    assert_eq!(judge("1/2", Some(Gap::NotWhole("partial".into()))), Verdict::Fail);
    assert_eq!(judge("2/2", Some(Gap::Skipped("ovn: no root".into()))), Verdict::Unchecked);
}

#[test]
fn a_run_of_another_tree_is_told() {
    assert!(caution(&Ran::default(), "1").contains("no run is recorded"));
    assert_eq!(caution(&ran(), "1"), "");
    assert!(caution(&ran(), "2").contains("of another tree"));
}

#[test]
fn an_unreadable_mark_is_an_error_that_points_at_tidy() {
    let error = Evidence::read(&tree("L1")).unwrap_err();
    assert!(error.to_string().contains("cargo xtask tidy"));
}
