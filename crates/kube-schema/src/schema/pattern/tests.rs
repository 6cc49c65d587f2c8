//! Patterns whose meaning differs between Go and Rust.

use super::Pattern;

fn check(pattern: &str, text: &str, want: bool) {
    let compiled = Pattern::new(pattern).expect("the pattern compiles");
    assert_eq!(compiled.is_match(text), want, "{pattern:?} on {text:?}");
    assert_eq!(compiled.as_str(), pattern);
}

#[test]
fn classes_are_ascii_as_in_go() {
    check(r"^\d+$", "123", true);
    check(r"^\d+$", "١٢٣", false);
    check(r"^\w+$", "é", false);
    check(r"^\W$", "é", true);
    check(r"^[\w.]+$", "a.b_9", true);
    check(r"^[^\d]+$", "١", true);
    check(r"^[\D]$", "1", false);
    check(r"^\s$", "\u{a0}", false);
    check(r"^\s$", "\u{b}", false);
    check(r"a\b", "aé", true);
    check(r"^[[:alpha:]-]+$", "a-b", true);
}

#[test]
fn brackets_and_operators_are_themselves() {
    check(r"^[a&&b]+$", "&a", true);
    check(r"^[[a]+$", "[a", true);
    check(r"^[]a]+$", "]a", true);
    check(r"^[^]a]$", "]", false);
    check(r"^[a~~b]+$", "~", true);
    check(r"^[+--]+$", "+,-", true);
    check(r"^\Qa.b\E$", "a.b", true);
    check(r"^\Qa.b\E$", "axb", false);
    check(r"x\]y", "x]y", true);
}

#[test]
fn what_go_refuses_is_refused() {
    for pattern in ["(", "a**", "[z-a]", r"(?=a)", r"\1", "\\"] {
        assert!(Pattern::new(pattern).is_err(), "{pattern:?}");
    }
}
