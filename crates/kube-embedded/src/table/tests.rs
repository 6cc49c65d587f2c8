//! Tables of a real server beside our own of the same objects.

use serde_json::{Value, json};

use super::{Include, render, render_one};
use crate::discovery::sample;
use crate::kinds::Kind;

fn observed() -> Vec<Value> {
    serde_json::from_str(include_str!("tests/tables.json")).expect("the file is JSON")
}

fn kind_of(table: &Value) -> Kind {
    let text = |field: &str| table[field].as_str().expect("every table names its kind");
    let custom = sample::custom()
        .into_iter()
        .find(|kind| kind.group == text("group") && kind.version == text("version"));
    custom.map_or_else(|| sample::built_in(text("group"), text("kind")), |kind| Kind::clone(&kind))
}

fn ours(observed: &Value) -> Value {
    let rows = observed["rows"].as_array().expect("it has rows").iter();
    let objects: Vec<Value> = rows.map(|row| row["object"].clone()).collect();
    let now = observed["now"].as_str().expect("it has a time");
    render(&kind_of(observed), &objects, json!({}), Include::Object, now)
}

#[test]
fn rows_are_those_of_the_server() {
    for table in observed() {
        let ours = ours(&table);
        let pairs = table["rows"].as_array().into_iter().flatten();
        for (want, found) in pairs.zip(ours["rows"].as_array().into_iter().flatten()) {
            let name = &want["object"]["metadata"]["name"];
            assert_eq!(found, want, "{} {name}", table["kind"]);
        }
    }
}

#[test]
fn paths_lead_where_they_lead_on_the_server() {
    let observed: Value =
        serde_json::from_str(include_str!("tests/paths.json")).expect("the file is JSON");
    let kind = sample::kinds_of(&observed["definition"]).remove(0);
    let now = observed["now"].as_str().expect("it has a time");
    for want in observed["rows"].as_array().expect("it has rows") {
        let objects = std::slice::from_ref(&want["object"]);
        let table = render(&kind, objects, json!({}), Include::None, now);
        let cells = want["cells"].as_array().into_iter().flatten().skip(1);
        for (index, want) in cells.enumerate() {
            let path = &kind.columns[index].json_path;
            assert_eq!(&table["rows"][0]["cells"][index + 1], want, "{path}");
        }
    }
}

#[test]
fn columns_end_before_a_path_that_cannot_be_read() {
    let column = |path: &str| json!({"name": path, "type": "string", "jsonPath": path});
    let mut definition: Value =
        serde_json::from_str(include_str!("tests/paths.json")).expect("the file is JSON");
    let mut definition = definition["definition"].take();
    let columns = [".spec.a", ".spec[\"b\"]", ".spec.c"].map(column);
    definition["spec"]["versions"][0]["additionalPrinterColumns"] = json!(columns);
    let kind = sample::kinds_of(&definition).remove(0);
    let table = render(&kind, &[], json!({}), Include::None, NOW);
    let names = table["columnDefinitions"].as_array().into_iter().flatten();
    let names: Vec<&Value> = names.map(|column| &column["name"]).collect();
    assert_eq!(json!(names), json!(["Name", ".spec.a"]));
}

#[test]
fn columns_are_those_of_the_server() {
    for table in observed() {
        let ours = ours(&table);
        let columns = ours["columnDefinitions"].as_array().into_iter().flatten();
        let columns: Vec<Value> = columns
            .map(|it| json!([it["name"], it["type"], it["format"], it["priority"]]))
            .collect();
        assert_eq!(json!(columns), table["columns"], "{}", table["kind"]);
    }
}

#[test]
fn a_row_carries_of_its_object_what_was_asked_for() {
    let kind = sample::built_in("", "ConfigMap");
    let object = json!({"metadata": {"name": "a"}, "data": {"x": "y"}});
    let part = json!({
        "kind": "PartialObjectMetadata",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": {"name": "a"},
    });
    for (include, want) in [("", part), ("None", json!(null)), ("Object", object.clone())] {
        let include = Include::parse(include).expect("it is one");
        let objects = std::slice::from_ref(&object);
        let table = render(&kind, objects, json!({"resourceVersion": "7"}), include, NOW);
        assert_eq!(table["rows"], json!([{"cells": ["a", 1, "<unknown>"], "object": want}]));
        assert_eq!(table["metadata"], json!({"resourceVersion": "7"}));
    }
    assert_eq!(
        Include::parse("Obect").expect_err("it is none").message,
        "Unable to convert to Table as requested: includeObject: Invalid value: \"Obect\": must \
         be 'Metadata', 'Object', 'None', or empty"
    );
}

const NOW: &str = "2026-11-16T04:00:00Z";

#[test]
fn no_rows_are_null_only_for_kinds_without_columns() {
    let table = |kind: &str| {
        let kind = sample::built_in("", kind);
        render(&kind, &[], json!({}), Include::None, NOW)["rows"].take()
    };
    assert_eq!(table("Pod"), json!([]));
    assert_eq!(table("LimitRange"), json!(null));
}

#[test]
fn the_mark_at_the_end_of_initial_events_is_always_shown() {
    let kind = sample::built_in("", "ConfigMap");
    let annotations = json!({"k8s.io/initial-events-end": "true"});
    let metadata = json!({"resourceVersion": "542", "annotations": annotations});
    let bookmark = json!({"kind": "ConfigMap", "apiVersion": "v1", "metadata": metadata});
    let part = json!({
        "kind": "PartialObjectMetadata",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": metadata,
    });
    assert_eq!(
        render_one(&kind, &bookmark, Include::None, false, NOW),
        json!({
            "kind": "Table",
            "apiVersion": "meta.k8s.io/v1",
            "metadata": {"resourceVersion": "542"},
            "columnDefinitions": null,
            "rows": [{"cells": ["", 0, "<unknown>"], "object": part}],
        })
    );
}
