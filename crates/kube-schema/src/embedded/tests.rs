//! Resources inside of resources.

use serde_json::{Value, json};

use super::{check as problems, coerce, coerce_leniently};
use crate::path::Path;
use crate::schema::{self, Schema};

fn schema() -> Schema {
    let embedded = json!({"type": "object", "x-kubernetes-embedded-resource": true,
        "x-kubernetes-preserve-unknown-fields": true});
    let manifest = json!({"type": "object", "properties": {
        "one": embedded,
        "list": {"type": "array", "items": embedded},
        "map": {"type": "object", "additionalProperties": embedded}}});
    schema::read(&manifest, &Path::root()).expect("the schema is right")
}

fn check(object: Value, want: &[&str]) {
    let found = problems(&object, &schema());
    let texts: Vec<String> = found.iter().map(ToString::to_string).collect();
    let shorts: Vec<&str> = texts.iter().map(|it| it.split(" (").next().unwrap()).collect();
    assert_eq!(shorts, want);
}

#[test]
fn embedded_resources_have_a_kind() {
    check(json!({"one": {"apiVersion": "v1", "kind": "Pod"}}), &[]);
    check(
        json!({"list": [{"kind": ""}]}),
        &[
            "list[0].apiVersion: Required value",
            "list[0].kind: Invalid value: \"\": must not be empty",
        ],
    );
    check(
        json!({"map": {"k": {"apiVersion": "a/b/c", "kind": "A b"}}}),
        &[
            "map[k].apiVersion: Invalid value: \"a/b/c\": unexpected GroupVersion string: a/b/c",
            "map[k].kind: Invalid value: \"A b\": may have mixed case, but should otherwise match: a \
         DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an \
         alphabetic character, and end with an alphanumeric character",
        ],
    );
}

#[test]
fn embedded_metadata_is_checked_but_needs_no_name() {
    let with =
        |metadata: Value| json!({"one": {"apiVersion": "v1", "kind": "Pod", "metadata": metadata}});
    check(with(json!({})), &[]);
    check(
        with(json!({"name": "a/b", "namespace": "n.s"})),
        &[
            "one.metadata.name: Invalid value: \"a/b\": may not contain '/'",
            "one.metadata.namespace: Invalid value: \"n.s\": must not contain dots",
        ],
    );
}

#[test]
fn embedded_metadata_is_coerced() {
    let resource =
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "x": 1}, "y": 1});
    let mut object = json!({"one": resource, "list": [resource], "map": {"k": resource}});
    let unknown = coerce(&mut object, &schema()).expect("it is readable");
    let paths: Vec<String> = unknown.iter().map(ToString::to_string).collect();
    assert_eq!(paths, ["list[0].metadata.x", "map[k].metadata.x", "one.metadata.x"]);
    assert_eq!(
        object["one"],
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "y": 1})
    );
}

#[test]
fn wrong_types_are_refused_or_dropped() {
    let mut object = json!({"one": {"kind": 5, "metadata": {"name": 5, "uid": "u"}}});
    let error = coerce(&mut object.clone(), &schema()).expect_err("the kind is no text");
    assert_eq!(error.to_string(), "one.kind: Invalid value: 5: must be a string");
    coerce_leniently(&mut object, &schema());
    assert_eq!(object, json!({"one": {"metadata": {"uid": "u"}}}));
    let mut object = json!({"one": {"metadata": 5}});
    let error = coerce(&mut object, &schema()).expect_err("metadata is no object");
    assert_eq!(
        error.to_string(),
        "one.metadata: Invalid value: 5: json: cannot unmarshal number \
        into Go value of type v1.ObjectMeta"
    );
}
