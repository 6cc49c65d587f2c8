use super::{Subject, find};
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
        "crates/ovn/tests/ovn/gateway.rs",
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
fn a_bench_in_a_folder_is_known_by_it() {
    let text = "// proves: X-13\n";
    check("crates/ovn/benches/many/main.rs", text, &[("X-13", Shelf::Bench, "many")], &[]);
}

#[test]
fn a_scene_carries_marks_where_a_program_plays_it() {
    let text = "/// Says.\n// proves: L-10\npub(super) async fn of_every(site: &Site) {}\n";
    let path = "crates/udn-control/tests/api/scenes/nads.rs";
    check(path, text, &[("L-10", Shelf::Api, "of_every")], &[]);
    let (found, _) = find(&[TextFile::new(path, text)]);
    assert_eq!(found[0].subject, Subject::Scene);
    check("crates/udn-control/src/nads.rs", text, &[], &[(2, NOTHING_BELOW)]);
}

#[test]
fn modules_inside_the_file_are_known() {
    let text = "mod a {\n    mod b {\n        // proves: L-10\n        #[test]\n        \
                fn it() {}\n    }\n}\nmod c {}\n";
    let (found, bad) = find(&[TextFile::new("crates/udn/tests/api/main.rs", text)]);
    assert_eq!(bad, []);
    assert_eq!(found[0].inline, ["a", "b"]);
}

#[test]
fn a_twin_on_the_embedded_server_carries_no_mark() {
    let refused = "the embedded server is not the real one; mark its twin";
    let test = "// proves: L-10\n#[test]\nfn it() {}\n";
    check("crates/udn/tests/api/embedded.rs", test, &[], &[(1, refused)]);
    check("crates/udn/tests/api/embedded/nads.rs", test, &[], &[(1, refused)]);
    let inline = format!("mod embedded {{\n{test}}}\n");
    check("crates/udn/tests/api/nads.rs", &inline, &[], &[(2, refused)]);
    check("crates/kube-embedded/tests/api/x.rs", test, &[("L-10", Shelf::Api, "it")], &[]);
    check("crates/kube-schema/src/embedded/tests.rs", test, &[("L-10", Shelf::Unit, "it")], &[]);
}

#[test]
fn an_umbrella_is_refused() {
    let path = "crates/udn/tests/api/x.rs";
    let marks = |first: &str| {
        let text =
            format!("// proves: {first}\n// proves: L-04, L-05, L-06\n#[test]\nfn it() {{}}\n");
        find(&[TextFile::new(path, text)]).1
    };
    assert_eq!(marks("L-01, L-02, L-03"), []);
    let bad = marks("L-01, L-02, L-03, L-07");
    assert_eq!(bad[0].line, 1);
    assert_eq!(
        bad[0].reason,
        "7 ids on one test are an umbrella: put the marks on what shows the lines"
    );
}

const NOTHING_BELOW: &str = "it does not stand right above a test function or a scene";

#[test]
fn a_mark_that_proves_nothing_is_a_problem() {
    let path = "crates/ovn/src/plan/tests.rs";
    check(path, "// proves: T-01\nfn rows() {}\n", &[], &[(1, NOTHING_BELOW)]);
    check(path, "// proves: T-01\n\n#[test]\nfn rows() {}\n", &[], &[(1, NOTHING_BELOW)]);
    check(path, "// proves: T-01\n", &[], &[(1, NOTHING_BELOW)]);
    let bad_id = "`T1` is not an id such as L-07";
    check(path, "// proves: T1\n#[test]\nfn rows() {}\n", &[], &[(1, bad_id)]);
    let text = "// proves: T-01\n#[test]\nfn rows() {}\n";
    check("crates/ovn/tests/rows.rs", text, &[], &[(1, "the file's place tells no shelf")]);
}
