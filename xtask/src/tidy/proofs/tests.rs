use super::check;
use crate::text_file::TextFile;

fn judge(register: &str, mark: &str) -> Vec<String> {
    let test = format!("// proves: {mark}\n#[test]\nfn holds() {{}}\n");
    let files = [
        TextFile::new("docs/requirements.md", register),
        TextFile::new("crates/ovn/src/lib.rs", "mod plan;\n"),
        TextFile::new("crates/ovn/src/plan.rs", test),
    ];
    check(&files).iter().map(ToString::to_string).collect()
}

#[test]
fn a_proof_of_a_known_requirement_is_in_order() {
    assert_eq!(judge("| T-01 | same | ovn |\n", "T-01"), [""; 0]);
}

#[test]
fn a_proof_of_an_unknown_requirement_is_a_problem() {
    assert_eq!(
        judge("| T-01 | same | ovn |\n", "T-01, T-99"),
        ["crates/ovn/src/plan.rs:1: T-99 is not in docs/requirements.md; \
          mend the id or remove the mark"]
    );
}

#[test]
fn bad_rows_and_bad_marks_are_problems() {
    assert_eq!(
        judge("| T-01 | same | attic |\n", "T1"),
        [
            "docs/requirements.md:1: T-01 names no known shelf: `attic`",
            "crates/ovn/src/plan.rs:1: this `proves` mark proves nothing: \
             `T1` is not an id such as L-07",
        ]
    );
}

#[test]
fn a_tree_without_a_register_is_a_problem() {
    assert!(check(&[])[0].to_string().contains("docs/requirements.md: missing"));
}

#[test]
fn a_half_says_what_is_missing() {
    let register = "| T-01 | same | ovn |\n";
    assert_eq!(judge(register, "T-01 half: packets"), [""; 0]);
    assert!(judge(register, "T-01 half")[0].contains("a half says what is missing"));
}

#[test]
fn a_mark_in_a_file_that_no_program_holds_is_a_problem() {
    let files = [
        TextFile::new("docs/requirements.md", "| T-01 | same | ovn |\n"),
        TextFile::new("crates/ovn/tests/ovn/main.rs", "mod other;\n"),
        TextFile::new("crates/ovn/tests/ovn/ping.rs", "// proves: T-01\n#[test]\nfn a() {}\n"),
    ];
    assert_eq!(
        check(&files)[0].to_string(),
        "crates/ovn/tests/ovn/ping.rs:1: no test program holds this file; \
         declare it as a module of one"
    );
}
