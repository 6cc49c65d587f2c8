//! What is asked, by whom, and what comes of it.
//!
//! Takes a way in; returns every answer as its code and message.
//! Invariant: an answer that names nothing of its run is the same on every server.

use kube::config::AuthInfo;
use kube::{Client, Config};
use serde_json::{Value, json};

use crate::shared::ask::{Answer, ask};

/// How to reach a server as its administrator, and as anybody else.
pub(crate) struct Endpoint {
    pub(crate) admin: Client,
    pub(crate) config: Config,
}

impl Endpoint {
    fn with_token(&self, token: &str) -> Client {
        let mut config = self.config.clone();
        config.auth_info = AuthInfo { token: Some(token.to_owned().into()), ..AuthInfo::default() };
        Client::try_from(config).expect("the configuration is usable")
    }

    /// The administrator in the shoes of somebody.
    fn acting_as(&self, user: &str, groups: &[&str]) -> Client {
        let mut config = self.config.clone();
        config.auth_info.impersonate = Some(user.to_owned());
        config.auth_info.impersonate_groups =
            Some(groups.iter().map(|group| (*group).to_owned()).collect());
        Client::try_from(config).expect("the configuration is usable")
    }
}

/// Asks everything.
pub(crate) async fn run(endpoint: &Endpoint) -> Vec<String> {
    prepare(&endpoint.admin).await;
    let mut said = Vec::new();
    let token = token_of(&endpoint.admin, "reader").await;
    let nobody = endpoint.with_token("not-a-token");
    let reader = endpoint.with_token(&token);
    let watcher = endpoint.acting_as("wanda", &["watchers"]);
    let stranger = endpoint.acting_as("stan", &[]);
    let author = endpoint.acting_as("amy", &[]);
    for (name, client) in
        [("nobody", &nobody), ("reader", &reader), ("wanda", &watcher), ("stan", &stranger)]
    {
        for (method, path, body) in requests() {
            let Answer { code, body, warnings } = ask(client, method, path, body.as_ref()).await;
            said.push(format!("{name} {method} {path}: {code} {} {warnings}", essence(&body)));
        }
    }
    for (method, path, body) in roles() {
        let Answer { code, body, .. } = ask(&author, method, path, Some(&body)).await;
        said.push(format!("amy {method} {path}: {code} {}", essence(&body)));
    }
    said
}

/// What an answer says, without what differs from run to run.
fn essence(answer: &Value) -> String {
    match answer["kind"].as_str() {
        Some("Status") => answer["message"].as_str().unwrap_or("").to_owned(),
        Some("SelfSubjectAccessReview") => answer["status"]["allowed"].to_string(),
        Some("SelfSubjectReview") => answer["status"]["userInfo"]["username"].to_string(),
        other => other.unwrap_or("").to_owned(),
    }
}

async fn prepare(admin: &Client) {
    for (path, object) in [
        (
            "/api/v1/namespaces",
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "a"}}),
        ),
        (
            "/api/v1/namespaces/a/serviceaccounts",
            json!({"apiVersion": "v1",
            "kind": "ServiceAccount", "metadata": {"name": "reader"}}),
        ),
        (
            "/api/v1/namespaces/a/configmaps",
            json!({"apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": "known"}}),
        ),
        (ROLES, role("Role", "read", &["get", "list"], &["configmaps"])),
        (
            BINDINGS,
            binding(
                "Role",
                "read",
                json!({"kind": "ServiceAccount", "name": "reader",
            "namespace": "a"}),
            ),
        ),
        (CLUSTER_ROLES, role("ClusterRole", "watch", &["watch", "get"], &["configmaps", "nodes"])),
        (
            CLUSTER_BINDINGS,
            binding(
                "ClusterRole",
                "watch",
                json!({"kind": "Group",
            "apiGroup": "rbac.authorization.k8s.io", "name": "watchers"}),
            ),
        ),
        (
            ROLES,
            json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role",
            "metadata": {"name": "write-roles"}, "rules": [
                {"apiGroups": ["rbac.authorization.k8s.io"], "resources": ["roles", "rolebindings"],
                    "verbs": ["create"]},
                {"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"]}]}),
        ),
        (
            BINDINGS,
            binding(
                "Role",
                "write-roles",
                json!({"kind": "User",
            "apiGroup": "rbac.authorization.k8s.io", "name": "amy"}),
            ),
        ),
    ] {
        let answer = ask(admin, "POST", path, Some(&object)).await;
        assert_eq!(answer.code, 201, "{path}: {answer:?}");
    }
}

