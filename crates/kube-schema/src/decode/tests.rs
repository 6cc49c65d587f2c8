//! What is left of an object after it was decoded.

use serde_json::{Value, json};

use super::{decode, decode_stored};
use crate::definition::{self, Definition};

fn definition(spec: Value) -> Definition {
    let manifest = json!({"metadata": {"name": "things.example.org"},
        "spec": {"group": "example.org", "scope": "Cluster",
            "names": {"kind": "Thing", "plural": "things"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {
                "openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}}]}});
    definition::read(&manifest).expect("the definition is right")
}

fn check(spec: Value, given: Value, kept: Value, unknown: &[&str]) {
    let definition = definition(spec);
    let version = &definition.versions[0];
    let decoded = decode(json!({"spec": given}), version).expect("it decodes");
    assert_eq!(decoded.object, json!({"spec": kept}));
    let paths: Vec<String> = decoded.strict.iter().map(|it| it.path.to_string()).collect();
    assert_eq!(paths, unknown);
    let again = decode(decoded.object.clone(), version).expect("it decodes again");
    assert_eq!((again.object, again.strict), (decoded.object.clone(), Vec::new()));
    assert_eq!(decode_stored(json!({"spec": given}), version), decoded.object);
}

#[test]
fn unknown_fields_go() {
    let spec = json!({"type": "object", "properties": {
        "a": {"type": "string"},
        "list": {"type": "array", "items": {"type": "object", "properties": {"b": {"type": "string"}}}},
        "map": {"type": "object", "additionalProperties": {"type": "object",
            "properties": {"b": {"type": "string"}}}}}});
    let given = json!({"z": 1, "a": {"x": 1}, "list": [{"b": "", "c": 1}], "map": {"k": {"c": 1}}});
    let kept = json!({"a": {}, "list": [{"b": ""}], "map": {"k": {}}});
    check(spec, given, kept, &["spec.a.x", "spec.list[0].c", "spec.map.k.c", "spec.z"]);
}

#[test]
fn unknown_fields_stay_where_they_may() {
    let known = json!({"type": "object", "properties": {"b": {"type": "string"}}});
    let spec = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true,
        "properties": {"known": known, "list": {"type": "array", "items": known}}});
    let given = json!({"any": {"x": [1]}, "known": {"c": 1}, "list": [{"b": "", "c": 1}]});
    let kept = json!({"any": {"x": [1]}, "known": {}, "list": [{"b": ""}]});
    check(spec, given, kept, &["spec.known.c", "spec.list[0].c"]);
}

#[test]
fn nulls_go_or_become_defaults() {
    let spec = json!({"type": "object", "properties": {
        "plain": {"type": "string"},
        "filled": {"type": "string", "default": "d"},
        "nullable": {"type": "string", "nullable": true},
        "both": {"type": "string", "nullable": true, "default": "d"},
        "list": {"type": "array", "items": {"type": "string", "default": "i"}},
        "map": {"type": "object", "additionalProperties": {"type": "string"}}}});
    let given = json!({"plain": null, "filled": null, "nullable": null, "both": null,
        "list": [null, "x"], "map": {"a": null, "b": "c"}});
    let kept = json!({"filled": "d", "nullable": null, "both": null, "list": ["i", "x"],
        "map": {"b": "c"}});
    check(spec.clone(), given, kept, &[]);
    check(spec, json!({}), json!({"filled": "d", "both": "d"}), &[]);
}

#[test]
fn defaults_fill_what_defaults_made() {
    let spec = json!({"type": "object", "properties": {"a": {"type": "object", "default": {"b": 1},
        "properties": {"b": {"type": "integer", "default": 2}, "c": {"type": "integer", "default": 3}}}}});
    check(spec.clone(), json!({}), json!({"a": {"b": 1, "c": 3}}), &[]);
    check(spec, json!({"a": {}}), json!({"a": {"b": 2, "c": 3}}), &[]);
}
