//! What is kept of metadata, and what the decoder says.

use serde_json::{Value, json};

use super::{coerce, coerce_leniently};

fn check(metadata: Value, kept: Value, unknown: &[&str]) {
    let coerced = coerce(&metadata).expect("it is readable");
    assert_eq!(Value::Object(coerced.metadata.clone()), kept);
    let paths: Vec<String> = coerced.unknown.iter().map(ToString::to_string).collect();
    assert_eq!(paths, unknown);
    let again = coerce(&Value::Object(coerced.metadata)).expect("it stays readable");
    assert_eq!(Value::Object(again.metadata), kept);
}

fn check_error(metadata: Value, want: &str) {
    assert_eq!(coerce(&metadata), Err(want.to_owned()));
}

#[test]
fn known_fields_are_kept() {
    check(json!(null), json!({}), &[]);
    check(
        json!({"name": "a", "namespace": "", "labels": {}, "finalizers": []}),
        json!({"name": "a"}),
        &[],
    );
    check(json!({"labels": {"a": null, "b": "c"}}), json!({"labels": {"a": "", "b": "c"}}), &[]);
    check(json!({"creationTimestamp": null, "generation": 0}), json!({}), &[]);
    let owner = json!({"kind": "Pod", "extra": 1});
    let kept = json!({"apiVersion": "", "kind": "Pod", "name": "", "uid": ""});
    let unknown = ["Name", "ownerReferences[0].extra"];
    check(
        json!({"Name": "a", "ownerReferences": [owner]}),
        json!({"ownerReferences": [kept]}),
        &unknown,
    );
    let managed = json!([{"manager": "m", "fieldsV1": {"f:x": {}}}]);
    check(json!({"managedFields": managed}), json!({"managedFields": managed}), &[]);
}

#[test]
fn wrong_types_are_told_in_the_decoders_words() {
    check_error(json!("x"), "json: cannot unmarshal string into Go value of type v1.ObjectMeta");
    let cases = [
        (json!({"name": 5}), "number", "ObjectMeta.name", "string"),
        (json!({"uid": true}), "bool", "ObjectMeta.uid", "types.UID"),
        (json!({"labels": "x"}), "string", "ObjectMeta.labels", "map[string]string"),
        (json!({"labels": {"a": 1}}), "number", "ObjectMeta.labels", "string"),
        (json!({"finalizers": {}}), "object", "ObjectMeta.finalizers", "[]string"),
        (json!({"generation": 1.5}), "number 1.5", "ObjectMeta.generation", "int64"),
        (
            json!({"ownerReferences": ["x"]}),
            "string",
            "ObjectMeta.ownerReferences",
            "v1.OwnerReference",
        ),
        (
            json!({"ownerReferences": [{"controller": "x"}]}),
            "string",
            "OwnerReference.ownerReferences.controller",
            "bool",
        ),
        (json!({"name": 5, "labels": 6}), "number", "ObjectMeta.labels", "map[string]string"),
    ];
    for (metadata, value, field, kind) in cases {
        let text =
            format!("json: cannot unmarshal {value} into Go struct field {field} of type {kind}");
        check_error(metadata, &text);
    }
    let text =
        "parsing time \"x\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"x\" as \"2006\"";
    check_error(json!({"creationTimestamp": "x"}), text);
}

#[test]
fn stored_metadata_is_read_field_by_field() {
    let kept = coerce_leniently(&json!({"name": 5, "labels": {"a": "b"}, "extra": 1}));
    assert_eq!(Value::Object(kept), json!({"labels": {"a": "b"}}));
}
