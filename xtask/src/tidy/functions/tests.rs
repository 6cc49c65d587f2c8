use super::check;
use crate::text_file::TextFile;
use crate::tidy::source::parse_all;

fn judge(path: &str, text: &str) -> Vec<String> {
    let files = [TextFile::new(path, text)];
    check(&parse_all(&files).0).iter().map(ToString::to_string).collect()
}

/// A function whose braces span `lines` lines.
fn function(lines: usize) -> String {
    format!("/// Free.\nfn work() {{\n{}}}\n", "    step();\n".repeat(lines - 2))
}

#[test]
fn a_function_at_the_cap_is_in_order_and_one_line_more_is_not() {
    assert_eq!(judge("crates/ovn/src/plan.rs", &function(60)), [""; 0]);
    assert_eq!(
        judge("crates/ovn/src/plan.rs", &function(61)),
        ["crates/ovn/src/plan.rs:2: `work` has 61 lines, the most is 60; divide it"]
    );
}

#[test]
fn methods_and_provided_methods_count_too() {
    for frame in ["impl Plan { BODY }", "trait Plan { BODY }", "mod inner { BODY }"] {
        let text = frame.replace("BODY", &function(61));
        assert_eq!(judge("crates/ovn/src/plan.rs", &text).len(), 1, "{frame}");
    }
}

#[test]
fn test_and_generated_code_may_be_long() {
    let inline = format!("#[cfg(test)]\nmod tests {{ {} }}", function(90));
    assert_eq!(judge("crates/ovn/src/plan.rs", &inline), [""; 0]);
    assert_eq!(judge("crates/ovn/src/plan/tests.rs", &function(90)), [""; 0]);
    assert_eq!(judge("crates/ovn/tests/ovn_plan.rs", &function(90)), [""; 0]);
    assert_eq!(judge("crates/ovn/src/generated/nb.rs", &function(90)), [""; 0]);
}

#[test]
fn lib_holds_no_function_bodies() {
    assert_eq!(judge("crates/ovn/src/lib.rs", "pub mod plan;\npub use plan::Plan;\n"), [""; 0]);
    let problems = judge("crates/ovn/src/lib.rs", "impl A { fn work() {} }\n");
    assert_eq!(
        problems,
        ["crates/ovn/src/lib.rs:1: lib.rs holds no logic; move `work` into a module"]
    );
}
