//! What a real kube-apiserver 1.35 answered to options of patches.

use super::{check_options, manager_of};

fn check(manager: &str, is_apply: Option<bool>, is_forced: Option<bool>, want: &str) {
    let answer = check_options("PatchOptions", manager, is_apply, is_forced);
    let message = answer.err().map(|refusal| refusal.message).unwrap_or_default();
    let prefix = "PatchOptions.meta.k8s.io \"\" is invalid: ";
    assert_eq!(message.strip_prefix(prefix).unwrap_or(&message), want);
}

#[test]
fn options_that_do_not_fit_are_refused() {
    check("", Some(true), None, "fieldManager: Required value: is required for apply patch");
    let force = "force: Forbidden: may not be specified for non-apply patch";
    check("m", Some(false), Some(true), force);
    let long = "fieldManager: Too long: may not be more than 128 bytes";
    check(&"a".repeat(129), Some(true), None, long);
    let odd = "fieldManager: Invalid value: \"a\\x01b\": invalid character U+0001 (at position 1)";
    check("a\u{1}b", Some(true), None, odd);
}

#[test]
fn options_that_fit_pass() {
    check("m", Some(true), Some(true), "");
    check("", Some(false), None, "");
    check(&"a".repeat(128), None, None, "");
}

#[test]
fn an_unnamed_manager_is_called_as_its_user_agent() {
    assert_eq!(manager_of("", "kubectl/v1.35 (linux)"), "kubectl");
    assert_eq!(manager_of("asked", "kubectl/v1.35"), "asked");
    assert_eq!(manager_of("", &format!("a\u{1}{}", "b".repeat(200))).len(), 128);
}
