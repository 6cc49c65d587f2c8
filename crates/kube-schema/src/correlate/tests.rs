//! What corresponds, and what is unchanged.

use serde_json::{Value, json};

use super::Pair;
use crate::path::Path;
use crate::schema::{self, Schema};

fn schema() -> Schema {
    let item = json!({"type": "object", "required": ["k"], "properties": {
        "k": {"type": "string"}, "v": {"type": "integer"}}});
    let manifest = json!({"type": "object", "properties": {
        "map": {"type": "array", "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["k"], "items": item.clone()},
        "plain": {"type": "array", "items": item},
        "loose": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}});
    schema::read(&manifest, &Path::root()).expect("the schema is right")
}

fn check(new: Value, old: Value, want: bool) {
    let schema = schema();
    let pair = Pair::new(&new, &old, &schema);
    assert_eq!(pair.is_unchanged(), want, "{old} to {new}");
    assert_eq!(pair.is_unchanged(), want, "the answer is kept");
}

#[test]
fn lists_with_keys_may_change_their_order() {
    let (a, b) = (json!({"k": "a", "v": 1}), json!({"k": "b"}));
    check(json!({"map": [a, b]}), json!({"map": [b, a]}), true);
    check(json!({"plain": [a, b]}), json!({"plain": [b, a]}), false);
    check(json!({"plain": [a, b]}), json!({"plain": [a, b]}), true);
    check(json!({"map": [a]}), json!({"map": [a, b]}), false);
    check(json!({"map": [a]}), json!({"map": [{"k": "a", "v": 2}]}), false);
    check(json!({"map": [a]}), json!({"map": [{"k": "c", "v": 1}]}), false);
}

#[test]
fn numbers_differ_by_their_form() {
    let list = |value: Value| json!({"plain": [value]});
    check(list(json!({"k": "a", "v": 1})), list(json!({"k": "a", "v": 1.0})), false);
}

#[test]
fn what_the_schema_does_not_know_is_never_unchanged() {
    check(json!({"loose": {"x": 1}}), json!({"loose": {"x": 1}}), false);
    check(json!({"loose": {}}), json!({"loose": {}}), true);
}

#[test]
fn items_are_found_by_key() {
    let (schema, new) = (schema(), json!({"map": [{"k": "b", "v": 1}, {"k": "x"}, {"v": 1}, 5]}));
    let old = json!({"map": [{"k": "a"}, {"k": "b", "v": 1}]});
    let pair = Pair::new(&new, &old, &schema).field("map").expect("both have it");
    assert!(pair.item(0).is_some_and(|item| item.is_unchanged()));
    assert!((1..5).all(|index| pair.item(index).is_none()));
    assert!(Pair::new(&new, &old, &schema).field("plain").is_none());
}
