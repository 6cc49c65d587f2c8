//! What holds of every apply and of every record, whatever the objects.

use std::sync::LazyLock;

use kube_schema::Schema;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::schemas::schema;
use crate::apply::{Manager, Target, apply, settle_times, track};

const EARLY: &str = "2030-01-01T00:00:00Z";
const LATE: &str = "2030-01-02T00:00:00Z";

static THING: LazyLock<Schema> = LazyLock::new(|| schema("Thing"));

fn target() -> Target<'static> {
    Target {
        kind: "Thing",
        api_version: "x.io/v1",
        schema: &THING,
        is_custom: true,
        subresource: "",
        ignored: &[&["status"]],
        served: &["x.io/v1"],
    }
}

fn applied(live: Option<&Value>, spec: &Value, name: &str, time: &str) -> Value {
    let manager = Manager { name, time };
    apply(live, &thing(spec), target(), manager, true).expect("a forced apply succeeds")
}

fn thing(spec: &Value) -> Value {
    json!({
        "apiVersion": "x.io/v1",
        "kind": "Thing",
        "metadata": {"name": "t", "namespace": "n", "uid": "u"},
        "spec": spec,
    })
}

/// Fields of a spec, those of one half or of the other.
fn spec(half: usize) -> impl Strategy<Value = Value> {
    let letters = ["ab", "cd"][half];
    let letter = move || prop::sample::select(letters.chars().collect::<Vec<_>>());
    let name = move || letter().prop_map(String::from);
    let labels = prop::collection::btree_map(name(), "[uv]", 0..3);
    let tags = prop::collection::btree_set(name(), 0..3);
    let port = (prop::sample::select(vec![80 + half, 82 + half]), prop::option::of("[xy]"));
    let ports = prop::collection::btree_map(port.0, port.1, 0..3);
    let number = 0..3_u8;
    (labels, tags, ports, number).prop_map(move |(labels, tags, ports, number)| {
        let ports: Vec<Value> = ports.into_iter().map(port_of).collect();
        let own = [json!({"replicas": number}), json!({"words": [number.to_string()]})];
        let mut spec = json!({"labels": labels, "tags": tags, "ports": ports});
        let own = own[half].as_object().cloned().unwrap_or_default();
        spec.as_object_mut().expect("it is an object").extend(own);
        without_empty(spec)
    })
}

fn port_of((port, name): (usize, Option<String>)) -> Value {
    match name {
        Some(name) => json!({"port": port, "name": name}),
        None => json!({"port": port}),
    }
}

fn without_empty(spec: Value) -> Value {
    let is_empty = |value: &Value| *value == json!({}) || *value == json!([]);
    let fields = spec.as_object().cloned().unwrap_or_default();
    fields.into_iter().filter(|(_, value)| !is_empty(value)).collect::<Map<_, _>>().into()
}

/// An object whose lists are sorted, for lists that two wrote have the order of who came first.
fn sorted(mut object: Value) -> Value {
    for list in ["tags", "ports"] {
        if let Some(items) = object["spec"].get_mut(list).and_then(Value::as_array_mut) {
            items.sort_by_cached_key(Value::to_string);
        }
    }
    object
}

proptest! {
    // soak: draws from PROPTEST_RNG_SEED
    #[test]
    fn a_repeated_apply_changes_nothing(one in spec(0), other in spec(1)) {
        let first = applied(None, &one, "a", EARLY);
        let both = applied(Some(&first), &other, "b", EARLY);
        prop_assert_eq!(&applied(Some(&both), &other, "b", LATE), &both);
        prop_assert_eq!(&applied(Some(&both), &one, "a", LATE), &both);
    }

    // soak: draws from PROPTEST_RNG_SEED
    #[test]
    fn appliers_of_other_fields_may_come_in_any_order(one in spec(0), other in spec(1)) {
        let one_first = applied(Some(&applied(None, &one, "a", EARLY)), &other, "b", EARLY);
        let other_first = applied(Some(&applied(None, &other, "b", EARLY)), &one, "a", EARLY);
        prop_assert_eq!(sorted(one_first), sorted(other_first));
    }

    // soak: draws from PROPTEST_RNG_SEED
    #[test]
    fn what_an_applier_takes_back_is_as_if_it_had_never_applied(one in spec(0), other in spec(1)) {
        let before = applied(None, &one, "a", EARLY);
        let during = applied(Some(&before), &other, "b", EARLY);
        let after = applied(Some(&during), &json!({}), "b", EARLY);
        let entry = after["metadata"]["managedFields"].as_array().map(Vec::len);
        prop_assert_eq!(entry.unwrap_or_default() <= 2, true);
        prop_assert_eq!(&after["spec"], &before["spec"]);
    }

    // soak: draws from PROPTEST_RNG_SEED
    #[test]
    fn a_forced_apply_is_seen_in_the_object(one in spec(0), other in spec(0)) {
        let before = applied(None, &one, "a", EARLY);
        let after = applied(Some(&before), &other, "b", EARLY);
        for (name, value) in other["labels"].as_object().into_iter().flatten() {
            prop_assert_eq!(&after["spec"]["labels"][name], value);
        }
    }

    // soak: draws from PROPTEST_RNG_SEED
    #[test]
    fn an_update_that_changes_nothing_keeps_the_record(one in spec(0), other in spec(1)) {
        let mut old = thing(&one);
        track(None, &mut old, target(), Manager { name: "a", time: EARLY });
        let old = applied(Some(&old), &other, "b", EARLY);
        let mut new = old.clone();
        track(Some(&old), &mut new, target(), Manager { name: "c", time: LATE });
        prop_assert_eq!(&new, &old);
    }

    // soak: draws from PROPTEST_RNG_SEED
    #[test]
    fn what_is_updated_belongs_to_who_updated_it(one in spec(0), other in spec(1)) {
        let mut old = thing(&one);
        track(None, &mut old, target(), Manager { name: "a", time: EARLY });
        let mut new = old.clone();
        new["spec"] = other.clone();
        track(Some(&old), &mut new, target(), Manager { name: "b", time: LATE });
        let back = applied(Some(&new), &other, "b", LATE);
        prop_assert_eq!(back["spec"].clone(), new["spec"].clone());
        let refused = apply(Some(&new), &thing(&json!({"words": ["q"]})), target(),
            Manager { name: "c", time: LATE }, false);
        prop_assert_eq!(refused.expect_err("the words are owned").code, 409);
    }
}

#[test]
fn times_that_alone_changed_are_put_back() {
    let old = applied(None, &json!({"replicas": 1}), "a", EARLY);
    let mut new = applied(None, &json!({"replicas": 1}), "a", LATE);
    settle_times(&old, &mut new);
    assert_eq!(new, old);
}

#[test]
fn times_stay_where_more_changed() {
    let old = applied(None, &json!({"replicas": 1}), "a", EARLY);
    let mut new = applied(None, &json!({"replicas": 2}), "a", LATE);
    let want = new.clone();
    settle_times(&old, &mut new);
    assert_eq!(new, want);
}

#[test]
fn what_is_no_object_gets_no_record() {
    for odd in [json!([]), json!({"metadata": "text"}), json!(null)] {
        let mut new = odd.clone();
        track(None, &mut new, target(), Manager { name: "a", time: EARLY });
        assert_eq!(new, odd);
    }
}
