//! Remedies, and that none is missing.

use std::collections::BTreeSet;

use serde_json::Value;
use udn_wire::deploy;

use super::rules::{EITHER, REMEDIES};
use super::{closest, field, missing, policy_path, range, rule, unknown_field};
use crate::manifest::{documents, path_text};

/// Every message of a rule or a policy below a value.
fn messages(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            let is_rule = fields.contains_key("rule") || fields.contains_key("expression");
            if let (true, Some(Value::String(message))) = (is_rule, fields.get("message")) {
                found.insert(message.clone());
            }
            fields.values().for_each(|value| messages(value, found));
        }
        Value::Array(items) => items.iter().for_each(|value| messages(value, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn deployed() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for manifest in deploy::CRDS.iter().chain(deploy::POLICIES) {
        for document in documents(manifest.text) {
            for object in document.objects().expect(manifest.path) {
                messages(&object.value, &mut found);
            }
        }
    }
    found
}

#[test]
fn every_rule_has_a_remedy() {
    let deployed = deployed();
    assert!(deployed.len() > 60, "only {} messages were found", deployed.len());
    let missing: Vec<&String> = deployed.iter().filter(|it| rule(it, true).is_none()).collect();
    assert!(missing.is_empty(), "no remedy for {missing:#?}");
}

#[test]
fn every_remedy_has_a_rule() {
    let deployed = deployed();
    let messages = REMEDIES.iter().map(|(it, _)| *it).chain(EITHER.iter().map(|(it, _, _)| *it));
    let messages: Vec<&str> = messages.collect();
    let unused: Vec<&&str> = messages.iter().filter(|it| !deployed.contains(**it)).collect();
    assert!(unused.is_empty(), "no rule says {unused:#?}");
    let once: BTreeSet<&&str> = messages.iter().collect();
    assert_eq!(once.len(), messages.len(), "a message stands twice");
}

#[test]
fn a_field_that_goes_with_another_is_added_or_removed() {
    let message = "spec.layer2 is required when topology is Layer2 and forbidden otherwise";
    assert!(rule(message, true).is_some_and(|it| it.starts_with("remove")));
    assert!(rule(message, false).is_some_and(|it| it.starts_with("add")));
}

#[test]
fn fields_are_mended_by_what_the_server_says_of_them() {
    let check = |reason: &str, name: &str, detail: &str, want: &str| {
        assert_eq!(field(reason, name, detail), want);
    };
    check("FieldValueRequired", "role", "", "add `role`");
    let supported = "supported values: \"Layer2\", \"Layer3\", \"Localnet\"";
    check("FieldValueNotSupported", "topology", supported, "write Layer2, Layer3 or Localnet");
    let integer = "spec.mtu in body must be of type integer: \"string\"";
    check("FieldValueTypeInvalid", "mtu", integer, "write a whole number without quotes");
    let bound = "spec.mtu in body should be greater than or equal to 576";
    check("FieldValueInvalid", "mtu", bound, "write a number of at least 576");
    let items = "must have at most 2 items";
    check(
        "FieldValueTooMany",
        "subnets",
        items,
        "take some out; `subnets` must have at most 2 items",
    );
    let bytes = "may not be more than 43 bytes";
    check("FieldValueTooLong", "x", bytes, "shorten it; it may not be more than 43 bytes");
    let pattern = "spec.x in body should match '^[a-z]+$'";
    check("FieldValueInvalid", "x", pattern, "write something that matches '^[a-z]+$'");
}

#[test]
fn a_missing_field_is_told_with_what_it_may_be() {
    assert_eq!(missing("role", &[]), "add `role`");
    assert_eq!(missing("role", &["Secondary"]), "add `role: Secondary`");
    assert_eq!(missing("role", &["Primary", "Secondary"]), "add `role`: Primary or Secondary");
}

#[test]
fn numbers_are_told_from_where_to_where() {
    assert_eq!(range(576.0, 65536.0), "write a number from 576 to 65536");
}

#[test]
fn what_a_policy_denies_is_shown_where_it_looks() {
    let check = |message: &str, want: &str| assert_eq!(path_text(&policy_path(message)), want);
    check("The 'a.b/c' label cannot be added", "metadata.labels.a.b/c");
    check("The 'a.b/c' annotation cannot be changed", "metadata.annotations.a.b/c");
    check("No", "");
}

#[test]
fn a_misspelled_field_is_recognised() {
    let known = ["role", "mtu", "subnets", "joinSubnets", "ipam"];
    for (word, want) in [("subnet", "subnets"), ("Role", "role"), ("joinsubnet", "joinSubnets")] {
        assert_eq!(closest(word, known), Some(want));
    }
    assert_eq!(closest("gateway", known), None);
    assert_eq!(unknown_field("MTU", known), "did you mean `mtu`?");
    let want = "remove this field; known here: role, mtu, subnets, joinSubnets, ipam";
    assert_eq!(unknown_field("gateway", known), want);
}
