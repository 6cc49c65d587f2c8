use super::{MOST_LINES, check};
use crate::text_file::TextFile;

fn judge(path: &str, text: &str) -> Vec<String> {
    check(&[TextFile::new(path, text)]).iter().map(ToString::to_string).collect()
}

fn long() -> String {
    format!("//! Long.\n{}", "\n".repeat(MOST_LINES))
}

#[test]
fn a_plain_module_is_in_order() {
    assert_eq!(judge("crates/ovn/src/plan.rs", "//! Plans.\n\nuse a;\n"), [""; 0]);
}

#[test]
fn a_module_opens_with_its_header() {
    let problem = "crates/ovn/src/plan.rs:1: no `//!` header; say what it does, reads and returns";
    assert_eq!(judge("crates/ovn/src/plan.rs", "use a;\n//! Late.\n"), [problem]);
    assert_eq!(judge("crates/ovn/src/plan.rs", ""), [problem]);
    assert_eq!(judge("crates/ovn/src/plan/tests.rs", "use super::x;\n"), [""; 0]);
    assert_eq!(judge("crates/ovn/tests/ovn_x.rs", "use ovn;\n").len(), 1);
}

#[test]
fn a_long_file_is_split_unless_it_is_test_or_generated_code() {
    let problems = judge("crates/ovn/src/plan.rs", &long());
    assert_eq!(
        problems,
        ["crates/ovn/src/plan.rs: 501 lines, the most is 500; split it by what it decides"]
    );
    assert_eq!(judge("crates/ovn/src/plan/tests.rs", &long()), [""; 0]);
    assert_eq!(judge("crates/ovn/tests/ovn_plan.rs", &long()), [""; 0]);
    assert_eq!(judge("crates/ovn/src/generated/nb.rs", &long()), [""; 0]);
    assert_eq!(judge("xtask/src/gen/tables.rs", &long()).len(), 1);
}

#[test]
fn names_say_what_is_inside() {
    let text = "//! X.\n";
    assert!(judge("crates/ovn/src/plan/mod.rs", text)[0].contains("move it to plan.rs"));
    for path in ["src/util.rs", "src/helpers/x.rs", "src/common.rs", "tests/misc.rs"] {
        let problems = judge(&format!("crates/ovn/{path}"), text);
        assert!(problems.len() == 1 && problems[0].contains("says nothing"), "{path}");
    }
}

#[test]
fn files_of_other_kinds_are_left_alone() {
    assert_eq!(judge("docs/common.md", "text\n"), [""; 0]);
}
