//! Sets of fields, written as they stand on the wire.

use serde_json::{Value, json};

use super::Fields;

fn set(wire: Value) -> Fields {
    Fields::read(&wire).expect("it is a set")
}

fn one() -> Fields {
    set(
        json!({"f:a": {".": {}, "f:b": {}}, "f:c": {}, "f:l": {"k:{\"n\":1}": {".": {}, "f:n": {}}}}),
    )
}

fn other() -> Fields {
    set(json!({"f:a": {}, "f:c": {"f:d": {}}, "f:l": {"k:{\"n\":1}": {"f:n": {}}}}))
}

#[test]
fn sets_are_written_as_they_were_read() {
    let wire = json!({
        "f:spec": {".": {}, "f:tags": {"v:\"a\"": {}, "v:1": {}}, "f:list": {"i:0": {}}},
        "f:status": {},
    });
    assert_eq!(set(wire.clone()).write(), wire);
}

#[test]
fn names_are_written_in_one_way() {
    assert_eq!(set(json!({"v:1.0": {}})), set(json!({"v:1": {}})));
    let odd = set(json!({"k:{\"b\": 1, \"a\": \"<\"}": {}, "x:unknown": {}}));
    assert_eq!(odd.write(), json!({"k:{\"a\":\"\\u003c\",\"b\":1}": {}}));
}

#[test]
fn what_is_no_set_is_not_read() {
    for wire in
        [json!(1), json!({"f:a": 1}), json!({"k:{": {}}), json!({"i:x": {}}), json!({"f": {}})]
    {
        assert_eq!(Fields::read(&wire), None, "{wire}");
    }
}

#[test]
fn a_union_has_the_fields_of_both() {
    let mut both = one();
    both.add(other());
    let want = json!({
        "f:a": {".": {}, "f:b": {}},
        "f:c": {".": {}, "f:d": {}},
        "f:l": {"k:{\"n\":1}": {".": {}, "f:n": {}}},
    });
    assert_eq!(both.write(), want);
}

#[test]
fn a_difference_keeps_what_is_below() {
    let mut rest = one();
    rest.subtract(&other());
    let want = json!({"f:a": {"f:b": {}}, "f:c": {}, "f:l": {"k:{\"n\":1}": {}}});
    assert_eq!(rest.write(), want);
}

#[test]
fn a_whole_difference_takes_what_is_below() {
    let mut rest = one();
    rest.subtract_whole(&other());
    assert_eq!(rest.write(), json!({"f:c": {}, "f:l": {"k:{\"n\":1}": {}}}));
}

#[test]
fn shared_fields_are_those_of_both() {
    let want = json!({"f:a": {}, "f:l": {"k:{\"n\":1}": {"f:n": {}}}});
    assert_eq!(one().shared(&other()).write(), want);
}

#[test]
fn a_set_touches_what_has_one_of_its_fields() {
    assert!(one().touches(&json!({"f:a": {"f:b": {}}})));
    assert!(one().touches(&json!({"f:a": {".": {}, "f:z": {}}})));
    assert!(!one().touches(&json!({"f:a": {"f:z": {}}})));
    assert!(!one().touches(&json!({"f:z": {}})));
}
