//! The wording of every plain keyword.

use serde_json::{Value, json};

use super::validate;
use crate::correlate::Pair;
use crate::path::Path;
use crate::schema::{self, Schema};

fn schema_of(spec: Value) -> Schema {
    let manifest = json!({"type": "object", "properties": {"spec": spec}});
    schema::read(&manifest, &Path::root()).expect("the schema is right")
}

fn texts(value: &Value, schema: &Schema, pair: Option<&Pair<'_>>) -> Vec<String> {
    let found = validate(value, schema, pair, &Path::root());
    found.iter().map(ToString::to_string).collect()
}

fn check(spec: Value, value: Value, want: &[&str]) {
    let object = json!({"spec": value});
    assert_eq!(texts(&object, &schema_of(spec.clone()), None), want, "{spec} for {object}");
}

fn check_update(spec: Value, new: Value, old: Value, want: &[&str]) {
    let schema = schema_of(spec);
    let (new, old) = (json!({"spec": new}), json!({"spec": old}));
    let pair = Pair::new(&new, &old, &schema);
    assert_eq!(texts(&new, &schema, Some(&pair)), want, "{old} to {new}");
}

#[test]
fn types() {
    let wrong = |kind: &str, found: &str| {
        format!(
            "spec: Invalid value: \"{found}\": spec in body must be of type {kind}: \"{found}\""
        )
    };
    let cases = [
        ("string", json!(1), "integer"),
        ("string", json!(1.5), "number"),
        ("string", json!(true), "boolean"),
        ("string", json!([]), "array"),
        ("string", json!({}), "object"),
        ("string", json!(null), "null"),
        ("integer", json!("a"), "string"),
        ("integer", json!(1.5), "number"),
        ("number", json!("a"), "string"),
        ("boolean", json!("true"), "string"),
        ("object", json!([]), "array"),
    ];
    for (kind, value, found) in cases {
        check(json!({"type": kind}), value, &[&wrong(kind, found)]);
    }
    check(json!({"type": "integer"}), json!(1.0), &[]);
    check(json!({"type": "number"}), json!(1), &[]);
    // A large number may be off by a little, a negative one may not.
    check(json!({"type": "integer"}), json!(61675963.0625), &[]);
    check(json!({"type": "integer"}), json!(-61675963.0625), &[&wrong("integer", "number")]);
    check(json!({"type": "string", "nullable": true}), json!(null), &[]);
    check(json!({"x-kubernetes-int-or-string": true}), json!("a"), &[]);
    let want = wrong("integer,string", "boolean");
    check(json!({"x-kubernetes-int-or-string": true}), json!(true), &[&want]);
    check(json!({"x-kubernetes-preserve-unknown-fields": true}), json!([1]), &[]);
}

#[test]
fn formats() {
    let time = json!({"type": "string", "format": "date-time"});
    let want = "spec: Invalid value: \"x\": spec in body must be of type date-time: \"x\"";
    check(time.clone(), json!("x"), &[want]);
    let want = "spec: Invalid value: \"int64\": spec in body must be of type date-time: \"int64\"";
    check(time.clone(), json!(5), &[want]);
    let want = "spec: Invalid value: \"\": spec in body must be of type date-time: \"\"";
    check(time, json!(true), &[want]);
    check(json!({"type": "integer", "format": "int32"}), json!(1u64 << 40), &[]);
    check(json!({"type": "string", "format": "what"}), json!("x"), &[]);
}

#[test]
fn numbers() {
    let bounds = json!({"type": "integer", "minimum": 576, "maximum": 65536});
    check(bounds.clone(), json!(576), &[]);
    let want = "spec: Invalid value: 575: spec in body should be greater than or equal to 576";
    check(bounds.clone(), json!(575), &[want]);
    let want = "spec: Invalid value: 65537: spec in body should be less than or equal to 65536";
    check(bounds, json!(65537), &[want]);
    let open = json!({"type": "number", "minimum": 1.5, "exclusiveMinimum": true,
        "maximum": 2.5, "exclusiveMaximum": true});
    let want = "spec: Invalid value: 1.5: spec in body should be greater than 1.5";
    check(open.clone(), json!(1.5), &[want]);
    let want = "spec: Invalid value: 2.5: spec in body should be less than 2.5";
    check(open.clone(), json!(2.5), &[want]);
    // Go compares an integer with the whole part of the bound.
    let want = ["spec: Invalid value: 1: spec in body should be greater than 1"];
    check(open, json!(1), &want);
    let want = "spec: Invalid value: 5: spec in body should be a multiple of 4";
    check(json!({"type": "integer", "multipleOf": 4}), json!(5), &[want]);
    let want = "spec: Invalid value: 0.3: spec in body should be a multiple of 0.2";
    check(json!({"type": "number", "multipleOf": 0.2}), json!(0.3), &[want]);
    check(json!({"type": "number", "multipleOf": 0.1}), json!(0.3), &[]);
}

