//! What no program of ours may do, tried for good.
//!
//! Invariant: every case is refused for want of a role.

use serde_json::{Value, json};

use super::cases::{Case, Want};
use super::server::Call;

const RBAC: &str = "rbac.authorization.k8s.io";
const ADMISSION: &str = "admissionregistration.k8s.io";
const AGENT: &str = "system:serviceaccount:udn-system:udn-node";
const CONTROLLER: &str = "system:serviceaccount:udn-system:udn-controller";

fn case(
    what: &str,
    (method, path): (&'static str, &str),
    body: Value,
    (verb, resource, group): (&'static str, &'static str, &'static str),
) -> Case {
    Case::new(what, Call::new(method, path, body), Want::NoRole(verb, resource, group))
}

/// All of it.
pub(crate) fn may() -> Vec<Case> {
    [reading(), running(), pretending(), ruling(), networks()].into_iter().flatten().collect()
}

fn reading() -> Vec<Case> {
    let nothing = || Value::Null;
    let secrets = "/api/v1/namespaces/plain/secrets";
    let maps = "/api/v1/namespaces/plain/configmaps";
    vec![
        case("a secret", ("GET", &format!("{secrets}/secret")), nothing(), ("get", "secrets", "")),
        case("secrets", ("GET", secrets), nothing(), ("list", "secrets", "")),
        case("all secrets", ("GET", "/api/v1/secrets"), nothing(), ("list", "secrets", "")),
        case(
            "secrets as they come",
            ("GET", "/api/v1/secrets?watch=true&timeoutSeconds=1"),
            nothing(),
            ("watch", "secrets", ""),
        ),
        case("a map", ("GET", &format!("{maps}/settings")), nothing(), ("get", "configmaps", "")),
        case("maps", ("GET", maps), nothing(), ("list", "configmaps", "")),
        case(
            "a log",
            ("GET", "/api/v1/namespaces/plain/pods/here/log"),
            nothing(),
            ("get", "pods/log", ""),
        ),
        case(
            "the kubelet's own API",
            ("GET", "/api/v1/nodes/n1/proxy/pods"),
            nothing(),
            ("get", "nodes/proxy", ""),
        ),
    ]
}

fn running() -> Vec<Case> {
    let pods = "/api/v1/namespaces/plain/pods";
    let pod = json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "new" },
        "spec": { "containers": [{ "name": "c", "image": "i" }] } });
    let binding = json!({ "apiVersion": "v1", "kind": "Binding", "metadata": { "name": "nowhere" },
        "target": { "kind": "Node", "name": "n1" } });
    let eviction = json!({ "apiVersion": "policy/v1", "kind": "Eviction",
        "metadata": { "name": "there", "namespace": "plain" } });
    let job =
        json!({ "apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": { "name": "new" } });
    let labelled = json!({ "metadata": { "labels": { "app": "db" } } });
    let at = |rest: &str| format!("{pods}/{rest}");
    vec![
        case("a pod", ("POST", pods), pod, ("create", "pods", "")),
        case("a pod's label", ("PATCH", &at("here")), labelled, ("patch", "pods", "")),
        case("the end of a pod", ("DELETE", &at("here")), Value::Null, ("delete", "pods", "")),
        case(
            "a pod's place",
            ("POST", &at("nowhere/binding")),
            binding,
            ("create", "pods/binding", ""),
        ),
        case(
            "a command in a pod",
            ("POST", &at("here/exec?command=sh")),
            Value::Null,
            ("create", "pods/exec", ""),
        ),
        case(
            "an eviction",
            ("POST", &at("there/eviction")),
            eviction,
            ("create", "pods/eviction", ""),
        ),
        case(
            "a container beside those of a pod",
            ("PATCH", &at("here/ephemeralcontainers")),
            json!({ "spec": { "ephemeralContainers": [] } }),
            ("patch", "pods/ephemeralcontainers", ""),
        ),
        case(
            "pods on every node",
            ("POST", "/apis/apps/v1/namespaces/plain/daemonsets"),
            job,
            ("create", "daemonsets", "apps"),
        ),
    ]
}

/// Headers by which somebody wants to be taken for another.
type Pretence = &'static [(&'static str, &'static str)];

