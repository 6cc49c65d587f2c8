//! Acting as others, word for word as kube-apiserver 1.35 answered.

use std::sync::Arc;

use axum::http::{HeaderName, HeaderValue};
use serde_json::{Value, json};

use super::*;
use crate::auth::Rules;

fn ask(user: &str, headers: &[(&'static str, &'static str)]) -> Result<Value, (u16, String)> {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        let name = HeaderName::from_bytes(name.as_bytes()).expect("it is a name");
        map.append(name, HeaderValue::from_static(value));
    }
    let groups = (user == "admin").then_some("system:masters");
    let rules = json!([{"apiGroups": [""], "resources": ["users"], "verbs": ["impersonate"]}]);
    let authorizer = Authorizer::Rbac(Arc::new(Rules::new(&[
        json!({"kind": "ClusterRole", "metadata": {"name": "users"}, "rules": rules}),
        json!({
            "kind": "ClusterRoleBinding",
            "metadata": {"name": "users"},
            "roleRef": {"kind": "ClusterRole", "name": "users"},
            "subjects": [{"kind": "User", "name": "joe"}],
        }),
    ])));
    let user = impersonate(&map, User::new(user, groups), &authorizer);
    user.map(|user| user.to_value()).map_err(|refusal| (refusal.code, refusal.message))
}

#[test]
fn without_headers_everyone_is_themselves() {
    assert_eq!(ask("jane", &[]), Ok(json!({"username": "jane"})));
}

#[test]
fn every_part_of_a_user_may_be_taken_on() {
    let headers = [
        ("impersonate-user", "bob"),
        ("impersonate-group", "g1"),
        ("impersonate-uid", "77"),
        ("impersonate-extra-acme.com%2fproject", "p1"),
        ("impersonate-extra-scopes", "view"),
        ("impersonate-extra-scopes", "dev"),
    ];
    assert_eq!(
        ask("admin", &headers),
        Ok(json!({
            "username": "bob",
            "uid": "77",
            "groups": ["g1", "system:authenticated"],
            "extra": {"acme.com/project": ["p1"], "scopes": ["view", "dev"]},
        }))
    );
}

#[test]
fn accounts_and_strangers_have_their_own_groups() {
    assert_eq!(
        ask("admin", &[("impersonate-user", "system:serviceaccount:default:x")]),
        Ok(json!({
            "username": "system:serviceaccount:default:x",
            "groups": [
                "system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated",
            ],
        }))
    );
    assert_eq!(
        ask("admin", &[("impersonate-user", "system:anonymous")]),
        Ok(json!({"username": "system:anonymous", "groups": ["system:unauthenticated"]}))
    );
}

#[test]
fn who_may_not_is_refused() {
    for (user, why) in [
        (
            "bob",
            r#"users "bob" is forbidden: User "jane" cannot impersonate resource "users" in API group "" at the cluster scope"#,
        ),
        (
            "system:serviceaccount:default:x",
            r#"serviceaccounts "x" is forbidden: User "jane" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "default""#,
        ),
    ] {
        let refused = ask("jane", &[("impersonate-user", user)]);
        assert_eq!(refused, Err((403, why.to_owned())));
    }
}

#[test]
fn every_part_needs_its_own_grant() {
    let user = ("impersonate-user", "bob");
    assert!(ask("joe", &[user]).is_ok());
    assert!(ask("joe", &[("impersonate-user", "system:serviceaccount:a:b:c")]).is_ok());
    for (header, why) in [
        (
            ("impersonate-extra-scopes", "view"),
            r#"userextras.authentication.k8s.io "view" is forbidden: User "joe" cannot impersonate resource "userextras/scopes" in API group "authentication.k8s.io" at the cluster scope"#,
        ),
        (
            ("impersonate-uid", "5"),
            r#"uids.authentication.k8s.io "5" is forbidden: User "joe" cannot impersonate resource "uids" in API group "authentication.k8s.io" at the cluster scope"#,
        ),
        (
            ("impersonate-group", "g"),
            r#"groups "g" is forbidden: User "joe" cannot impersonate resource "groups" in API group "" at the cluster scope"#,
        ),
    ] {
        assert_eq!(ask("joe", &[user, header]), Err((403, why.to_owned())));
    }
}

#[test]
fn a_group_alone_is_nobody() {
    for (headers, why) in [
        (
            vec![("impersonate-extra-a", "b"), ("impersonate-group", "g")],
            "requested [{Group  g    } {UserExtra  b  authentication.k8s.io/v1  a}] without impersonating a user",
        ),
        (
            vec![("impersonate-uid", "5")],
            "requested [{UID  5  authentication.k8s.io/v1  }] without impersonating a user",
        ),
    ] {
        assert_eq!(ask("admin", &headers), Err((400, why.to_owned())));
    }
}

#[test]
fn escapes_in_names_are_resolved_or_stay() {
    for (text, want) in [("a%2fb", "a/b"), ("a%2", "a%2"), ("%zz", "%zz"), ("%ff", "%ff")] {
        assert_eq!(unescape(text), want);
    }
}
