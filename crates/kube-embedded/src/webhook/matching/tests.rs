//! Which requests are matched.

use serde_json::json;

use super::*;
use crate::auth::User;
use crate::webhook::tests::{configmaps, deployments, namespaces};

/// A request on a ConfigMap in a namespace, with labels on all three objects.
fn check(hook: Value, change: impl FnOnce(&mut Review<'_>), want: bool) {
    let object = json!({"metadata": {"labels": {"mode": "new"}}});
    let old = json!({"metadata": {"labels": {"mode": "old"}}});
    let namespace = json!({"metadata": {"labels": {"team": "a"}}});
    let (user, kind) = (User::anonymous(), configmaps());
    let mut review = Review {
        operation: "UPDATE",
        kind: &kind,
        subresource: "",
        name: "x",
        namespace: "default",
        object: Some(&object),
        old_object: Some(&old),
        options: &Value::Null,
        is_dry_run: false,
        user: &user,
        namespace_object: Some(&namespace),
    };
    change(&mut review);
    assert_eq!(version(&hook, &review).is_some(), want, "{hook}");
}

fn rule(operation: &str, group: &str, resource: &str, scope: &str) -> Value {
    json!({"rules": [{
        "operations": [operation], "apiGroups": [group], "apiVersions": ["v1"],
        "resources": [resource], "scope": scope,
    }]})
}

fn selecting(field: &str, key: &str, value: &str) -> Value {
    let mut hook = rule("*", "*", "*", "*");
    hook[field] = json!({"matchLabels": {key: value}});
    hook
}

#[test]
fn rules_name_what_they_want() {
    check(rule("UPDATE", "", "configmaps", "*"), |_| {}, true);
    check(rule("*", "*", "*", "Namespaced"), |_| {}, true);
    check(rule("CREATE", "", "configmaps", "*"), |_| {}, false);
    check(rule("UPDATE", "apps", "configmaps", "*"), |_| {}, false);
    check(rule("UPDATE", "", "secrets", "*"), |_| {}, false);
    check(rule("UPDATE", "", "configmaps", "Cluster"), |_| {}, false);
    check(json!({}), |_| {}, false);
}

#[test]
fn subresources_are_wanted_by_name() {
    let status = |review: &mut Review<'_>| review.subresource = "status";
    check(rule("*", "*", "*", "*"), status, false);
    check(rule("*", "*", "configmaps", "*"), status, false);
    check(rule("*", "*", "*/*", "*"), status, true);
    check(rule("*", "*", "configmaps/*", "*"), status, true);
    check(rule("*", "*", "*/status", "*"), status, true);
    check(rule("*", "*", "configmaps/scale", "*"), status, false);
    check(rule("*", "*", "*/*", "*"), |_| {}, true);
}

#[test]
fn one_of_two_objects_is_enough() {
    check(selecting("objectSelector", "mode", "new"), |_| {}, true);
    check(selecting("objectSelector", "mode", "old"), |_| {}, true);
    check(selecting("objectSelector", "mode", "other"), |_| {}, false);
    check(selecting("objectSelector", "mode", "new"), |review| review.object = None, false);
}

#[test]
fn a_namespace_is_selected_by_its_labels() {
    check(selecting("namespaceSelector", "team", "a"), |_| {}, true);
    check(selecting("namespaceSelector", "team", "b"), |_| {}, false);
    check(selecting("namespaceSelector", "team", "b"), |review| review.namespace = "", true);
    let kind = namespaces();
    for (label, want) in [("new", true), ("old", false)] {
        let object = json!({"metadata": {"labels": {"mode": "new"}}});
        let user = User::anonymous();
        let review = Review {
            operation: "UPDATE",
            kind: &kind,
            subresource: "",
            name: "x",
            namespace: "x",
            object: Some(&object),
            old_object: None,
            options: &Value::Null,
            is_dry_run: false,
            user: &user,
            namespace_object: None,
        };
        let hook = selecting("namespaceSelector", "mode", label);
        assert_eq!(version(&hook, &review).is_some(), want);
        assert!(version(&rule("*", "", "namespaces", "Cluster"), &review).is_some());
    }
}

#[test]
fn groups_are_told_apart() {
    let kind = deployments();
    let user = User::anonymous();
    let review = Review {
        operation: "DELETE",
        kind: &kind,
        subresource: "",
        name: "x",
        namespace: "a",
        object: None,
        old_object: None,
        options: &Value::Null,
        is_dry_run: false,
        user: &user,
        namespace_object: None,
    };
    assert!(version(&rule("DELETE", "apps", "deployments", "*"), &review).is_some());
    assert!(version(&rule("DELETE", "", "deployments", "*"), &review).is_none());
}
