//! What a real kube-apiserver 1.35 answered to patches of one ConfigMap, and to broken patches.

use kube_schema::Schema;
use serde_json::{Value, json};

use super::{Patch, change, read};
use crate::refusal::Refusal;

const JSON: &str = "application/json-patch+json";
const MERGE: &str = "application/merge-patch+json";
const STRATEGIC: &str = "application/strategic-merge-patch+json";
const APPLY: &str = "application/apply-patch+yaml";

const REJECTED: &str = "the server rejected our request due to an error in our request";

fn current() -> Value {
    json!({"data": {"x": "1"}, "list": [1, 2, 3], "keyed": [{"name": "a", "v": 1}, {"name": "b"}]})
}

fn schema() -> Schema {
    let document = json!({"type": "object", "properties": {
        "data": {"type": "object", "additionalProperties": {"type": "string"}},
        "list": {"type": "array", "items": {"type": "integer"},
                 "x-kubernetes-patch-strategy": "merge"},
        "plain": {"type": "array", "items": {"type": "integer"}},
        "keyed": {
            "type": "array",
            "items": {"type": "object", "properties": {"name": {"type": "string"}}},
            "x-kubernetes-patch-strategy": "merge",
            "x-kubernetes-patch-merge-key": "name",
        },
    }});
    Schema::native(&document).expect("the schema is whole")
}

fn patched(content_type: &str, body: &str) -> Result<Value, Refusal> {
    change(&read(content_type, body.as_bytes(), false)?, &current(), &schema())
}

/// The fields of the object that the patch changes.
fn check(content_type: &str, body: &str, want: Value) {
    let mut whole = current();
    for (name, value) in want.as_object().expect("changes are an object") {
        whole[name] = value.clone();
    }
    assert_eq!(patched(content_type, body), Ok(whole), "{body}");
}

fn refused(content_type: &str, body: &str, code: u16, message: &str) {
    let refusal = patched(content_type, body).expect_err(body);
    assert_eq!((refusal.code, refusal.message.as_str()), (code, message), "{body}");
}

