use super::{find, list};

const BENCHES: [(&str, &str); 3] = [("ovsdb-net", "ovsdb"), ("ovn", "compare"), ("udn", "compare")];

#[test]
fn a_bench_is_found_by_its_name() {
    assert_eq!(find(&BENCHES, "ovsdb").unwrap(), "ovsdb-net");
}

#[test]
fn an_unknown_bench_is_answered_with_the_list() {
    let error = find(&BENCHES, "nothing").unwrap_err().to_string();
    assert!(error.contains("no bench `nothing`") && error.contains("cargo xtask bench ovsdb"));
}

#[test]
fn two_benches_of_one_name_are_refused() {
    assert!(find(&BENCHES, "compare").unwrap_err().to_string().contains("rename one"));
}

#[test]
fn an_empty_list_says_where_benches_go() {
    assert!(list(&[]).contains("benches/<name>.rs"));
}
