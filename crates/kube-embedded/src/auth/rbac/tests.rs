//! Decisions and their reasons.

use serde_json::json;

use super::*;
use crate::auth::bootstrap;

fn role(name: &str, namespace: Option<&str>, rules: Value) -> Value {
    let kind = if namespace.is_some() { "Role" } else { "ClusterRole" };
    json!({"kind": kind, "metadata": {"name": name, "namespace": namespace}, "rules": rules})
}

fn binding(name: &str, namespace: Option<&str>, role: (&str, &str), subject: Value) -> Value {
    let kind = if namespace.is_some() { "RoleBinding" } else { "ClusterRoleBinding" };
    json!({
        "kind": kind,
        "metadata": {"name": name, "namespace": namespace},
        "roleRef": {"kind": role.0, "name": role.1},
        "subjects": [subject],
    })
}

fn objects() -> Vec<Value> {
    let pods = json!([{"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list"]}]);
    let scale = json!([{"apiGroups": ["*"], "resources": ["*/scale"], "verbs": ["*"]}]);
    let one = json!([{"apiGroups": [""], "resources": ["secrets"], "resourceNames": ["a"], "verbs": ["get"]}]);
    let paths = json!([{"nonResourceURLs": ["/logs/*", "/x"], "verbs": ["get"]}]);
    let user = |name: &str| json!({"kind": "User", "name": name});
    let mut objects = bootstrap();
    objects.extend([
        role("pods", Some("default"), pods.clone()),
        role("pods-everywhere", None, pods),
        role("scale", None, scale),
        role("one", None, one),
        role("paths", None, paths),
        binding("jane", Some("default"), ("Role", "pods"), user("jane")),
        binding("jo", None, ("ClusterRole", "pods-everywhere"), user("jo")),
        binding("sue", Some("a"), ("ClusterRole", "pods-everywhere"), user("sue")),
        binding("scale", None, ("ClusterRole", "scale"), json!({"kind": "Group", "name": "ops"})),
        binding("one", None, ("ClusterRole", "one"), user("jane")),
        binding("paths", None, ("ClusterRole", "paths"), user("jane")),
        binding("lost", None, ("ClusterRole", "nonesuch"), user("jane")),
        binding("edit", Some("a"), ("ClusterRole", "edit"), user("ed")),
        binding(
            "account",
            Some("a"),
            ("ClusterRole", "view"),
            json!({"kind": "ServiceAccount", "name": "sa"}),
        ),
    ]);
    objects
}

/// `verb group/resource[/subresource] namespace name`, or `verb path`.
fn parse(request: &str) -> Attributes<'_> {
    let words: Vec<&str> = request.split(' ').collect();
    match words[..] {
        [verb, path] => Attributes::of_path(verb, path),
        [verb, resource, namespace, name] => {
            let (group, resource) = resource.split_once(':').expect("it names a group");
            let (resource, subresource) = resource.split_once('/').unwrap_or((resource, ""));
            let version = "v1";
            let path = None;
            Attributes { verb, group, version, resource, subresource, namespace, name, path }
        }
        _ => panic!("no request: {request}"),
    }
}

fn check(user: &str, request: &str, want: Option<&str>) {
    let rules = Arc::new(Rules::new(&objects()));
    let user = match user.strip_prefix('@') {
        Some(group) => User::new("somebody", [group]),
        None => User::new(user, []),
    };
    let attributes = parse(request);
    let decision = Authorizer::Rbac(Arc::clone(&rules)).decide(&user, &attributes);
    let got = decision.allowed.then_some(decision.reason.as_str());
    assert_eq!(got, want, "{user:?} {request}");
    assert_eq!(rules.allows(&user, &attributes), want.is_some());
}