#[test]
fn json_patches_change_as_the_server_changes() {
    let add =
        r#"[{"op":"add","path":"/list/-","value":4},{"op":"add","path":"/list/0","value":0}]"#;
    check(JSON, add, json!({"list": [0, 1, 2, 3, 4]}));
    check(JSON, r#"[{"op":"add","path":"/list/-1","value":9}]"#, json!({"list": [1, 2, 3, 9]}));
    check(JSON, r#"[{"op":"remove","path":"/list/-1"}]"#, json!({"list": [1, 2]}));
    check(JSON, r#"[{"op":"replace","path":"/list/0","value":7}]"#, json!({"list": [7, 2, 3]}));
    check(
        JSON,
        r#"[{"op":"replace","path":"/data/y","value":"1"}]"#,
        json!({"data": {"x": "1", "y": "1"}}),
    );
    check(
        JSON,
        r#"[{"op":"copy","from":"/data/q","path":"/data/z"}]"#,
        json!({"data": {"x": "1", "z": null}}),
    );
    check(
        JSON,
        r#"[{"op":"move","from":"/data/x","path":"/data/a~1b"}]"#,
        json!({"data": {"a/b": "1"}}),
    );
    check(JSON, r#"[{"op":"test","path":"/nullable"}]"#, json!({}));
    check(JSON, r#"[{"op":"test","path":"/list/-1","value":3}]"#, json!({}));
    check(JSON, "null", json!({}));
}

#[test]
fn json_patches_that_do_not_fit_are_rejected_without_a_reason() {
    for body in [
        r#"[{"op":"test","path":"/data/x","value":"2"}]"#,
        r#"[{"op":"test","path":"/data/x","value":null}]"#,
        r#"[{"op":"test","path":"/data/y","value":"2"}]"#,
        r#"[{"op":"remove","path":"/data/y"}]"#,
        r#"[{"op":"remove","path":"/nope/y"}]"#,
        r#"[{"op":"remove","path":""}]"#,
        r#"[{"op":"remove","path":"/list/x"}]"#,
        r#"[{"op":"remove","path":"/list/3"}]"#,
        r#"[{"op":"replace","path":"/nope/y","value":"1"}]"#,
        r#"[{"op":"replace","path":"","value":1}]"#,
        r#"[{"op":"replace","path":"/list/3","value":1}]"#,
        r#"[{"op":"add","path":"/nope/y","value":"1"}]"#,
        r#"[{"op":"add","path":"","value":{}}]"#,
        r#"[{"op":"add","path":"data","value":1}]"#,
        r#"[{"op":"add","path":"/data/x/y","value":5}]"#,
        r#"[{"op":"add","path":"/list/5","value":5}]"#,
        r#"[{"op":"add","value":"1"}]"#,
        r#"[{"op":"bad","path":"/data/y"}]"#,
        r#"[{"path":"/data/y"}]"#,
        r#"[{"op":"move","path":"/data/z"}]"#,
        r#"[{"op":"move","from":"/data/q","path":"/data/z"}]"#,
        "[null]",
    ] {
        refused(JSON, body, 422, REJECTED);
    }
}

#[test]
fn broken_bodies_are_refused_in_the_words_of_the_server() {
    let unmarshal = |what: &str, into: &str| {
        format!("error decoding patch: json: cannot unmarshal {what} into Go {into}")
    };
    refused(JSON, r#"{"a":1}"#, 400, &unmarshal("object", "value of type []handlers.jsonPatchOp"));
    refused(JSON, "[1]", 400, &unmarshal("number", "value of type handlers.jsonPatchOp"));
    let field = "struct field jsonPatchOp.op of type string";
    refused(JSON, r#"[{"op":1,"path":"/data/z"}]"#, 400, &unmarshal("number", field));
    refused(JSON, "", 400, "error decoding patch: unexpected end of JSON input");
    refused(MERGE, "[1]", 400, &unmarshal("array", "value of type map[string]interface {}"));
    refused(MERGE, "\"a\"", 400, &unmarshal("string", "value of type map[string]interface {}"));
    refused(MERGE, "null", 400, "Invalid JSON Patch");
    refused(STRATEGIC, "", 400, "unexpected end of JSON input");
    let map = "json: cannot unmarshal number into Go value of type map[string]interface {}";
    refused(STRATEGIC, "5", 400, map);
    let list = "error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot \
                unmarshal array into Go value of type map[string]interface {}";
    refused(APPLY, "[1]", 400, list);
    let letter = "error decoding patch: invalid character 'o' in literal null (expecting 'u')";
    refused(JSON, "not json", 400, letter);
    let key = "invalid character 'b' looking for beginning of object key string";
    refused(STRATEGIC, "{bad", 400, key);
}

#[test]
fn media_types_that_are_not_offered_are_refused() {
    for media_type in ["application/json", "", "application/apply-patch+cbor"] {
        let refusal = read(media_type, b"{}", false).expect_err("it is not offered");
        assert_eq!((refusal.code, refusal.message.as_str()), (415, "415: Unsupported Media Type"));
    }
    let refusal = read(STRATEGIC, b"{}", true).expect_err("custom kinds have no strategy");
    assert_eq!(refusal.code, 415);
    assert!(refusal.message.starts_with("the body of the request was in an unknown format"));
    assert!(read("application/merge-patch+json; charset=utf-8", b"{}", true).is_ok());
}

#[test]
fn patches_of_too_many_steps_are_refused() {
    let steps = vec![json!({"op": "test", "path": "/data/x", "value": "1"}); 10_001];
    let refusal = read(JSON, Value::from(steps).to_string().as_bytes(), false).expect_err("many");
    let message = "Request entity too large: The allowed maximum operations in a JSON patch is \
                   10000, got 10001";
    assert_eq!((refusal.code, refusal.message.as_str()), (413, message));
}

#[test]
fn configurations_are_yaml_or_json() {
    let yaml = read(APPLY, b"apiVersion: v1\nkind: ConfigMap\ndata: {a: '1'}\n", true);
    let json = read(APPLY, br#"{"apiVersion":"v1","kind":"ConfigMap","data":{"a":"1"}}"#, true);
    assert_eq!(yaml, json);
    assert!(yaml.is_ok_and(|patch| matches!(patch, Patch::Apply(_))));
}

#[test]
fn configurations_are_yaml_as_it_was_before_its_second_version() {
    let data = |yaml: &str| match read(APPLY, format!("data: {{{yaml}}}").as_bytes(), true) {
        Ok(Patch::Apply(config)) => config["data"].clone(),
        other => panic!("{yaml}: {other:?}"),
    };
    assert_eq!(data("a: yes, b: on, c: off"), json!({"a": true, "b": true, "c": false}));
    assert_eq!(data("a: 0777, b: 0x10, c: 0o17"), json!({"a": 511, "b": 16, "c": 15}));
    assert_eq!(data("a: 1_000, b: .5"), json!({"a": 1000, "b": 0.5}));
    assert_eq!(
        data("a: 2001-01-01, 1: x, true: z"),
        json!({"a": "2001-01-01", "1": "x", "true": "z"})
    );
    assert_eq!(data("a: x, a: z"), json!({"a": "z"}));
}

#[test]
fn merge_patches_take_nulls_away() {
    check(MERGE, r#"{"data":{"x":null,"y":"2","z":null}}"#, json!({"data": {"y": "2"}}));
    check(MERGE, r#"{"list":[{"a":null},null]}"#, json!({"list": [{}, null]}));
    check(MERGE, r#"{"data":[{"a":null}]}"#, json!({"data": [{"a": null}]}));
}

#[test]
fn strategic_patches_merge_lists_by_key() {
    let body = r#"{"keyed":[{"name":"b","v":2},{"name":"c"}]}"#;
    let want = json!([{"name": "a", "v": 1}, {"name": "b", "v": 2}, {"name": "c"}]);
    check(STRATEGIC, body, json!({"keyed": want}));
    let body = r#"{"keyed":[{"$patch":"delete","name":"a"}]}"#;
    check(STRATEGIC, body, json!({"keyed": [{"name": "b"}]}));
    let body = r#"{"keyed":[{"$patch":"replace"},{"name":"c"}]}"#;
    check(STRATEGIC, body, json!({"keyed": [{"name": "c"}]}));
    let body =
        r#"{"$setElementOrder/keyed":[{"name":"b"},{"name":"a"}],"keyed":[{"name":"a","v":3}]}"#;
    check(STRATEGIC, body, json!({"keyed": [{"name": "b"}, {"name": "a", "v": 3}]}));
    check(STRATEGIC, r#"{"list":[3,4]}"#, json!({"list": [1, 2, 3, 4]}));
    check(STRATEGIC, r#"{"$deleteFromPrimitiveList/list":[1,3]}"#, json!({"list": [2]}));
    check(STRATEGIC, r#"{"data":{"$patch":"replace","y":"2"}}"#, json!({"data": {"y": "2"}}));
    check(STRATEGIC, r#"{"data":{"$patch":"delete"}}"#, json!({"data": {}}));
    check(STRATEGIC, r#"{"data":{"$retainKeys":["y"],"y":"2"}}"#, json!({"data": {"y": "2"}}));
    check(STRATEGIC, "null", json!({}));
}

#[test]
fn broken_strategic_patches_are_refused_in_the_words_of_the_server() {
    let unknown = "unknown patch type: foo in map: map[$patch:foo]";
    refused(STRATEGIC, r#"{"$patch":"foo"}"#, 500, unknown);
    refused(STRATEGIC, r#"{"data":{"$patch":"foo"}}"#, 500, unknown);
    let retain = "invalid patch format of retainKeys";
    refused(STRATEGIC, r#"{"data":{"$retainKeys":5}}"#, 400, retain);
    refused(STRATEGIC, r#"{"data":{"$retainKeys":["a"],"b":"c"}}"#, 400, retain);
    let list = "expected a []interface {}, but received a int64";
    refused(STRATEGIC, r#"{"$setElementOrder/list":5}"#, 500, list);
    let order = "invalid patch format of setElementOrder list";
    refused(STRATEGIC, r#"{"$setElementOrderlist":["a"]}"#, 400, order);
    let order = "The order in patch list:\n[5]\n doesn't match $setElementOrder list:\n[6]\n";
    refused(STRATEGIC, r#"{"list":[5],"$setElementOrder/list":[6]}"#, 500, order);
    let key = "map: map[v:1] does not contain declared merge key: name";
    refused(STRATEGIC, r#"{"keyed":[{"v":1}]}"#, 500, key);
}
