//! What is shown of steps that are under way.

use std::collections::BTreeMap;

use super::{WIDTH, under_way};

fn check(steps: &[(&str, &str)], want: &str) {
    let open: BTreeMap<String, String> =
        steps.iter().map(|(step, detail)| ((*step).to_owned(), (*detail).to_owned())).collect();
    assert_eq!(under_way(&open), want);
}

#[test]
fn all_steps_are_named_with_how_far_they_are() {
    check(&[], "");
    check(&[("etcd", "")], "  … etcd");
    check(&[("node1", ""), ("pods", "1 of 2")], "  … node1; pods: 1 of 2");
}

#[test]
fn what_would_wrap_is_cut_between_letters() {
    let long = "ü".repeat(WIDTH);
    check(&[(&long, "")], &format!("  … {}…", "ü".repeat(WIDTH - 4)));
}
