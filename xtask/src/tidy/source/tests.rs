use super::parse_all;
use crate::text_file::TextFile;

fn check(path: &str, text: &str, want: (usize, &[&str])) {
    let files = [TextFile::new(path, text)];
    let (sources, problems) = parse_all(&files);
    let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_eq!((sources.len(), problems.len()), (want.0, want.1.len()), "{path}: {problems:?}");
    for (problem, start) in problems.iter().zip(want.1) {
        assert!(problem.starts_with(start), "{problem}");
    }
}

#[test]
fn product_code_is_parsed() {
    check("crates/ovn/src/plan.rs", "fn work() {}\n", (1, &[]));
    check("crates/ovn/src/generated/nb.rs", "fn work() {}\n", (1, &[]));
}

#[test]
fn tests_and_other_files_are_left_out() {
    check("crates/ovn/src/plan/tests.rs", "fn work( {\n", (0, &[]));
    check("crates/ovn/tests/ovn_plan.rs", "fn work( {\n", (0, &[]));
    check("docs/plan.md", "fn work( {\n", (0, &[]));
}

#[test]
fn a_file_that_does_not_parse_is_told() {
    let start = "crates/ovn/src/plan.rs:1: cannot be parsed: ";
    check("crates/ovn/src/plan.rs", "fn work( {\n", (0, &[start]));
}