const ROLES: &str = "/apis/rbac.authorization.k8s.io/v1/namespaces/a/roles";
const BINDINGS: &str = "/apis/rbac.authorization.k8s.io/v1/namespaces/a/rolebindings";
const CLUSTER_ROLES: &str = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
const CLUSTER_BINDINGS: &str = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings";

fn role(kind: &str, name: &str, verbs: &[&str], resources: &[&str]) -> Value {
    json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind, "metadata": {"name": name},
        "rules": [{"apiGroups": [""], "resources": resources, "verbs": verbs}]})
}

fn binding(kind: &str, role: &str, subject: Value) -> Value {
    let own = if kind == "Role" { "RoleBinding" } else { "ClusterRoleBinding" };
    json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": own, "metadata": {"name": role},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": role},
        "subjects": [subject]})
}

async fn token_of(admin: &Client, account: &str) -> String {
    let path = format!("/api/v1/namespaces/a/serviceaccounts/{account}/token");
    let request = json!({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
        "spec": {"expirationSeconds": 3600}});
    let Answer { code, body, .. } = ask(admin, "POST", &path, Some(&request)).await;
    assert_eq!(code, 201, "{body}");
    body["status"]["token"].as_str().expect("a token").to_owned()
}

fn requests() -> Vec<(&'static str, &'static str, Option<Value>)> {
    let may = |verb: &str, resource: &str, namespace: &str| {
        Some(json!({"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview",
            "spec": {"resourceAttributes": {"verb": verb, "resource": resource,
                "namespace": namespace}}}))
    };
    let map = Some(json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "new"}}));
    let who = Some(json!({"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}));
    const REVIEWS: &str = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    vec![
        ("GET", "/api/v1/namespaces/a/configmaps/known", None),
        ("GET", "/api/v1/namespaces/a/configmaps/unknown", None),
        ("GET", "/api/v1/namespaces/a/configmaps", None),
        ("GET", "/api/v1/configmaps", None),
        ("GET", "/api/v1/namespaces/default/configmaps", None),
        ("POST", "/api/v1/namespaces/a/configmaps", map),
        ("DELETE", "/api/v1/namespaces/a/configmaps/known", None),
        ("DELETE", "/api/v1/namespaces/a/configmaps", None),
        ("PATCH", "/api/v1/namespaces/a/configmaps/known", Some(json!({}))),
        ("GET", "/api/v1/nodes/none", None),
        ("GET", "/api/v1/nodes/none/status", None),
        ("GET", "/apis/apps/v1/deployments", None),
        ("GET", "/version", None),
        ("GET", "/healthz", None),
        ("GET", "/metrics", None),
        ("POST", REVIEWS, may("get", "configmaps", "a")),
        ("POST", REVIEWS, may("delete", "configmaps", "a")),
        ("POST", REVIEWS, may("watch", "nodes", "")),
        ("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", who),
    ]
}

/// Roles and bindings whose author may write some of them.
fn roles() -> Vec<(&'static str, &'static str, Value)> {
    vec![
        ("POST", ROLES, role("Role", "same", &["get"], &["secrets"])),
        ("POST", ROLES, role("Role", "more", &["get", "delete"], &["secrets"])),
        ("POST", ROLES, role("Role", "all", &["*"], &["*"])),
        (
            "POST",
            BINDINGS,
            binding(
                "Role",
                "same",
                json!({"kind": "User", "name": "amy",
            "apiGroup": "rbac.authorization.k8s.io"}),
            ),
        ),
        (
            "POST",
            BINDINGS,
            binding(
                "Role",
                "read",
                json!({"kind": "User", "name": "amy",
            "apiGroup": "rbac.authorization.k8s.io"}),
            ),
        ),
    ]
}