#[test]
fn strings() {
    let bounds = json!({"type": "string", "minLength": 2, "maxLength": 3, "pattern": "^[a-zé]*$"});
    check(bounds.clone(), json!("éé"), &[]);
    let want = "spec: Too long: may not be more than 3 bytes";
    check(bounds.clone(), json!("abcD"), &[want]);
    let want = "spec: Invalid value: \"a\": spec in body should be at least 2 chars long";
    check(bounds.clone(), json!("a"), &[want]);
    let want = "spec: Invalid value: \"aB\": spec in body should match '^[a-zé]*$'";
    check(bounds, json!("aB"), &[want]);
}

#[test]
fn lists_and_objects() {
    let list = json!({"type": "array", "minItems": 2, "maxItems": 2, "items": {"type": "string"}});
    check(list.clone(), json!(["a", "b"]), &[]);
    let want = "spec: Invalid value: 0: spec in body should have at least 2 items";
    check(list.clone(), json!([]), &[want]);
    let want = [
        "spec[1]: Invalid value: \"integer\": spec[1] in body must be of type string: \"integer\"",
        "spec: Too many: 3: must have at most 2 items",
    ];
    check(list, json!(["a", 1, "b"]), &want);
    let map = json!({"type": "object", "minProperties": 1, "maxProperties": 1,
        "additionalProperties": {"type": "integer", "maximum": 5}});
    let want = "spec: Invalid value: 0: spec in body should have at least 1 properties";
    check(map.clone(), json!({}), &[want]);
    let want = [
        "spec: Too many: 2: must have at most 1 item",
        "spec.a.b: Invalid value: 6: spec.a.b in body should be less than or equal to 5",
    ];
    check(map, json!({"a.b": 6, "c": 1}), &want);
    let object = json!({"type": "object", "required": ["a", "b"],
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}}});
    check(
        object.clone(),
        json!({"b": null}),
        &[
            "spec.b: Invalid value: \"null\": spec.b in body must be of type string: \"null\"",
            "spec.a: Required value",
        ],
    );
    check(object, json!({}), &["spec.a: Required value", "spec.b: Required value"]);
    let closed = json!({"type": "object", "additionalProperties": false});
    let want = "spec: Invalid value: \"x\": spec.x in body is a forbidden property";
    check(closed, json!({"x": 1}), &[want]);
}

#[test]
fn choices() {
    let choice = json!({"type": "string", "enum": ["b", "c"]});
    check(choice.clone(), json!("b"), &[]);
    let want = "spec: Unsupported value: \"a\": supported values: \"b\", \"c\"";
    check(choice, json!("a"), &[want]);
    let choice = json!({"type": "integer", "enum": [1, 2]});
    check(choice.clone(), json!(1.0), &[]);
    let want = "spec: Unsupported value: 3: supported values: \"1\", \"2\"";
    check(choice, json!(3), &[want]);
    let choice = json!({"type": "string", "nullable": true, "enum": ["a", null]});
    let want = "spec: Unsupported value: null: supported values: \"a\", \"null\"";
    check(choice, json!(null), &[want]);
    let choice = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true,
        "enum": [{"a": [1]}]});
    check(choice.clone(), json!({"a": [1]}), &[]);
    let want = "spec: Unsupported value: {\"a\":[2]}: supported values: \"{\\\"a\\\":[1]}\"";
    check(choice, json!({"a": [2]}), &[want]);
}

