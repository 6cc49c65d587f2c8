//! Policies, their bindings and what they deny.

use serde_json::{Value, json};

use super::kinds::plural;
use crate::catalog::Catalog;
use crate::judge::{Operation, Request};

fn policy(spec: Value) -> Value {
    let mut policy = json!({"apiVersion": super::API_VERSION, "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": "p"},
        "spec": {"matchConstraints": {"resourceRules": [{"apiGroups": [""], "apiVersions": ["v1"],
            "operations": ["CREATE", "UPDATE"], "resources": ["pods"]}]}}});
    for (name, value) in spec.as_object().into_iter().flatten() {
        policy["spec"][name] = value.clone();
    }
    policy
}

fn binding(spec: Value) -> Value {
    let mut binding = json!({"apiVersion": super::API_VERSION,
        "kind": "ValidatingAdmissionPolicyBinding", "metadata": {"name": "b"},
        "spec": {"policyName": "p", "validationActions": ["Deny"]}});
    for (name, value) in spec.as_object().into_iter().flatten() {
        binding["spec"][name] = value.clone();
    }
    binding
}

fn pod(name: &str, labels: Value) -> Value {
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": labels}})
}

fn denials(catalog: &Catalog, object: Value, old: Option<&Value>) -> Vec<String> {
    let verdict = match old {
        Some(old) => catalog.update(object, old),
        None => catalog.create(object),
    };
    verdict.denials.iter().map(|denial| denial.message.clone()).collect()
}

#[test]
fn a_denial_has_the_servers_status() {
    let validation = json!({"expression": "object.metadata.name != 'bad'", "message": "no bad pods",
        "reason": "Forbidden"});
    let manifests = [policy(json!({"validations": [validation]})), binding(json!({}))];
    let catalog = Catalog::read(manifests).expect("the manifests are right");
    assert!(catalog.create(pod("good", json!({}))).is_accepted());
    let verdict = catalog.create(pod("bad", json!({})));
    let text = "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no bad pods";
    assert_eq!(verdict.denials[0].text(), text);
    assert_eq!(
        verdict.status(),
        Some(json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": format!("pods \"bad\" is forbidden: {text}"),
        "reason": "Forbidden", "code": 403,
        "details": {"name": "bad", "kind": "pods", "causes": [{"message": text}]}}))
    );
}

#[test]
fn only_bindings_that_deny_deny() {
    let validations = json!({"validations": [{"expression": "false"}]});
    let alone = Catalog::read([policy(validations.clone())]).expect("it is right");
    assert!(denials(&alone, pod("a", json!({})), None).is_empty());
    let warning = binding(json!({"validationActions": ["Warn", "Audit"]}));
    let warned = Catalog::read([policy(validations.clone()), warning]).expect("it is right");
    assert!(denials(&warned, pod("a", json!({})), None).is_empty());
    let elsewhere = binding(json!({"policyName": "other"}));
    let other = Catalog::read([policy(validations), elsewhere]).expect("it is right");
    assert!(denials(&other, pod("a", json!({})), None).is_empty());
}

#[test]
fn selectors_choose_objects_and_namespaces() {
    let selectors = json!({"matchResources": {
        "objectSelector": {"matchExpressions": [
            {"key": "a", "operator": "In", "values": ["x", "y"]},
            {"key": "b", "operator": "NotIn", "values": ["z"]}]},
        "namespaceSelector": {"matchExpressions": [{"key": "c", "operator": "Exists"}]}}});
    let manifests = [policy(json!({"validations": [{"expression": "false"}]})), binding(selectors)];
    let catalog = Catalog::read(manifests).expect("the manifests are right");
    let denied = |labels: Value, namespace: Value| {
        let object = pod("a", labels);
        let request = Request::new(object, Operation::Create).in_namespace(&namespace);
        !catalog.judge(request, &mut |_| {}).denials.is_empty()
    };
    let namespace = json!({"metadata": {"name": "default", "labels": {"c": ""}}});
    assert!(denied(json!({"a": "x"}), namespace.clone()));
    assert!(!denied(json!({"a": "z"}), namespace.clone()));
    assert!(!denied(json!({"a": "x", "b": "z"}), namespace.clone()));
    assert!(!denied(json!({}), namespace));
    assert!(!denied(json!({"a": "x"}), json!({"metadata": {"name": "default"}})));
    let old = pod("a", json!({"a": "x"}));
    assert!(denials(&catalog, pod("a", json!({})), Some(&old)).is_empty(), "its namespace is bare");
}

