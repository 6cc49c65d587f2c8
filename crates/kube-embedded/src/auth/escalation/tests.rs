//! Grants that are refused, word for word as kube-apiserver 1.35 refused them.

use super::*;
use crate::auth::bootstrap;

fn objects() -> Vec<Value> {
    let mut objects = bootstrap();
    objects.push(json!({
        "kind": "ClusterRole",
        "metadata": {"name": "writer"},
        "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}],
    }));
    objects.push(json!({
        "kind": "ClusterRole",
        "metadata": {"name": "binder"},
        "rules": [{"apiGroups": [GROUP], "resources": ["clusterroles"], "verbs": ["bind", "escalate"]}],
    }));
    for (name, role) in [("joe", "writer"), ("bo", "binder")] {
        objects.push(json!({
            "kind": "ClusterRoleBinding",
            "metadata": {"name": name},
            "roleRef": {"kind": "ClusterRole", "name": role},
            "subjects": [{"kind": "User", "name": name}],
        }));
    }
    objects
}

fn ask(user: &str, object: &Value, old: Option<&Value>) -> Result<(), Refusal> {
    let user = User::new(user, ["system:authenticated"]);
    confirm_no_escalation(&Rules::new(&objects()), &user, object, old)
}

fn check(object: &Value, want: Result<(), &str>) {
    let got = ask("joe", object, None).map_err(|refusal| refusal.message);
    assert_eq!(got, want.map_err(str::to_owned));
}

fn role(kind: &str, rules: Value) -> Value {
    let namespace = (kind == "Role").then_some("default");
    json!({"kind": kind, "metadata": {"name": "x", "namespace": namespace}, "rules": rules})
}

fn binding(role: &str) -> Value {
    json!({
        "kind": "ClusterRoleBinding",
        "metadata": {"name": "x"},
        "roleRef": {"kind": "ClusterRole", "name": role},
        "subjects": [{"kind": "User", "name": "joe"}],
    })
}

#[test]
fn what_is_held_may_be_granted() {
    let rules = json!([{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]);
    check(&role("Role", rules.clone()), Ok(()));
    check(&role("ClusterRole", rules), Ok(()));
    check(&binding("writer"), Ok(()));
}

#[test]
fn what_is_not_held_is_listed() {
    let rules = json!([
        {"apiGroups": ["", "apps"], "resources": ["pods", "secrets"], "verbs": ["get", "list"]},
        {"nonResourceURLs": ["/foo"], "verbs": ["get"]},
        {"apiGroups": [""], "resources": ["configmaps"], "resourceNames": ["a", "b"], "verbs": ["*"]},
    ]);
    check(
        &role("ClusterRole", rules),
        Err(
            "clusterroles.rbac.authorization.k8s.io \"x\" is forbidden: user \"joe\" (groups=[\"system:authenticated\"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[\"\"], Resources:[\"configmaps\"], ResourceNames:[\"a\"], Verbs:[\"*\"]}\n{APIGroups:[\"\"], Resources:[\"configmaps\"], ResourceNames:[\"b\"], Verbs:[\"*\"]}\n{APIGroups:[\"\"], Resources:[\"pods\"], Verbs:[\"list\"]}\n{APIGroups:[\"\"], Resources:[\"secrets\"], Verbs:[\"get\" \"list\"]}\n{APIGroups:[\"apps\"], Resources:[\"pods\"], Verbs:[\"get\" \"list\"]}\n{APIGroups:[\"apps\"], Resources:[\"secrets\"], Verbs:[\"get\" \"list\"]}\n{NonResourceURLs:[\"/foo\"], Verbs:[\"get\"]}",
        ),
    );
}

#[test]
fn a_binding_grants_what_its_role_holds() {
    check(
        &binding("cluster-admin"),
        Err(
            "clusterrolebindings.rbac.authorization.k8s.io \"x\" is forbidden: user \"joe\" (groups=[\"system:authenticated\"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[\"*\"], Resources:[\"*\"], Verbs:[\"*\"]}\n{NonResourceURLs:[\"*\"], Verbs:[\"*\"]}",
        ),
    );
    check(
        &binding("nonesuch"),
        Err("clusterrolebindings.rbac.authorization.k8s.io \"nonesuch\" not found"),
    );
}

#[test]
fn aggregation_is_for_administrators() {
    let mut object = role("ClusterRole", json!([]));
    object["aggregationRule"] = json!({"clusterRoleSelectors": [{"matchLabels": {"a": "b"}}]});
    check(
        &object,
        Err(
            "clusterroles.rbac.authorization.k8s.io \"x\" is forbidden: must have cluster-admin privileges to use the aggregationRule",
        ),
    );
}

#[test]
fn who_may_bind_or_escalate_is_not_asked() {
    assert_eq!(ask("bo", &binding("cluster-admin"), None), Ok(()));
    let rules = json!([{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]);
    assert_eq!(ask("bo", &role("ClusterRole", rules.clone()), None), Ok(()));
    assert!(ask("bo", &role("Role", rules), None).is_err());
}

#[test]
fn an_update_that_grants_nothing_new_passes() {
    let binding = binding("cluster-admin");
    assert_eq!(ask("joe", &binding, Some(&binding)), Ok(()));
}

#[test]
fn lost_roles_are_told_under_the_wrong_kind() {
    let mut objects = objects();
    objects.push(json!({
        "kind": "RoleBinding",
        "metadata": {"name": "lost", "namespace": "default"},
        "roleRef": {"kind": "Role", "name": "dr10"},
        "subjects": [{"kind": "User", "name": "joe"}],
    }));
    let rules = json!([{"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"]}]);
    let refused = confirm_no_escalation(
        &Rules::new(&objects),
        &User::new("joe", []),
        &role("Role", rules),
        None,
    );
    let why = "roles.rbac.authorization.k8s.io \"x\" is forbidden: user \"joe\" (groups=[]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[\"\"], Resources:[\"secrets\"], Verbs:[\"get\"]}; resolution errors: [roles.rbac.authorization.k8s.io \"dr10\" not found]";
    assert_eq!(refused.map_err(|refusal| refusal.message), Err(why.to_owned()));
}
