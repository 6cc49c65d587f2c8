use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};

use super::{document, index, swagger};
use crate::discovery::sample;
use crate::kinds::Kind;

fn kinds() -> Vec<Arc<Kind>> {
    [sample::custom(), sample::core()].concat()
}

/// Every `$ref` in a value.
fn references(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            found.extend(fields.get("$ref").and_then(Value::as_str).map(str::to_owned));
            fields.values().for_each(|value| references(value, found));
        }
        Value::Array(items) => items.iter().for_each(|value| references(value, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn check_references(document: &Value) {
    let mut found = BTreeSet::new();
    references(document, &mut found);
    assert!(!found.is_empty());
    for reference in found {
        let pointer = reference.trim_start_matches('#');
        assert!(document.pointer(pointer).is_some(), "{reference} leads nowhere");
    }
}

#[test]
fn every_reference_leads_to_a_schema() {
    let kinds = kinds();
    for kind in &kinds {
        check_references(&document(&kinds, &kind.group, &kind.version).expect("it is served"));
    }
    check_references(&swagger(&kinds));
}

#[test]
fn the_schema_of_a_custom_kind_is_the_one_of_the_server() {
    let document = document(&kinds(), "example.org", "v1").expect("it is served");
    let found = &document["components"]["schemas"]["org.example.v1.Widget"];
    // As the server answers for the sample, apart from what all kinds share.
    let want = json!({"description": "What it is.", "type": "object", "required": ["names"],
    "properties": {
        "box": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
        "flag": {"type": "boolean"},
        "items": {"type": "array", "items": {"type": "object", "properties": {
            "n": {"type": "integer"}, "name": {"type": "string"}}}},
        "names": {"type": "array", "items": {"type": "string"},
            "x-kubernetes-list-type": "set"},
        "nums": {"type": "array", "items": {"type": "integer"}},
        "port": {"anyOf": [{"type": "integer"}, {"type": "string"}],
            "x-kubernetes-int-or-string": true},
        "ratio": {"type": "number"},
        "replicas": {"type": "integer", "format": "int32", "default": 1, "minimum": 0},
    }});
    assert_eq!(found["properties"]["spec"], want);
    assert_eq!(found["description"], "A widget.");
    let names = json!([{"group": "example.org", "kind": "Widget", "version": "v1"}]);
    assert_eq!(found["x-kubernetes-group-version-kind"], names);
    let metadata = "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
    assert_eq!(found["properties"]["metadata"]["allOf"][0]["$ref"], metadata);
}

#[test]
fn paths_are_those_of_the_server() {
    let document = document(&kinds(), "example.org", "v1").expect("it is served");
    let found: Vec<(&str, String)> = document["paths"]
        .as_object()
        .expect("it has paths")
        .iter()
        .map(|(path, item)| {
            let methods = item.as_object().expect("it has methods").keys();
            let methods = methods.filter(|name| *name != "parameters");
            (path.as_str(), methods.map(String::as_str).collect::<Vec<_>>().join(" "))
        })
        .collect();
    let all = "/apis/example.org/v1/namespaces/{namespace}/widgets";
    let want = [
        (all.to_owned(), "delete get post"),
        (format!("{all}/{{name}}"), "delete get patch put"),
        (format!("{all}/{{name}}/scale"), "get patch put"),
        (format!("{all}/{{name}}/status"), "get patch put"),
        ("/apis/example.org/v1/widgets".to_owned(), "get"),
    ];
    let want = want.map(|(path, methods)| (path, methods.to_owned()));
    assert_eq!(found.len(), want.len());
    for ((path, methods), want) in found.into_iter().zip(want) {
        assert_eq!((path.to_owned(), methods), want);
    }
}

#[test]
fn every_patch_of_a_kind_takes_field_validation() {
    let document = document(&kinds(), "", "v1").expect("it is served");
    let patches = document["paths"].as_object().into_iter().flatten();
    let patches = patches.filter_map(|(path, item)| Some((path, item.get("patch")?)));
    for (path, patch) in patches {
        let parameters = patch["parameters"].as_array().into_iter().flatten();
        let names: Vec<&Value> = parameters.map(|parameter| &parameter["name"]).collect();
        assert_eq!(json!(names), json!(["dryRun", "fieldManager", "fieldValidation", "force"]));
        let types = patch["requestBody"]["content"].as_object().expect("it has a body");
        assert!(types.contains_key("application/strategic-merge-patch+json"), "{path}");
    }
}

#[test]
fn the_index_names_every_version_by_its_content() {
    let kinds = kinds();
    let before = index(&kinds);
    let paths: Vec<&String> = before["paths"].as_object().expect("it has paths").keys().collect();
    let want = [
        "api/v1",
        "apis/example.org/v1",
        "apis/example.org/v1beta1",
        "apis/other.example.org/v1alpha1",
    ];
    assert_eq!(paths, want);
    let fewer: Vec<Arc<Kind>> =
        kinds.into_iter().filter(|kind| kind.kind != "LimitRange").collect();
    let after = index(&fewer);
    assert_ne!(before["paths"]["api/v1"], after["paths"]["api/v1"]);
    assert_eq!(before["paths"]["apis/example.org/v1"], after["paths"]["apis/example.org/v1"]);
}
