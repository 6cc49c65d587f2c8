use super::{Tree, check_lints, check_trees};
use crate::text_file::TextFile;
use crate::workspace::Member;

fn check(printed: &str, want: &[&str]) {
    let problems = check_trees(&[Tree::parse("ovsdb", printed)]);
    let found: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(found, want);
}

#[test]
fn plain_crates_are_pure() {
    check(
        "0ovsdb v0.0.0 (/tree/crates/ovsdb)\n1serde v1.0.1\n2serde_core v1.0.1\n1memchr v2.8.0\n",
        &[],
    );
}

#[test]
fn an_impure_crate_is_named_with_the_way_to_it() {
    check(
        "0ovsdb v0.0.0 (/tree)\n1serde v1.0.1\n1uuid v1.2.3\n2getrandom v0.3.1\n1log v0.4.1 (*)\n",
        &[
            "crates/ovsdb/Cargo.toml: a pure crate may not need randomness: ovsdb → uuid → getrandom",
            "crates/ovsdb/Cargo.toml: a pure crate may not need logging: ovsdb → log",
        ],
    );
}

fn lints(files: &[(&str, &str)]) -> Vec<String> {
    let member = |name: &str| Member {
        name: name.into(),
        id: String::new(),
        dependencies: vec![],
        targets: vec![],
    };
    let members = [member("ovsdb"), member("ovn"), member("ovsdb-net")];
    let files: Vec<TextFile> =
        files.iter().map(|(path, text)| TextFile::new(*path, *text)).collect();
    check_lints(&members, &files).iter().map(ToString::to_string).collect()
}

#[test]
fn pure_crates_share_one_list_of_lints() {
    assert_eq!(
        lints(&[("crates/ovsdb/clippy.toml", "a\n"), ("crates/ovn/clippy.toml", "a\n")]),
        [""; 0]
    );
    assert_eq!(
        lints(&[("crates/ovsdb/clippy.toml", "a\n"), ("crates/ovn/clippy.toml", "b\n")]),
        ["crates/ovn/clippy.toml: differs from crates/ovsdb/clippy.toml; change all or none"]
    );
    assert_eq!(
        lints(&[("crates/ovsdb/clippy.toml", "a\n")]),
        ["crates/ovn/clippy.toml: missing; copy crates/ovsdb/clippy.toml"]
    );
}
