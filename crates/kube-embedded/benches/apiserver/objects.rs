//! The objects that are written: pods as a deployment makes them.
//!
//! Invariant: pods differ in their names alone, and all are good.

use serde_json::{Value, json};

/// The body of a create.
pub(crate) fn pod(name: &str) -> Vec<u8> {
    let container = |name: &str| {
        json!({
            "name": name,
            "image": "registry.example.org/shop/front:1.2.3",
            "args": ["--listen=:8080", "--log-level=info", "--cache=/var/cache/front"],
            "env": [
                {"name": "REGION", "value": "north"},
                {"name": "NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
            ],
            "ports": [{"name": "http", "containerPort": 8080}],
            "resources": {
                "requests": {"cpu": "100m", "memory": "128Mi"},
                "limits": {"memory": "256Mi"},
            },
            "readinessProbe": {"httpGet": {"path": "/ready", "port": "http"}},
            "volumeMounts": [{"name": "cache", "mountPath": "/var/cache/front"}],
        })
    };
    let pod = json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "labels": {"app": "front", "tier": "web", "release": "stable"},
            "annotations": {"example.org/owner": "shop", "example.org/note": "a pod for the bench"},
        },
        "spec": {
            "containers": [container("front")],
            "volumes": [{"name": "cache", "emptyDir": {}}],
        },
    });
    pod.to_string().into()
}

/// A merge patch as controllers send them.
pub(crate) fn patch(number: usize) -> Value {
    json!({"metadata": {"annotations": {"example.org/round": number.to_string()}}})
}
