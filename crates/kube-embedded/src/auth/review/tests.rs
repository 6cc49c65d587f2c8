//! Answers, as kube-apiserver 1.35 gave them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::*;
use crate::auth::{Rules, TokenSigner, bootstrap};

fn ask(user: &User, authorizer: &Authorizer, kind: &str, spec: Value) -> Result<Value, String> {
    let metadata = json!({"namespace": "default"});
    let request = json!({
        "apiVersion": "authorization.k8s.io/v1", "kind": kind, "metadata": metadata, "spec": spec,
    });
    let answer = review(&request, user, authorizer, "2026-11-16T04:08:19Z");
    answer.map(|answer| answer["status"].clone()).map_err(|refusal| refusal.message)
}

fn check(kind: &str, spec: Value, want: Result<Value, &str>) {
    let jane = User::new("jane", ["system:authenticated"]);
    let rbac = Authorizer::Rbac(Arc::new(Rules::new(&bootstrap())));
    assert_eq!(ask(&jane, &rbac, kind, spec), want.map_err(str::to_owned));
}

#[test]
fn access_is_decided() {
    let pods =
        json!({"resourceAttributes": {"verb": "get", "resource": "pods", "namespace": "default"}});
    check("SelfSubjectAccessReview", pods, Ok(json!({"allowed": false})));
    let reason = r#"RBAC: allowed by ClusterRoleBinding "system:discovery" of ClusterRole "system:discovery" to Group "system:authenticated""#;
    let version = json!({"verb": "get", "path": "/version"});
    check(
        "SelfSubjectAccessReview",
        json!({"nonResourceAttributes": version}),
        Ok(json!({"allowed": true, "reason": reason})),
    );
    check(
        "SubjectAccessReview",
        json!({"user": "x", "groups": ["system:authenticated"], "nonResourceAttributes": version}),
        Ok(json!({"allowed": true, "reason": reason})),
    );
    check(
        "SubjectAccessReview",
        json!({"groups": ["system:masters"], "nonResourceAttributes": version}),
        Ok(json!({"allowed": true})),
    );
}

#[test]
fn odd_questions_are_refused() {
    let path = json!({"verb": "get", "path": "/x"});
    check(
        "SelfSubjectAccessReview",
        json!({}),
        Err(
            ".authorization.k8s.io \"\" is invalid: spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified",
        ),
    );
    check(
        "SelfSubjectAccessReview",
        json!({"resourceAttributes": {}, "nonResourceAttributes": path}),
        Err(
            ".authorization.k8s.io \"\" is invalid: spec.nonResourceAttributes: Invalid value: {\"Path\":\"/x\",\"Verb\":\"get\"}: cannot be specified in combination with resourceAttributes",
        ),
    );
    check(
        "SubjectAccessReview",
        json!({"nonResourceAttributes": path}),
        Err(
            ".authorization.k8s.io \"\" is invalid: spec.user: Invalid value: \"\": at least one of user or group must be specified",
        ),
    );
    check(
        "LocalSubjectAccessReview",
        json!({"user": "x", "resourceAttributes": {"namespace": "other"}}),
        Err(
            ".authorization.k8s.io \"\" is invalid: spec.resourceAttributes.namespace: Invalid value: \"other\": must match metadata.namespace",
        ),
    );
    check(
        "LocalSubjectAccessReview",
        json!({"user": "x", "nonResourceAttributes": path}),
        Err(
            ".authorization.k8s.io \"\" is invalid: spec.nonResourceAttributes: Invalid value: {\"Path\":\"/x\",\"Verb\":\"get\"}: disallowed on this kind of request",
        ),
    );
    check("SelfSubjectRulesReview", json!({}), Err("no namespace on request"));
}

#[test]
fn rules_are_listed() {
    check(
        "SelfSubjectRulesReview",
        json!({"namespace": "default"}),
        Ok(json!({
            "resourceRules": [
                {"verbs": ["create"], "apiGroups": ["authorization.k8s.io"], "resources": ["selfsubjectaccessreviews", "selfsubjectrulesreviews"]},
                {"verbs": ["create"], "apiGroups": ["authentication.k8s.io"], "resources": ["selfsubjectreviews"]},
            ],
            "nonResourceRules": [
                {"verbs": ["get"], "nonResourceURLs": ["/api", "/api/*", "/apis", "/apis/*", "/healthz", "/livez", "/openapi", "/openapi/*", "/readyz", "/version", "/version/"]},
                {"verbs": ["get"], "nonResourceURLs": ["/healthz", "/livez", "/readyz", "/version", "/version/"]},
            ],
            "incomplete": false,
        })),
    );
}

#[test]
fn without_authorization_every_answer_is_yes() {
    let anonymous = User::anonymous();
    let open = Authorizer::AlwaysAllow;
    let spec = json!({"resourceAttributes": {"verb": "get", "resource": "pods"}});
    let answer = ask(&anonymous, &open, "SelfSubjectAccessReview", spec);
    assert_eq!(answer, Ok(json!({"allowed": true})));
    let answer = ask(&anonymous, &open, "SelfSubjectRulesReview", json!({"namespace": "a"}));
    let all = json!([{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}]);
    assert_eq!(answer.map(|answer| answer["resourceRules"].clone()), Ok(all));
}

#[test]
fn everyone_learns_who_they_are() {
    let jane = User { uid: "u-jane".to_owned(), ..User::new("jane", ["dev"]) };
    let request = json!({"kind": "SelfSubjectReview", "apiVersion": "authentication.k8s.io/v1"});
    let answer = review(&request, &jane, &Authorizer::AlwaysAllow, "2026-11-16T04:08:19Z");
    assert_eq!(
        answer,
        Ok(json!({
            "kind": "SelfSubjectReview",
            "apiVersion": "authentication.k8s.io/v1",
            "metadata": {"creationTimestamp": "2026-11-16T04:08:19Z"},
            "status": {"userInfo": {"username": "jane", "uid": "u-jane", "groups": ["dev"]}},
        }))
    );
}

#[test]
fn tokens_are_looked_up() {
    let signer = TokenSigner::generate("https://kubernetes.default.svc").expect("a key is made");
    let tokens = BTreeMap::from([("t".to_owned(), User::new("jane", []))]);
    let authenticator = Authenticator::new(tokens, signer, true);
    let ask = |spec: Value| {
        let answer = review_token(&json!({ "spec": spec }), &authenticator, &|_| None, 0);
        answer.map(|answer| answer["status"].clone()).map_err(|refusal| refusal.message)
    };
    assert_eq!(
        ask(json!({"token": "t"})),
        Ok(json!({
            "authenticated": true,
            "user": {"username": "jane", "groups": ["system:authenticated"]},
            "audiences": ["https://kubernetes.default.svc"],
        }))
    );
    let unknown = json!({"user": {}, "error": "invalid bearer token"});
    assert_eq!(ask(json!({"token": "x"})), Ok(unknown));
    let why = r#"[invalid bearer token, token audiences ["https://kubernetes.default.svc"] is invalid for the target audiences ["zz"]]"#;
    assert_eq!(
        ask(json!({"token": "t", "audiences": ["zz"]})),
        Ok(json!({"user": {}, "error": why}))
    );
    let none = "token is required for TokenReview in authentication";
    assert_eq!(ask(json!({})), Err(none.to_owned()));
}
