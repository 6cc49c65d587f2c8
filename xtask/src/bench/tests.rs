use super::{figures, find, list};

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

#[test]
fn figures_are_read_from_what_a_bench_prints() {
    let lines = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
    let found = figures(&lines(&["ready", "figure: ready 5.5 s goal <= 15", "done"])).unwrap();
    assert_eq!(found.len(), 1);
    let error = figures(&lines(&["figure: ready s"])).unwrap_err();
    assert!(error.to_string().contains("figure: ready s"), "{error}");
}
