//! The examples are those of the repository, and fit clusters of one family too.

use udn_model::Family;

use super::{Example, FIRST_LIGHT, KUBERNETES, of_families};

#[test]
fn the_examples_are_whole() {
    check(&FIRST_LIGHT);
    check(&KUBERNETES);
}

fn check(example: &Example) {
    let folder = format!("{}/../../examples/{}", env!("CARGO_MANIFEST_DIR"), example.folder);
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .expect("the example is there")
        .map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".yaml"))
        .collect();
    names.sort();
    assert_eq!(names, example.files.iter().map(|(name, _)| *name).collect::<Vec<_>>());
}

#[test]
fn subnets_of_other_families_are_left_out() {
    let text =
        "subnets:\n  - 10.20.0.0/16\n  - fd20::/64\n  - cidr: fd30::/48\nimage: a/b:1\n- a/b\n";
    let check = |families: &[Family], want: &str| assert_eq!(of_families(text, families), want);
    check(&Family::BOTH, text);
    check(&[Family::V4], "subnets:\n  - 10.20.0.0/16\nimage: a/b:1\n- a/b\n");
    check(&[Family::V6], "subnets:\n  - fd20::/64\n  - cidr: fd30::/48\nimage: a/b:1\n- a/b\n");
    for (_, text) in KUBERNETES.files {
        assert!(!of_families(text, &[Family::V4]).contains("fd"), "{text}");
        assert!(!of_families(text, &[Family::V6]).contains("10."), "{text}");
    }
}
