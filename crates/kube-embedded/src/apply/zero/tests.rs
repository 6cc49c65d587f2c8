//! Empty objects, as a real kube-apiserver 1.35 compares new ones with them.

use kube_schema::Schema;
use serde_json::{Value, json};

use super::zero;

fn check(properties: Value, new: Value, want: Value) {
    let document = json!({"type": "object", "properties": properties, "required": ["needed"]});
    let schema = Schema::native(&document).expect("the schema is whole");
    assert_eq!(zero(&schema, &new), want);
}

#[test]
fn structs_that_are_always_there_are_there() {
    let spec = json!({"allOf": [{"type": "object", "required": ["list"], "properties": {
        "list": {"type": "array", "items": {"type": "string"}},
        "pointer": {"type": "object"},
        "protocol": {"type": "string", "default": "TCP"},
    }}], "default": {}});
    check(json!({"spec": spec}), json!({}), json!({"spec": {"list": null}}));
}

#[test]
fn plain_fields_that_cannot_be_left_out_are_there() {
    let properties =
        json!({"value": {"type": "integer", "default": 0}, "needed": {"type": "string"}});
    check(properties, json!({"value": 5}), json!({"value": 0, "needed": ""}));
}

#[test]
fn times_that_are_null_in_a_new_object_are_null() {
    let properties = json!({"eventTime": {"type": "string", "format": "date-time"}});
    check(properties, json!({"eventTime": null}), json!({"eventTime": null}));
}
