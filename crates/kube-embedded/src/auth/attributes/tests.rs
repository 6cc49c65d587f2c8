//! Refusals, word for word as kube-apiserver 1.35 gave them.

use serde_json::json;

use super::*;

fn check(attributes: Attributes<'_>, message: &str, details: Value) {
    let refusal = attributes.forbidden(&User::new("jane", []), "");
    assert_eq!(refusal.message, message);
    assert_eq!((refusal.code, &*refusal.reason), (403, "Forbidden"));
    assert_eq!(refusal.details, details);
}

const PODS: Attributes<'static> = Attributes {
    verb: "list",
    group: "",
    version: "v1",
    resource: "pods",
    subresource: "",
    namespace: "",
    name: "",
    path: None,
};

#[test]
fn a_collection_is_named_with_its_place() {
    check(
        PODS,
        r#"pods is forbidden: User "jane" cannot list resource "pods" in API group "" at the cluster scope"#,
        json!({"kind": "pods"}),
    );
    check(
        Attributes { namespace: "default", ..PODS },
        r#"pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "default""#,
        json!({"kind": "pods"}),
    );
}

#[test]
fn a_subresource_is_named_in_the_reason_alone() {
    let attributes = Attributes {
        verb: "patch",
        group: "apps",
        resource: "deployments",
        subresource: "status",
        namespace: "a",
        name: "x",
        ..PODS
    };
    check(
        attributes,
        r#"deployments.apps "x" is forbidden: User "jane" cannot patch resource "deployments/status" in API group "apps" in the namespace "a""#,
        json!({"name": "x", "group": "apps", "kind": "deployments"}),
    );
}

#[test]
fn a_path_has_no_details() {
    check(
        Attributes::of_path("get", "/foo"),
        r#"forbidden: User "jane" cannot get path "/foo""#,
        json!({}),
    );
}
