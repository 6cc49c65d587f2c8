//! Errors of metadata.

use serde_json::{Value, json};

use super::{NameRule, object, update};
use crate::definition::Scope;
use crate::metadata::Metadata;
use crate::path::Path;

fn check(metadata: Value, scope: Scope, want: &[&str]) {
    let holder = json!({"metadata": metadata});
    let at = Path::of_fields(["metadata"]);
    let found = object(Metadata::of(&holder), scope, NameRule::Subdomain, &at);
    let texts: Vec<String> = found.iter().map(ToString::to_string).collect();
    let shorts: Vec<&str> = texts.iter().map(|it| it.split(" (").next().unwrap()).collect();
    assert_eq!(shorts, want);
}

fn check_update(new: Value, old: Value, want: &[&str]) {
    let (new, old) = (json!({"metadata": new}), json!({"metadata": old}));
    let found = update(Metadata::of(&new), Metadata::of(&old), &Path::of_fields(["metadata"]));
    let texts: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert_eq!(texts, want);
}

#[test]
fn names_and_namespaces() {
    check(json!({"name": "a"}), Scope::Cluster, &[]);
    check(json!({"name": "a", "namespace": "b"}), Scope::Namespaced, &[]);
    let want = ["metadata.name: Required value: name or generateName is required"];
    check(json!({}), Scope::Cluster, &want);
    check(json!({"name": "a"}), Scope::Namespaced, &["metadata.namespace: Required value"]);
    let want = ["metadata.namespace: Forbidden: not allowed on this type"];
    check(json!({"name": "a", "namespace": "b"}), Scope::Cluster, &want);
    let want = ["metadata.namespace: Invalid value: \"b.c\": must not contain dots"];
    check(json!({"name": "a", "namespace": "b.c"}), Scope::Namespaced, &want);
    let shape = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric \
                 characters, '-' or '.', and must start and end with an alphanumeric character";
    let want = [&*format!("metadata.name: Invalid value: \"A\": {shape}")];
    check(json!({"name": "A"}), Scope::Cluster, &want);
    let want = [&*format!("metadata.generateName: Invalid value: \"A-\": {shape}")];
    check(json!({"name": "a", "generateName": "A-"}), Scope::Cluster, &[]);
    check(
        json!({"name": "a", "generateName": "Ax-"}),
        Scope::Cluster,
        &[&want[0].replace("A-", "Ax-")],
    );
}

#[test]
fn labels_and_annotations() {
    let metadata = json!({"name": "a", "labels": {"x": "b c"}, "annotations": {"A/B/C": ""}});
    let want = [
        "metadata.labels: Invalid value: \"b c\": a valid label must be an empty string or consist \
         of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric \
         character",
        "metadata.annotations: Invalid value: \"A/B/C\": a valid label key must consist of \
         alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric \
         character",
    ];
    check(metadata, Scope::Cluster, &want);
    let large = json!({"name": "a", "annotations": {"x": "y".repeat(256 * 1024)}});
    let want = ["metadata.annotations: Too long: may not be more than 262144 bytes"];
    check(large, Scope::Cluster, &want);
}

#[test]
fn owners_and_finalizers() {
    let owner = |name: &str| json!({"apiVersion": "v1", "kind": "Pod", "name": name, "uid": "u", "controller": true});
    let metadata = json!({"name": "a", "ownerReferences": [owner("x"), owner("y")]});
    let want = [concat!(
        "metadata.ownerReferences: Invalid value: [",
        r#"{"apiVersion":"v1","kind":"Pod","name":"x","uid":"u","controller":true},"#,
        r#"{"apiVersion":"v1","kind":"Pod","name":"y","uid":"u","controller":true}]: "#,
        r#"Only one reference can have Controller set to true. Found "true" in references for "#,
        "Pod/x and Pod/y",
    )];
    check(metadata, Scope::Cluster, &want);
    let event = json!({"apiVersion": "v1", "kind": "Event", "name": "", "uid": ""});
    let want = [
        "metadata.ownerReferences.name: Invalid value: \"\": must not be empty",
        "metadata.ownerReferences.uid: Invalid value: \"\": must not be empty",
        "metadata.ownerReferences: Invalid value: \
         {\"apiVersion\":\"v1\",\"kind\":\"Event\",\"name\":\"\",\"uid\":\"\"}: \
         /v1, Kind=Event is disallowed from being an owner",
    ];
    check(json!({"name": "a", "ownerReferences": [event]}), Scope::Cluster, &want);
    let both = json!({"name": "a", "finalizers": ["orphan", "foregroundDeletion"]});
    let want = ["metadata.finalizers: Invalid value: [\"orphan\",\"foregroundDeletion\"]: \
                 finalizer orphan and foregroundDeletion cannot be both set"];
    check(both, Scope::Cluster, &want);
}

#[test]
fn updates_keep_identity() {
    check_update(json!({"name": "a"}), json!({"name": "a"}), &[]);
    let want = [
        "metadata.name: Invalid value: \"b\": field is immutable",
        "metadata.uid: Invalid value: \"\": field is immutable",
        "metadata.deletionTimestamp: Invalid value: \"2020-01-01T00:00:00Z\": field is immutable",
    ];
    let new = json!({"name": "b", "deletionTimestamp": "2020-01-01T00:00:00Z"});
    check_update(new, json!({"name": "a", "uid": "x"}), &want);
    let new = json!({"deletionTimestamp": "t", "finalizers": ["b/x", "a/x"]});
    let old = json!({"deletionTimestamp": "t", "finalizers": ["a/x"]});
    let want = ["metadata.finalizers: Forbidden: no new finalizers can be added if the object is \
                 being deleted, found new finalizers []string{\"b/x\"}"];
    check_update(new, old, &want);
    let want = ["metadata.generation: Invalid value: 1: must not be decremented"];
    check_update(json!({"generation": 1}), json!({"generation": 2}), &want);
}