#[test]
fn branches() {
    let both = json!({"a": {"type": "string"}, "b": {"type": "string"}});
    let of = |name: &str| {
        json!({"type": "object", "properties": both.clone(),
            name: [{"required": ["a"]}, {"required": ["b"]}]})
    };
    check(of("oneOf"), json!({"a": "x"}), &[]);
    check(
        of("oneOf"),
        json!({}),
        &[
            "<nil>: Invalid value: \"\": \"spec\" must validate one and only one schema (oneOf). \
         Found none valid",
            "spec.a: Required value",
        ],
    );
    check(
        of("oneOf"),
        json!({"a": "x", "b": "x"}),
        &["<nil>: Invalid value: \"\": \"spec\" must validate one and only one schema (oneOf). \
         Found 2 valid alternatives"],
    );
    check(of("anyOf"), json!({"b": "x"}), &[]);
    check(
        of("anyOf"),
        json!({}),
        &[
            "<nil>: Invalid value: \"\": \"spec\" must validate at least one schema (anyOf)",
            "spec.a: Required value",
        ],
    );
    check(
        of("allOf"),
        json!({"a": "x"}),
        &[
            "spec.b: Required value",
            "<nil>: Invalid value: \"\": \"spec\" must validate all the schemas (allOf)",
        ],
    );
    check(
        of("allOf"),
        json!({}),
        &[
            "spec.a: Required value",
            "spec.b: Required value",
            "<nil>: Invalid value: \"\": \"spec\" must validate all the schemas (allOf). None validated",
        ],
    );
    let not = json!({"type": "object", "properties": both, "not": {"required": ["a"]}});
    check(
        not,
        json!({"a": "x"}),
        &["<nil>: Invalid value: \"\": \"spec\" must not validate the schema (not)"],
    );
}

#[test]
fn the_best_branch_is_told() {
    let spec = json!({"type": "object", "properties": {
    "a": {"type": "string"}, "b": {"type": "string"}, "c": {"type": "string"}},
    "anyOf": [
        {"required": ["a"]},
        {"properties": {"b": {"pattern": "^x$"}, "c": {"pattern": "^y$"}}, "required": ["b"]},
    ]});
    check(
        spec,
        json!({"b": "z", "c": "y"}),
        &[
            "<nil>: Invalid value: \"\": \"spec\" must validate at least one schema (anyOf)",
            "spec.b: Invalid value: \"z\": spec.b in body should match '^x$'",
        ],
    );
}

#[test]
fn the_same_text_is_told_once() {
    let spec = json!({"type": "integer", "minimum": 5, "allOf": [{"minimum": 5}, {"minimum": 5}]});
    check(
        spec,
        json!(1),
        &[
            "spec: Invalid value: 1: spec in body should be greater than or equal to 5",
            "<nil>: Invalid value: \"\": \"spec\" must validate all the schemas (allOf). None validated",
        ],
    );
}

#[test]
fn what_did_not_change_is_forgiven() {
    let spec = json!({"type": "object", "required": ["z"], "properties": {
        "a": {"type": "integer", "maximum": 5},
        "z": {"type": "string"},
        "set": {"type": "array", "items": {"type": "string", "maxLength": 1}},
        "map": {"type": "array", "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["k"], "items": {"type": "object", "required": ["k"],
            "properties": {"k": {"type": "string"}, "v": {"type": "integer", "maximum": 5}}}}}});
    let check = |new, old, want: &[&str]| check_update(spec.clone(), new, old, want);
    let over = "spec.a: Invalid value: 7: spec.a in body should be less than or equal to 5";
    check(json!({"a": 6, "z": "n"}), json!({"a": 6, "z": "o"}), &[]);
    check(json!({"a": 7, "z": ""}), json!({"a": 6, "z": ""}), &[over]);
    check(json!({"a": 1}), json!({"a": 1}), &[]);
    check(json!({"a": 1}), json!({"a": 2}), &["spec.z: Required value"]);
    // A plain list is one thing: a change anywhere makes all of it new.
    check(json!({"z": "", "set": ["aa"]}), json!({"z": "x", "set": ["aa"]}), &[]);
    let want = ["spec.set[0]: Too long: may not be more than 1 byte"];
    check(json!({"z": "", "set": ["aa", "b"]}), json!({"z": "", "set": ["aa"]}), &want);
    // Items with keys are judged one by one, wherever they stand.
    let item = |key: &str, value: i64| json!({"k": key, "v": value});
    let old = json!({"z": "", "map": [item("a", 6), item("b", 7)]});
    check(json!({"z": "", "map": [item("b", 7), item("c", 1)]}), old.clone(), &[]);
    let want = ["spec.map[0].v: Invalid value: 8: spec.map[0].v in body should be less than or \
                 equal to 5"];
    check(json!({"z": "", "map": [item("b", 8), item("a", 6)]}), old, &want);
}
