//! Selectors and what they select.

use serde_json::json;

use super::*;

fn check(selector: Value, labels: Value, want: bool) {
    assert_eq!(selects(&selector, &labels), want, "{selector} of {labels}");
}

#[test]
fn an_empty_selector_selects_everything() {
    check(json!({}), Value::Null, true);
    check(Value::Null, json!({"a": "b"}), true);
}

#[test]
fn equal_labels_are_selected() {
    check(json!({"matchLabels": {"a": "b"}}), json!({"a": "b", "c": "d"}), true);
    check(json!({"matchLabels": {"a": "b"}}), json!({"a": "c"}), false);
    check(json!({"matchLabels": {"a": "b"}}), Value::Null, false);
}

#[test]
fn expressions_are_all_met() {
    let wants = |operator: &str, values: Value| json!({"matchExpressions": [{"key": "a", "operator": operator, "values": values}]});
    check(wants("In", json!(["b", "c"])), json!({"a": "c"}), true);
    check(wants("In", json!(["b"])), json!({}), false);
    check(wants("NotIn", json!(["b"])), json!({}), true);
    check(wants("NotIn", json!(["b"])), json!({"a": "b"}), false);
    check(wants("Exists", json!(null)), json!({"a": ""}), true);
    check(wants("DoesNotExist", json!(null)), json!({"a": ""}), false);
    check(wants("Whatever", json!([])), json!({"a": ""}), false);
}
