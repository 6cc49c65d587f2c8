use super::{Evidence, closing_line, render_all, standing, to_json};
use crate::test::ran::Ran;
use crate::text_file::TextFile;

fn tree(mark: &str) -> [TextFile; 2] {
    let test = format!("// proves: {mark}\n#[test]\nfn holds() {{}}\n");
    [
        TextFile::new(
            "docs/requirements.md",
            "| L-01 | it holds | api |\n| L-16 | free | unit |\n",
        ),
        TextFile::new("crates/a/src/x/tests.rs", test),
    ]
}

#[test]
fn a_requirement_is_shown_with_its_tests() {
    let evidence = Evidence::read(&tree("L-01")).unwrap();
    let standings = standing::judge(&evidence.register, &evidence.proofs, &Ran::default());
    let shown: Vec<_> = standings.iter().collect();
    assert_eq!(
        render_all(&shown) + &closing_line(&standings),
        "L-01  partly    api     it holds\n      \
         ↳ unit      not run  crates/a/src/x/tests.rs:1 holds\n\
         L-16  unproven  unit    free\n\n\
         0 proven, 1 partly, 1 unproven, of 2\n"
    );
    assert_eq!(to_json(&standings[0])["tests"][0]["test"], "holds");
    assert_eq!(to_json(&standings[1])["grade"], "unproven");
}

#[test]
fn the_score_counts_what_is_wholly_proven() {
    assert_eq!(Evidence::read(&tree("L-01, L-16")).unwrap().score(), (1, 2));
}

#[test]
fn an_unreadable_mark_is_an_error_that_points_at_tidy() {
    let error = Evidence::read(&tree("L1")).unwrap_err();
    assert!(error.to_string().contains("cargo xtask tidy"));
}
