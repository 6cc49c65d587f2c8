//! Repeated items of sets and list-maps.

use serde_json::{Value, json};

use super::check as repeated;
use crate::path::Path;
use crate::schema;

fn check(list: Value, items: Value, want: &[&str]) {
    let manifest = json!({"type": "object", "properties": {"spec": list}});
    let schema = schema::read(&manifest, &Path::root()).expect("the schema is right");
    let found = repeated(&json!({"spec": items}), &schema);
    let texts: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert_eq!(texts, want);
}

#[test]
fn sets_hold_everything_once() {
    let set =
        json!({"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}});
    check(set.clone(), json!(["a", "b"]), &[]);
    check(
        set,
        json!(["a", "b", "a", "a", "b"]),
        &["spec[2]: Duplicate value: \"a\"", "spec[4]: Duplicate value: \"b\""],
    );
    let set = json!({"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "object",
        "x-kubernetes-map-type": "atomic", "additionalProperties": {"type": "integer"}}});
    let want = ["spec[1]: Duplicate value: {\"x\":1}"];
    check(set, json!([{"x": 1}, {"x": 1}, {"x": 1.0}]), &want);
}

#[test]
fn maps_hold_every_key_once() {
    let of_keys = |keys: &[&str]| {
        let property = |name: &&str| ((*name).to_owned(), json!({"type": "string", "default": ""}));
        let properties: serde_json::Map<String, Value> = keys.iter().map(property).collect();
        json!({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys,
            "items": {"type": "object", "properties": properties}})
    };
    let one = of_keys(&["a"]);
    check(one.clone(), json!([{"a": "x"}, {"a": "y"}, {}]), &[]);
    check(
        one.clone(),
        json!([{"a": "x"}, {"a": "x", "b": 1}, {}, null]),
        &["spec[1]: Duplicate value: {\"a\":\"x\"}", "spec[3]: Duplicate value: {}"],
    );
    check(
        one,
        json!([{"a": "x"}, 5]),
        &["spec[1]: Invalid value: 5: must be an object for an array of list-type map"],
    );
    let two = of_keys(&["a", "b"]);
    check(
        two,
        json!([{"a": "x", "b": "y"}, {"a": "x"}, {"b": "y", "a": "x", "c": 1}]),
        &["spec[2]: Duplicate value: {\"a\":\"x\",\"b\":\"y\"}"],
    );
}
