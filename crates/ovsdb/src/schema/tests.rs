//! Tests of this module. `cases.json` holds schemas with ovsdb-tool's verdict on each.

use serde_json::Value;

use super::{DatabaseSchema, Strength};
use crate::value::{Atom, Datum};

const CASES: &str = include_str!("cases.json");

#[test]
fn what_the_server_refuses_is_refused_and_nothing_else() {
    let cases: Vec<Value> = serde_json::from_str(CASES).unwrap();
    let wrong = cases.iter().filter_map(|case| {
        let parsed = DatabaseSchema::from_json(&case["schema"]);
        let wrong = parsed.is_ok() != case["accepted"].as_bool().unwrap();
        wrong.then(|| format!("{}: {parsed:?}", case["case"]))
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_schema_that_was_written_reads_the_same() {
    let cases: Vec<Value> = serde_json::from_str(CASES).unwrap();
    for case in cases.iter().filter(|case| case["accepted"] == true) {
        let schema = DatabaseSchema::from_json(&case["schema"]).unwrap();
        let again = DatabaseSchema::from_json(&schema.to_json()).unwrap();
        assert_eq!(again, schema, "{}", case["case"]);
    }
}

fn table(columns: &str) -> std::sync::Arc<super::TableSchema> {
    let text = format!(
        r#"{{"name": "D", "tables": {{"T": {{"columns": {columns}}}, "U": {{"isRoot": true,
            "columns": {{"d": {{"type": "string"}}}}}}}}}}"#
    );
    DatabaseSchema::parse(&text).unwrap().table("T").unwrap().clone()
}

#[test]
fn defaults_follow_the_type() {
    let check = |kind: &str, want: Datum| {
        let table = table(&format!(r#"{{"c": {{"type": {kind}}}}}"#));
        assert_eq!(table.find("c").unwrap().1.default(), &want, "{kind}");
    };
    check(r#""integer""#, Datum::from(0));
    check(r#""string""#, Datum::from(""));
    check(r#""boolean""#, Datum::from(false));
    check(r#"{"key": "string", "min": 0}"#, Datum::empty_set());
    check(r#"{"key": "string", "value": "integer", "min": 0, "max": 5}"#, Datum::empty_map());
    check(r#"{"key": "string", "value": "integer"}"#, Datum::map([("", 0)]));
    let allowed = r#"{"key": {"type": "string", "enum": ["set", ["x", "y"]]}}"#;
    check(allowed, Datum::from(""));
}

#[test]
fn columns_are_found_by_name_and_sorted_by_it() {
    let table = table(r#"{"b": {"type": "string"}, "a": {"type": "integer"}}"#);
    let names: Vec<&str> = table.columns().map(|(_, column)| &*column.name).collect();
    assert_eq!(names, ["a", "b"]);
    let (id, column) = table.find("b").unwrap();
    assert_eq!((&*column.name, &*table.column(id).name), ("b", "b"));
    assert_eq!(table.find("c"), None);
}

#[test]
fn constraints_are_checked() {
    let check = |kind: &str, good: &[Atom], bad: &[Atom]| {
        let table = table(&format!(r#"{{"c": {{"type": {{"key": {kind}}}}}}}"#));
        let base = &table.find("c").unwrap().1.kind.key;
        assert!(good.iter().all(|atom| base.check(atom).is_ok()), "{kind}");
        assert!(bad.iter().all(|atom| base.check(atom).is_err()), "{kind}");
    };
    let range = r#"{"type": "integer", "minInteger": -1, "maxInteger": 3}"#;
    check(range, &[Atom::from(-1), Atom::from(3)], &[Atom::from(-2), Atom::from(4)]);
    let length = r#"{"type": "string", "minLength": 1, "maxLength": 2}"#;
    // Lengths count characters, not bytes.
    check(length, &["a".into(), "\u{e4}\u{1f600}".into()], &["".into(), "abc".into()]);
    let choice = r#"{"type": "string", "enum": ["set", ["x", "y"]]}"#;
    check(choice, &["x".into()], &["".into(), "z".into()]);
}

#[test]
fn a_column_that_keeps_rows_alive_is_durable() {
    let column = |target: &str, strength: &str| {
        let table = table(&format!(
            r#"{{"c": {{"ephemeral": true, "mutable": false, "type": {{"key": {{"type": "uuid",
                "refTable": "{target}", "refType": "{strength}"}}, "min": 0}}}}}}"#
        ));
        table.find("c").unwrap().1.clone()
    };
    assert!(!column("T", "strong").ephemeral);
    assert!(column("U", "strong").ephemeral);
    assert!(column("T", "weak").ephemeral);
    // A weak reference changes by itself, so it cannot be immutable.
    assert!(column("T", "weak").mutable);
    assert!(!column("U", "strong").mutable);
    assert!(column("T", "weak").kind.has_reference(Strength::Weak));
}