#[test]
fn a_role_holds_in_its_namespace_alone() {
    let why = r#"RBAC: allowed by RoleBinding "jane/default" of Role "pods" to User "jane""#;
    check("jane", "get :pods default x", Some(why));
    check("jane", "list :pods default ", Some(why));
    check("jane", "get :pods a x", None);
    check("jane", "list :pods  ", None);
    check("jane", "get :pods/log default x", None);
    check("jane", "delete :pods default x", None);
    check("jane", "get apps:pods default x", None);
}

#[test]
fn a_cluster_binding_holds_everywhere() {
    let why =
        r#"RBAC: allowed by ClusterRoleBinding "jo" of ClusterRole "pods-everywhere" to User "jo""#;
    check("jo", "get :pods a x", Some(why));
    check("jo", "list :pods  ", Some(why));
    let why =
        r#"RBAC: allowed by RoleBinding "sue/a" of ClusterRole "pods-everywhere" to User "sue""#;
    check("sue", "get :pods a x", Some(why));
    check("sue", "get :pods b x", None);
}

#[test]
fn subresources_of_everything_may_be_granted() {
    let why =
        r#"RBAC: allowed by ClusterRoleBinding "scale" of ClusterRole "scale" to Group "ops""#;
    check("@ops", "update apps:deployments/scale a x", Some(why));
    check("@ops", "update apps:deployments a x", None);
    check("@ops", "update apps:deployments/status a x", None);
}

#[test]
fn names_narrow_a_rule() {
    let why = r#"RBAC: allowed by ClusterRoleBinding "one" of ClusterRole "one" to User "jane""#;
    check("jane", "get :secrets a a", Some(why));
    check("jane", "get :secrets a b", None);
    check("jane", "get :secrets a ", None);
}

#[test]
fn paths_end_in_a_star() {
    let why =
        r#"RBAC: allowed by ClusterRoleBinding "paths" of ClusterRole "paths" to User "jane""#;
    check("jane", "get /logs/a", Some(why));
    check("jane", "get /x", Some(why));
    check("jane", "get /x/y", None);
    check("jane", "post /x", None);
}

#[test]
fn aggregated_roles_hold_what_they_select() {
    let why = r#"RBAC: allowed by RoleBinding "edit/a" of ClusterRole "edit" to User "ed""#;
    check("ed", "create :pods a ", Some(why));
    check("ed", "list :pods a ", Some(why));
    check("ed", "create rbac.authorization.k8s.io:roles a ", None);
}

#[test]
fn accounts_live_where_their_binding_lives() {
    let account = "system:serviceaccount:a:sa";
    let why = r#"RBAC: allowed by RoleBinding "account/a" of ClusterRole "view" to ServiceAccount "sa/a""#;
    check(account, "get :pods a x", Some(why));
    check(account, "get :secrets a x", None);
    check("system:serviceaccount:b:sa", "get :pods a x", None);
}

#[test]
fn masters_may_do_everything() {
    check("@system:masters", "whatever x:y z z", Some(""));
    check("@system:masters", "post /", Some(""));
}

#[test]
fn discovery_is_for_everyone_with_credentials() {
    let why = r#"RBAC: allowed by ClusterRoleBinding "system:discovery" of ClusterRole "system:discovery" to Group "system:authenticated""#;
    check("@system:authenticated", "get /apis/apps/v1", Some(why));
    check("@system:unauthenticated", "get /apis", None);
}

#[test]
fn without_authorization_all_is_allowed() {
    let attributes = parse("get :pods a x");
    assert!(Authorizer::AlwaysAllow.allows(&User::anonymous(), &attributes));
}

#[test]
fn a_lost_role_excuses_a_denial() {
    let rules = Arc::new(Rules::new(&objects()));
    let authorizer = Authorizer::Rbac(rules);
    let refused = authorizer.authorize(&User::new("jane", []), &parse("get :secrets default s"));
    let why = r#"secrets "s" is forbidden: User "jane" cannot get resource "secrets" in API group "" in the namespace "default": RBAC: clusterrole.rbac.authorization.k8s.io "nonesuch" not found"#;
    assert_eq!(refused.map_err(|refusal| refusal.message), Err(why.to_owned()));
}
