//! What a pod gets from its service account.
//!
//! Reads the account; changes the pod.
//! Invariant: a pod that says itself what it wants keeps it.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::builtin::fields::{fill_absent, has, items, items_mut, text};

const PREFIX: &str = "kube-api-access-";
const FOLDER: &str = "/var/run/secrets/kubernetes.io/serviceaccount";
/// Seconds; the kubelet replaces tokens of an hour, and these live a little longer.
const TOKEN_LIFE: i64 = 3607;

/// Gives a pod what its account has; `suffix` ends the name of a volume that is made up.
pub(crate) fn take_account(pod: &mut Value, account: &Value, suffix: &str) {
    let spec = &mut pod["spec"];
    let own = spec["automountServiceAccountToken"].as_bool();
    let is_mounted = own.or(account["automountServiceAccountToken"].as_bool()).unwrap_or(true);
    if is_mounted {
        mount_token(spec, suffix);
    }
    let secrets = items(account, "imagePullSecrets");
    if items(spec, "imagePullSecrets").is_empty() && !secrets.is_empty() {
        spec["imagePullSecrets"] = Value::from(secrets.to_vec());
    }
}

fn mount_token(spec: &mut Value, suffix: &str) {
    let names: BTreeSet<String> =
        items(spec, "volumes").iter().map(|it| text(it, "/name").to_owned()).collect();
    let standing = items(spec, "volumes").iter().map(|it| text(it, "/name"));
    let standing = standing.into_iter().find(|name| name.starts_with(PREFIX)).map(str::to_owned);
    let volume = standing.clone().unwrap_or_else(|| format!("{PREFIX}{suffix}"));
    let mut is_needed = false;
    for list in ["initContainers", "containers"] {
        for container in items_mut(spec, list) {
            let mounts = items(container, "volumeMounts");
            if mounts.iter().any(|mount| text(mount, "/mountPath") == FOLDER) {
                continue;
            }
            is_needed = true;
            fill_absent(container, "volumeMounts", json!([]));
            if let Some(mounts) = container["volumeMounts"].as_array_mut() {
                mounts.push(json!({"name": volume, "readOnly": true, "mountPath": FOLDER}));
            }
        }
    }
    if is_needed && !names.contains(&volume) {
        fill_absent(spec, "volumes", json!([]));
        if let Some(volumes) = spec["volumes"].as_array_mut() {
            volumes.push(token_volume(&volume));
        }
    }
}

fn token_volume(name: &str) -> Value {
    let namespace = json!({"apiVersion": "v1", "fieldPath": "metadata.namespace"});
    json!({"name": name, "projected": {"defaultMode": 0o644, "sources": [
        {"serviceAccountToken": {"expirationSeconds": TOKEN_LIFE, "path": "token"}},
        {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
        {"downwardAPI": {"items": [{"path": "namespace", "fieldRef": namespace}]}},
    ]}})
}

/// Says of a new pod with gates that they keep it from a node, at a time in RFC 3339.
pub(crate) fn note_gates(pod: &mut Value, now: &str) {
    if items(&pod["spec"], "schedulingGates").is_empty() || has(&pod["status"], "conditions") {
        return;
    }
    pod["status"]["conditions"] = json!([{
        "type": "PodScheduled",
        "status": "False",
        "reason": "SchedulingGated",
        "message": "Scheduling is blocked due to non-empty scheduling gates",
        "lastProbeTime": null,
        "lastTransitionTime": now,
    }]);
}

#[cfg(test)]
mod tests;