#[test]
fn variables_see_those_before_them() {
    let spec = json!({
        "variables": [
            {"name": "names", "expression": "object.metadata.name.split('-')"},
            {"name": "count", "expression": "size(variables.names)"},
            {"name": "broken", "expression": "object.nothing"}],
        "validations": [
            {"expression": "variables.count < 3", "messageExpression": "'it has ' + string(variables.count) + ' parts'"},
            {"expression": "object.metadata.name != 'b' || variables.broken == 1"}]});
    let catalog = Catalog::read([policy(spec), binding(json!({}))]).expect("they are right");
    assert!(denials(&catalog, pod("a-b", json!({})), None).is_empty());
    assert_eq!(denials(&catalog, pod("a-b-c", json!({})), None), ["it has 3 parts"]);
    assert_eq!(
        denials(&catalog, pod("b", json!({})), None),
        ["expression 'object.metadata.name != 'b' || variables.broken == 1' resulted in error: \
         composited variable \"broken\" fails to evaluate: no such key: nothing",]
    );
}

#[test]
fn failures_deny_unless_they_are_forgiven() {
    let with = |failure: &str| {
        let spec = json!({"failurePolicy": failure,
            "matchConditions": [{"name": "c", "expression": "object.metadata.name != 'c' || object.x"}],
            "validations": [{"expression": "object.nothing == 1"}, {"expression": "false", "message": "no"}]});
        Catalog::read([policy(spec), binding(json!({}))]).expect("they are right")
    };
    let error = "expression 'object.nothing == 1' resulted in error: no such key: nothing";
    assert_eq!(denials(&with("Fail"), pod("a", json!({})), None), [error, "no"]);
    assert_eq!(denials(&with("Ignore"), pod("a", json!({})), None), ["no"]);
    let error = "expression 'object.metadata.name != 'c' || object.x' resulted in error: no such \
                 key: x";
    assert_eq!(denials(&with("Fail"), pod("c", json!({})), None), [error]);
    assert!(denials(&with("Ignore"), pod("c", json!({})), None).is_empty());
}

#[test]
fn wrong_manifests_are_refused() {
    let refusal = |manifest: Value| Catalog::read([manifest]).expect_err("it is wrong").to_string();
    let found = refusal(policy(json!({"validations": [{"expression": "1 +"}]})));
    assert!(
        found
            .contains("spec.validations[0].expression: Invalid value: \"1 +\": compilation failed"),
        "{found}"
    );
    let found = refusal(policy(json!({"validations": [{"expression": "1"}]})));
    assert!(found.contains("must evaluate to bool"), "{found}");
    let found = refusal(policy(json!({"paramKind": {"kind": "ConfigMap"}})));
    assert!(found.contains("spec.paramKind"), "{found}");
    let found = refusal(policy(json!({"failurePolicy": "Maybe"})));
    assert!(found.contains("supported values: \"Fail\", \"Ignore\""), "{found}");
    let found = refusal(binding(json!({"policyName": ""})));
    assert!(found.contains("spec.policyName: Required value"), "{found}");
}

#[test]
fn plurals_are_guessed_as_kubernetes_guesses() {
    let cases = [
        ("Pod", "pods"),
        ("Endpoints", "endpoints"),
        ("Ingress", "ingresses"),
        ("NetworkPolicy", "networkpolicies"),
        ("StorageClass", "storageclasses"),
    ];
    for (kind, want) in cases {
        assert_eq!(plural(kind), want);
    }
}

#[test]
fn other_versions_of_a_resource_are_equivalent() {
    let version = |name: &str, storage: bool| {
        json!({"name": name, "served": true, "storage": storage,
            "schema": {"openAPIV3Schema": {"type": "object"}}})
    };
    let definition = json!({"apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition", "metadata": {"name": "things.example.org"},
        "spec": {"group": "example.org", "scope": "Cluster",
            "names": {"kind": "Thing", "plural": "things"},
            "versions": [version("v1", true), version("v2", false)]}});
    let with = |match_policy: Value| {
        let constraints = json!({"matchPolicy": match_policy, "resourceRules": [{
            "apiGroups": ["example.org"], "apiVersions": ["v1"], "operations": ["*"],
            "resources": ["things"]}]});
        let spec =
            json!({"matchConstraints": constraints, "validations": [{"expression": "false"}]});
        let manifests = [policy(spec), binding(json!({})), definition.clone()];
        Catalog::read(manifests).expect("the manifests are right")
    };
    let thing = |version: &str| {
        json!({"apiVersion": format!("example.org/{version}"), "kind": "Thing",
            "metadata": {"name": "t"}})
    };
    let count = |catalog: &Catalog, version| denials(catalog, thing(version), None).len();
    let exact = with(json!("Exact"));
    assert_eq!((count(&exact, "v1"), count(&exact, "v2")), (1, 0));
    let equivalent = with(json!(null));
    assert_eq!((count(&equivalent, "v1"), count(&equivalent, "v2")), (1, 1));
}