fn pretending() -> Vec<Case> {
    let as_others: [(&str, Pretence, &str); 4] = [
        ("the administrator", &[("Impersonate-User", "udn-lab")], "users"),
        (
            "an administrator",
            &[("Impersonate-User", AGENT), ("Impersonate-Group", "system:masters")],
            "serviceaccounts",
        ),
        ("the controller", &[("Impersonate-User", CONTROLLER)], "serviceaccounts"),
        (
            "an agent of another node",
            &[
                ("Impersonate-User", AGENT),
                ("Impersonate-Extra-authentication.kubernetes.io%2Fnode-name", "n2"),
            ],
            "serviceaccounts",
        ),
    ];
    let as_other = |(what, pretence, resource)| {
        let call = Call { pretence, ..Call::read("/api/v1/nodes") };
        Case::new(format!("as {what}"), call, Want::NoRole("impersonate", resource, ""))
    };
    let mut cases: Vec<Case> = as_others.into_iter().map(as_other).collect();
    for account in ["udn-controller", "udn-node", "bystander"] {
        let path = format!("/api/v1/namespaces/udn-system/serviceaccounts/{account}/token");
        let request = json!({ "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
            "spec": { "audiences": [] } });
        let no_role = ("create", "serviceaccounts/token", "");
        cases.push(case("a token", ("POST", &path), request, no_role));
    }
    cases
}

/// Rules of the cluster: who may do what, which kinds there are, what is refused.
fn ruling() -> Vec<Case> {
    let rbac = format!("/apis/{RBAC}/v1");
    let admission = format!("/apis/{ADMISSION}/v1");
    let role = json!({ "metadata": { "name": "more" }, "rules": [] });
    let binding = json!({ "metadata": { "name": "more" },
        "roleRef": { "apiGroup": RBAC, "kind": "ClusterRole", "name": "cluster-admin" } });
    let named = json!({ "metadata": { "name": "more" } });
    let labelled = json!({ "metadata": { "labels": { "a": "b" } } });
    let made = [
        ("clusterroles", &rbac, &role, RBAC),
        ("clusterrolebindings", &rbac, &binding, RBAC),
        ("validatingwebhookconfigurations", &admission, &named, ADMISSION),
        ("mutatingwebhookconfigurations", &admission, &named, ADMISSION),
        ("validatingadmissionpolicies", &admission, &named, ADMISSION),
    ];
    let mut cases: Vec<Case> = made
        .into_iter()
        .map(|(resource, root, body, group)| {
            let path = format!("{root}/{resource}");
            case("one more", ("POST", &path), body.clone(), ("create", resource, group))
        })
        .collect();
    let standing = [
        ("clusterroles", "udn-node", &rbac, RBAC),
        ("clusterroles", "udn-controller", &rbac, RBAC),
        ("clusterrolebindings", "udn-node", &rbac, RBAC),
        ("validatingadmissionpolicies", "node-agent-nodes", &admission, ADMISSION),
        ("validatingadmissionpolicybindings", "node-agent-nodes", &admission, ADMISSION),
        ("validatingadmissionpolicybindings", "node-network-report", &admission, ADMISSION),
    ];
    for (resource, name, root, group) in standing {
        let path = format!("{root}/{resource}/{name}");
        let patched = ("patch", resource, group);
        cases.push(case("another one", ("PATCH", &path), labelled.clone(), patched));
        let deleted = ("delete", resource, group);
        cases.push(case("one less", ("DELETE", &path), Value::Null, deleted));
    }
    let kinds =
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/ipamclaims.k8s.cni.cncf.io";
    let patched = ("patch", "customresourcedefinitions", "apiextensions.k8s.io");
    cases.push(case("another kind", ("PATCH", kinds), labelled, patched));
    cases
}

/// What users ask for is theirs.
fn networks() -> Vec<Case> {
    let path = "/apis/k8s.ovn.org/v1/namespaces/plain/userdefinednetworks";
    let own = format!("{path}/own");
    let network = json!({ "apiVersion": "k8s.ovn.org/v1", "kind": "UserDefinedNetwork",
        "metadata": { "name": "new" } });
    let of = ("create", "userdefinednetworks", "k8s.ovn.org");
    let deleted = ("delete", "userdefinednetworks", "k8s.ovn.org");
    let claim = "/apis/k8s.cni.cncf.io/v1alpha1/namespaces/plain/ipamclaims/claim";
    vec![
        case("a network", ("POST", path), network, of),
        case("the end of a network", ("DELETE", &own), Value::Null, deleted),
        case(
            "the end of a claim",
            ("DELETE", claim),
            Value::Null,
            ("delete", "ipamclaims", "k8s.cni.cncf.io"),
        ),
        case(
            "the end of a report",
            ("DELETE", "/apis/k8s.ovn.org/v1alpha1/nodenetworkreports/n1"),
            Value::Null,
            ("delete", "nodenetworkreports", "k8s.ovn.org"),
        ),
        case(
            "the end of a node",
            ("DELETE", "/api/v1/nodes/n1"),
            Value::Null,
            ("delete", "nodes", ""),
        ),
        case(
            "the end of a namespace",
            ("DELETE", "/api/v1/namespaces/plain"),
            Value::Null,
            ("delete", "namespaces", ""),
        ),
    ]
}
