//! Configurations, requests, and what comes of them.
//!
//! Takes a client and a webhook server; returns every answer and every question as a line.
//! Invariant: each configuration is gone before the next is made.

use std::time::Duration;

use kube::Client;
use serde_json::{Value, json};

use super::hook::Hook;
use crate::shared::ask::{Answer, ask};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

/// One configuration, as what differs from the plain one.
struct Case {
    name: &'static str,
    kind: &'static str,
    mode: &'static str,
    change: Value,
}

fn cases() -> Vec<Case> {
    let case = |name, kind, mode, change| Case { name, kind, mode, change };
    const M: &str = "Mutating";
    const V: &str = "Validating";
    vec![
        case("labels", M, "label", json!({})),
        case("spoils", M, "spoil", json!({})),
        case("astray", M, "astray", json!({})),
        case("warns", M, "warn", json!({})),
        case("denies first", M, "deny", json!({})),
        case("allows", V, "allow", json!({})),
        case("denies", V, "deny", json!({})),
        case("warns late", V, "warn", json!({})),
        case("is odd", V, "odd", json!({"failurePolicy": "Fail"})),
        case("is odd and ignored", V, "odd", json!({"failurePolicy": "Ignore"})),
        case(
            "is late and ignored",
            V,
            "late",
            json!({"failurePolicy": "Ignore", "timeoutSeconds": 1}),
        ),
        case("has side effects", V, "deny", json!({"sideEffects": "NoneOnDryRun"})),
        case(
            "other objects",
            V,
            "deny",
            json!({"objectSelector": {"matchLabels": {"other": "yes"}}}),
        ),
        case(
            "other namespaces",
            V,
            "deny",
            json!({"namespaceSelector": {"matchExpressions":
            [{"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": ["default"]}]}}),
        ),
        case(
            "other resources",
            V,
            "deny",
            json!({"rules": [{"apiGroups": [""], "apiVersions": ["v1"],
            "resources": ["secrets"], "operations": ["*"], "scope": "*"}]}),
        ),
        case(
            "deletions only",
            V,
            "deny",
            json!({"rules": [{"apiGroups": [""], "apiVersions": ["v1"],
            "resources": ["configmaps"], "operations": ["DELETE"], "scope": "*"}]}),
        ),
        case(
            "a condition",
            V,
            "deny",
            json!({"matchConditions":
            [{"name": "never", "expression": "request.name == 'other'"}]}),
        ),
    ]
}

/// Goes through all cases. A real server was seen to ask the same once more on a busy machine; ours
/// must ask once.
pub(crate) async fn run(client: &Client, hook: &Hook, may_ask_again: bool) -> Vec<String> {
    let mut said = Vec::new();
    for case in cases() {
        let path = configure(client, hook, &case).await;
        hook.take_seen();
        let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}});
        for (method, target, body) in [
            ("POST", format!("{MAPS}?dryRun=All"), Some(&map)),
            ("POST", MAPS.to_owned(), Some(&map)),
            ("PATCH", format!("{MAPS}/a"), Some(&json!({"data": {"x": "1"}}))),
            ("DELETE", format!("{MAPS}/a"), None),
        ] {
            let Answer { code, body, warnings } = ask(client, method, &target, body).await;
            let labels = &body["metadata"]["labels"];
            let message = body["message"].as_str().unwrap_or("");
            // What follows are the words of a JSON parser, and each server has its own.
            let message = message.split("json parse error: ").next().unwrap_or("");
            said.push(format!("{}: {method} {code} {message} {labels} {warnings}", case.name));
        }
        // What was asked while the configuration was becoming known is not part of the story.
        let mut seen: Vec<Value> = hook.take_seen();
        if may_ask_again {
            seen.dedup();
        }
        said.extend(seen.iter().map(|asked| format!("{}: asked {asked}", case.name)));
        ask(client, "DELETE", &path, None).await;
        marked(client, 201).await;
        ask(client, "DELETE", &format!("{MAPS}/a"), None).await;
    }
    said
}

/// Makes the configuration, and waits until it is in force.
async fn configure(client: &Client, hook: &Hook, case: &Case) -> String {
    let kind = format!("{}WebhookConfiguration", case.kind);
    let plural = format!("{}s", kind.to_lowercase());
    let path = format!("/apis/admissionregistration.k8s.io/v1/{plural}");
    let mut webhook = json!({
        "name": "hook.example.org", "clientConfig": hook.client_config(case.mode),
        "admissionReviewVersions": ["v1"], "sideEffects": "None",
        "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"],
            "operations": ["*"], "scope": "*"}],
    });
    for (field, value) in case.change.as_object().into_iter().flatten() {
        webhook[field] = value.clone();
    }
    // A second webhook tells when the server has taken up the configuration.
    let mut marker = webhook.clone();
    marker["name"] = json!("marker.example.org");
    marker["clientConfig"] = hook.client_config("deny");
    marker["sideEffects"] = json!("None");
    marker["failurePolicy"] = json!("Fail");
    for field in ["objectSelector", "namespaceSelector", "matchConditions", "timeoutSeconds"] {
        marker.as_object_mut().expect("an object").remove(field);
    }
    marker["rules"] = json!([{"apiGroups": ["coordination.k8s.io"], "apiVersions": ["v1"],
        "resources": ["leases"], "operations": ["CREATE"], "scope": "*"}]);
    let object = json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind,
        "metadata": {"name": "hook"}, "webhooks": [webhook, marker]});
    let answer = ask(client, "POST", &path, Some(&object)).await;
    assert_eq!(answer.code, 201, "{}: {answer:?}", case.name);
    marked(client, 403).await;
    format!("{path}/hook")
}

/// Waits until a lease is refused, or taken.
async fn marked(client: &Client, want: u16) {
    let path = "/apis/coordination.k8s.io/v1/namespaces/default/leases?dryRun=All";
    let lease = json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
        "metadata": {"name": "marker"}});
    for _ in 0..9_000 {
        if ask(client, "POST", path, Some(&lease)).await.code == want {
            return;
        }
        // waits: the server takes up configurations in its own time
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the configuration is never taken up");
}
