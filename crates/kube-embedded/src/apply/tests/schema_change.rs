//! Records written under one schema and read under another, as a real server was seen to do.

use kube_schema::Schema;
use serde_json::{Value, json};

use crate::apply::{Manager, Target, apply, track};
use crate::refusal::Refusal;

fn schema(ports: &Value, labels: &Value) -> Schema {
    let mut port_list = json!({"type": "array", "items": {
        "type": "object", "properties": {"port": {"type": "integer"}},
    }});
    let mut label_map = json!({"type": "object", "additionalProperties": {"type": "string"}});
    for (schema, extra) in [(&mut port_list, ports), (&mut label_map, labels)] {
        let extra = extra.as_object().cloned().unwrap_or_default();
        schema.as_object_mut().expect("it is an object").extend(extra);
    }
    let spec = json!({"type": "object", "properties": {
        "labels": label_map, "ports": port_list, "replicas": {"type": "integer"},
    }});
    Schema::native(&json!({"type": "object", "properties": {"spec": spec}})).expect("it is whole")
}

fn granular() -> Schema {
    let keyed = json!({"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port"]});
    schema(&keyed, &json!({}))
}

fn atomic() -> Schema {
    schema(&json!({}), &json!({"x-kubernetes-map-type": "atomic"}))
}

fn target(schema: &Schema) -> Target<'_> {
    let (kind, api_version) = ("Gadget", "x.io/v1");
    Target {
        kind,
        api_version,
        schema,
        is_custom: true,
        subresource: "",
        ignored: &[],
        served: &["x.io/v1"],
    }
}

fn applied(
    live: Option<&Value>,
    spec: Value,
    name: &str,
    schema: &Schema,
) -> Result<Value, Refusal> {
    let config = json!({"apiVersion": "x.io/v1", "kind": "Gadget", "metadata": {"name": "g"},
                        "spec": spec});
    let manager = Manager { name, time: "2030-01-01T00:00:00Z" };
    apply(live, &config, target(schema), manager, false)
}

/// Applied by two while all was granular.
fn shared() -> Value {
    let spec = json!({"ports": [{"port": 1}], "labels": {"q": "r"}});
    let first = applied(None, spec, "m1", &granular()).expect("it is new");
    applied(Some(&first), json!({"ports": [{"port": 2}]}), "m2", &granular()).expect("it is free")
}

fn owned(object: &Value) -> Vec<(&str, &Value)> {
    let entries = object["metadata"]["managedFields"].as_array().into_iter().flatten();
    entries.map(|it| (it["manager"].as_str().unwrap_or_default(), &it["fieldsV1"])).collect()
}

#[test]
fn who_owned_a_part_of_what_became_atomic_owns_it_whole() {
    let after = applied(Some(&shared()), json!({"replicas": 1}), "m3", &atomic()).expect("free");
    let want = [
        ("m1", &json!({"f:spec": {"f:labels": {}, "f:ports": {}}})),
        ("m2", &json!({"f:spec": {"f:ports": {}}})),
        ("m3", &json!({"f:spec": {"f:replicas": {}}})),
    ];
    assert_eq!(owned(&after), want);
}

#[test]
fn what_became_atomic_is_applied_whole() {
    let refusal = applied(Some(&shared()), json!({"ports": [{"port": 2}]}), "m2", &atomic());
    let message = "Apply failed with 1 conflict: conflict with \"m1\": .spec.ports";
    assert_eq!(refusal.expect_err("m1 owns the ports too").message, message);
}

#[test]
fn an_update_of_what_became_atomic_takes_it_from_all() {
    let old = shared();
    let mut new = old.clone();
    new["spec"]["ports"] = json!([]);
    let schema = atomic();
    let manager = Manager { name: "u", time: "2030-01-02T00:00:00Z" };
    track(Some(&old), &mut new, target(&schema), manager);
    let want =
        [("m1", &json!({"f:spec": {"f:labels": {}}})), ("u", &json!({"f:spec": {"f:ports": {}}}))];
    assert_eq!(owned(&new), want);
}

#[test]
fn owners_of_versions_that_are_gone_are_forgotten() {
    let old = shared();
    let mut new = old.clone();
    new["spec"]["replicas"] = json!(2);
    let schema = granular();
    let target = Target { api_version: "x.io/v2", served: &["x.io/v2"], ..target(&schema) };
    let manager = Manager { name: "u", time: "2030-01-02T00:00:00Z" };
    track(Some(&old), &mut new, target, manager);
    assert_eq!(owned(&new), [("u", &json!({"f:spec": {"f:replicas": {}}}))]);
}
