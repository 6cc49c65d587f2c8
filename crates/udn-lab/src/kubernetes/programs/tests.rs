//! Which versions are taken from the host, and that all say the same version.

use super::*;

fn check(text: &str, want: bool) {
    assert_eq!(is_wanted(text), want, "{text}");
}

#[test]
fn only_the_wanted_minor_version_is_taken() {
    check("Kubernetes v1.35.4", true);
    check("Kubernetes v1.35.0-rc.1", true);
    check("Client Version: v1.35.4\nKustomize Version: v5.7.1", true);
    check("Kubernetes v1.34.4", false);
    check("Kubernetes v1.350.0", false);
    check("Client Version: v1.28.9\nKustomize Version: v1.35.1", false);
    check("", false);
}

#[test]
fn the_version_is_the_one_the_module_asks_for() {
    let module = include_str!("../../../../../tools/kubernetes/go.mod");
    assert!(module.contains(&format!("k8s.io/kubernetes {VERSION}\n")));
    assert!(VERSION.starts_with(&format!("v1.{MINOR}.")));
}

#[test]
fn every_program_of_the_module_is_in_a_digest() {
    let commands = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/kubernetes/cmd");
    for entry in std::fs::read_dir(commands).unwrap() {
        let main = std::fs::read_to_string(entry.unwrap().path().join("main.go")).unwrap();
        let mut known = SOURCES.iter().chain(NODE_SOURCES);
        assert!(known.any(|source| *source == main), "not in a digest:\n{main}");
    }
}
