use super::find;
use crate::shelf::Shelf;
use crate::text_file::TextFile;

fn check(path: &str, text: &str, proofs: &[(&str, Shelf, &str)], bad: &[(usize, &str)]) {
    let (found, marks) = find(&[TextFile::new(path, text)]);
    let found: Vec<(&str, Shelf, &str)> =
        found.iter().map(|p| (p.id.as_str(), p.shelf, p.test.as_str())).collect();
    assert_eq!(found, proofs, "{text}");
    let marks: Vec<(usize, &str)> = marks.iter().map(|m| (m.line, m.reason.as_str())).collect();
    assert_eq!(marks, bad, "{text}");
}

#[test]
fn a_mark_above_a_test_is_a_proof_of_each_id() {
    check(
        "crates/ovn/tests/ovn_gateway.rs",
        "// proves: T-01, T-02\n#[test]\nfn gateway_is_the_same() {}\n",
        &[("T-01", Shelf::Ovn, "gateway_is_the_same"), ("T-02", Shelf::Ovn, "gateway_is_the_same")],
        &[],
    );
}

#[test]
fn attributes_and_comments_may_stand_between() {
    check(
        "crates/udn-ledger/src/pool/tests.rs",
        "    /// Says why.\n    // proves: L-16\n    // A range.\n    #[tokio::test(flavor = \"x\")]\n    \
         #[cfg(unix)]\n    async fn excluded(x: u8) {}\n",
        &[("L-16", Shelf::Unit, "excluded")],
        &[],
    );
}

#[test]
fn a_bench_carries_its_mark_anywhere() {
    check(
        "crates/ovn/benches/compare.rs",
        "//! Compares.\n// proves: X-13\nuse std::time;\n",
        &[("X-13", Shelf::Bench, "compare")],
        &[],
    );
}

#[test]
fn a_mark_that_proves_nothing_is_a_problem() {
    let nothing_below = "it does not stand right above a test function";
    let path = "crates/ovn/src/plan/tests.rs";
    check(path, "// proves: T-01\nfn rows() {}\n", &[], &[(1, nothing_below)]);
    check(path, "// proves: T-01\n\n#[test]\nfn rows() {}\n", &[], &[(1, nothing_below)]);
    check(path, "// proves: T-01\n", &[], &[(1, nothing_below)]);
    let bad_id = "`T1` is not an id such as L-07";
    check(path, "// proves: T1\n#[test]\nfn rows() {}\n", &[], &[(1, bad_id)]);
    let text = "// proves: T-01\n#[test]\nfn rows() {}\n";
    check("crates/ovn/tests/rows.rs", text, &[], &[(1, "the file's name tells no shelf")]);
}
