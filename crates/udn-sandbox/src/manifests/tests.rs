//! Folders by example.

use std::fs;

use super::Manifests;

/// Compares the objects of a file, and its problems, with what is wanted.
fn check(text: &str, objects: &[&str], problems: &[&str]) {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("all.yaml");
    fs::write(&path, text).expect("a file can be written");
    let read = Manifests::read(folder.path()).expect("the folder can be read");
    let got = read.objects.iter().map(|it| format!("{} {}/{}", it.kind, it.namespace(), it.name()));
    assert_eq!(got.collect::<Vec<_>>(), objects);
    let got = read.problems.iter().map(ToString::to_string);
    let prefix = format!("{}:", path.display());
    assert_eq!(got.map(|it| it.replace(&prefix, "")).collect::<Vec<_>>(), problems);
}

#[test]
fn namespaces_and_nodes_come_first() {
    check(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: b}\n---\n\
         apiVersion: v1\nkind: Namespace\nmetadata: {name: b}\n---\n\
         apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n---\n\
         apiVersion: v1\nkind: Node\nmetadata: {name: d}\n",
        &["Namespace /b", "Node /d", "Pod b/a", "ConfigMap /c"],
        &[],
    );
}

#[test]
fn what_is_wrong_has_a_place_and_costs_no_other() {
    check(
        "apiVersion: v1\nkind: Node\nmetadata: {name: a}\n---\n\
         apiVersion: v1\nkind: Node\nmetadata: {name: a}\n---\n\
         apiVersion: v1\nkind: Node\nmetadata:\n  name: [b\n---\n\
         apiVersion: v1\nkind: ConfigMap\nmetadata: {}\n---\n\
         apiVersion: v1\nkind: Node\nmetadata: {name: c}\n",
        &["Node /a", "Node /c"],
        &[
            "4: Node a appears a second time; remove one of the two (document 2)",
            "12: cannot be read: unclosed bracket '['; mend the document (document 3)",
            "13: ConfigMap has no metadata.name; give it one (document 4)",
        ],
    );
}

#[test]
fn a_server_may_refuse_a_field_of_an_item() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let text = "apiVersion: v1\nkind: List\nitems:\n\
                - apiVersion: v1\n  kind: Pod\n  metadata: {name: a}\n  spec:\n    nodeName: b\n";
    fs::write(folder.path().join("all.yaml"), text).expect("a file can be written");
    let read = Manifests::read(folder.path()).expect("the folder can be read");
    let steps = udn_manifest::manifest::Step::parse_path("spec.nodeName");
    let problem = read.objects[0].problem(&steps, "is refused".to_owned());
    assert_eq!((problem.line, problem.message.as_str()), (8, "item 1: is refused"));
}
