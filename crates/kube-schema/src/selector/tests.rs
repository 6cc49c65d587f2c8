//! Selectors and what they select.

use serde_json::json;

use super::*;

fn check(selector: Value, labels: Value, want: bool) {
    let object = json!({"metadata": {"labels": labels}});
    let found = LabelSelector::read_or_everything(&selector);
    let found = found.is_ok_and(|selector| selector.matches_object(&object));
    assert_eq!(found, want, "{selector} of {labels}");
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

#[test]
fn a_selector_in_json_is_printed_by_key() {
    for (selector, want) in [
        (json!({}), Ok("")),
        (
            json!({"matchLabels": {"b": "1"}, "matchExpressions": [
                {"key": "z", "operator": "NotIn", "values": ["q", "p"]},
                {"key": "a", "operator": "Exists"},
                {"key": "c", "operator": "DoesNotExist"},
            ]}),
            Ok("a,b=1,!c,z notin (p,q)"),
        ),
        (
            json!({"matchExpressions": [{"key": "a", "operator": "In"}]}),
            Err(
                "values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty",
            ),
        ),
        (
            json!({"matchExpressions": [{"key": "a", "operator": "Like"}]}),
            Err("\"Like\" is not a valid label selector operator"),
        ),
    ] {
        let found = LabelSelector::read(&selector).map(|selector| selector.to_string());
        assert_eq!(found.as_deref().map_err(String::as_str), want);
    }
}

#[test]
fn no_selector_in_json_selects_nothing() {
    let nothing = LabelSelector::read(&json!(null)).expect("it is one");
    assert!(!nothing.matches_object(&json!({})) && !nothing.selects_everything());
    let everything = LabelSelector::read(&json!({})).expect("it is one");
    assert!(everything.matches_object(&json!({})) && everything.selects_everything());
}

#[test]
fn what_is_wrong_with_a_selector_is_told_by_its_path() {
    let selector = json!({"matchLabels": {"a": "b"}, "matchExpressions": [
        {"key": "a", "operator": "In", "values": ["b"]},
        {"key": "a", "operator": "NotIn"},
        {"key": "a", "operator": "Exists", "values": ["b"]},
        {"key": "a", "operator": "Like"},
        {"key": "a", "operator": "DoesNotExist"},
    ]});
    let found = LabelSelector::check(&selector, &Path::of_fields(["spec"]));
    let found: Vec<String> = found.iter().map(ToString::to_string).collect();
    let want = [
        "spec.matchExpressions[1].values: Required value: must be specified when `operator` is \
         'In' or 'NotIn'",
        "spec.matchExpressions[2].values: Forbidden: may not be specified when `operator` is \
         'Exists' or 'DoesNotExist'",
        "spec.matchExpressions[3].operator: Invalid value: \"Like\": not a valid selector operator",
    ];
    assert_eq!(found, want);
}
