use super::{MARK, find};
use crate::shelf::Shelf;
use crate::text_file::TextFile;

/// What is found in a tree, as lines: program, which tests, and what each draws.
fn check(files: &[(&str, &str)], want: &[&str]) {
    let files: Vec<TextFile> =
        files.iter().map(|(path, text)| TextFile::new(*path, text.replace('~', MARK))).collect();
    let (programs, bad) = find(&files);
    assert_eq!(bad, []);
    let mut lines = Vec::new();
    for found in programs {
        let only = found
            .only
            .map_or("all".to_owned(), |only| only.into_iter().collect::<Vec<_>>().join(" "));
        lines.push(format!("{}: {only}", found.program));
        for (name, test) in found.tests {
            lines.push(format!("  {name}: {:?}", test.cases));
        }
    }
    assert_eq!(lines, want);
}

#[test]
fn every_test_of_the_property_shelf_is_random() {
    check(
        &[
            ("crates/a/tests/property/main.rs", "mod one;\nmod two;\n"),
            (
                "crates/a/tests/property/one.rs",
                "proptest! {\n#![proptest_config(config(1_000))]\n#[test]\nfn x(a in b()) {}\n}\n\
                 mod inner { proptest! { #[test] fn y(a in b()) {} } }\n#[test]\nfn z() {}\n",
            ),
            (
                "crates/a/tests/property/two.rs",
                "fn config() { Config { cases: 40, ..d() } }\n\
                 proptest! {\n#![proptest_config(config())]\n#[test]\nfn x(a in b()) {}\n}\n",
            ),
        ],
        &[
            "a property: all",
            "  one::inner::y: Some(256)",
            "  one::x: Some(1000)",
            "  two::x: Some(40)",
        ],
    );
}

#[test]
fn elsewhere_a_test_is_random_by_its_mark() {
    check(
        &[
            ("crates/a/tests/fault/main.rs", "mod stories;\n#[test]\nfn other() {}\n"),
            (
                "crates/a/tests/fault/stories.rs",
                "~UDN_SEED\n// proves: X-04\n#[test]\nfn all() {}\n",
            ),
            (
                "crates/a/src/lib.rs",
                "mod tests {\nproptest! {\n~PROPTEST_RNG_SEED\n#[test]\nfn law(a in b()) {}\n}\n}\n",
            ),
        ],
        &[
            "a fault: stories::all",
            "  stories::all: None",
            "a unit: tests::law",
            "  tests::law: Some(256)",
        ],
    );
}

#[test]
fn a_mark_that_means_nothing_is_told() {
    let bad = |text: &str| {
        let file = TextFile::new("crates/a/tests/ovn/main.rs", text.replace('~', MARK));
        assert_eq!(Shelf::of_file(&file), Some(Shelf::Ovn));
        find(&[file]).1.remove(0).reason
    };
    assert_eq!(bad("~UDN_SEED\nfn it() {}\n"), "it does not stand right above a test function");
    assert!(bad("~SEED\n#[test]\nfn it() {}\n").contains("names neither UDN_SEED"));
}
