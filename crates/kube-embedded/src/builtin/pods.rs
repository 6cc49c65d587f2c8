//! Pods: what the server fills in, keeps and checks.
//!
//! Reads and changes pods and the templates of pods.
//! Invariant: filling in twice changes nothing.

mod account;
pub(super) mod containers;
mod status;
mod update;
mod validate;
mod volumes;

use serde_json::{Value, json};

use super::Strategy;
use super::fields::{below, fill, fill_absent, has, items, items_mut, text};
use super::pipeline::keep;

pub(crate) use account::{note_gates, take_account};
pub(super) use validate::{ephemeral, spec as validate_spec};

pub(super) const POD: Strategy = Strategy {
    default,
    prepare_create,
    prepare_update,
    prepare_status,
    validate: |pod, old| match old {
        None => validate::pod(pod),
        Some(old) => update::check(pod, old),
    },
    validate_status: status::check,
    has_generation: true,
    grace,
    selectable: &[
        "spec.nodeName",
        "spec.restartPolicy",
        "spec.schedulerName",
        "spec.serviceAccountName",
        "spec.hostNetwork",
        "status.phase",
        "status.podIP",
        "status.podIPs",
        "status.nominatedNodeName",
    ],
    ..Strategy::PLAIN
};

/// Lists of containers in a pod.
const LISTS: [&str; 3] = ["initContainers", "containers", "ephemeralContainers"];

fn default(pod: &mut Value) {
    let spec = below(pod, "spec");
    fill_absent(spec, "enableServiceLinks", true);
    template(spec);
    for list in ["initContainers", "containers"] {
        items_mut(spec, list).iter_mut().for_each(containers::requests_from_limits);
    }
}

/// Fills in the spec of a pod, or of a template of pods.
pub(super) fn template(spec: &mut Value) {
    fill(spec, "dnsPolicy", "ClusterFirst");
    fill(spec, "restartPolicy", "Always");
    fill(spec, "schedulerName", "default-scheduler");
    fill_absent(spec, "terminationGracePeriodSeconds", 30);
    fill_absent(spec, "securityContext", json!({}));
    let account = [text(spec, "/serviceAccountName"), text(spec, "/serviceAccount")];
    let account = account.into_iter().find(|it| !it.is_empty()).map(str::to_owned);
    if let Some(account) = account {
        spec["serviceAccount"] = Value::from(account.as_str());
        spec["serviceAccountName"] = Value::from(account);
    }
    let is_host = spec["hostNetwork"] == true;
    for list in LISTS {
        for container in items_mut(spec, list) {
            containers::default(container, is_host);
        }
    }
    items_mut(spec, "volumes").iter_mut().for_each(volumes::default);
}

fn prepare_create(pod: &mut Value) {
    let class = quality(&pod["spec"]);
    pod["status"] = json!({"phase": "Pending", "qosClass": class});
    let spec = below(pod, "spec");
    let priority = match text(spec, "/priorityClassName") {
        "" => Some(0),
        "system-node-critical" => Some(2_000_001_000),
        "system-cluster-critical" => Some(2_000_000_000),
        _ => None,
    };
    if let Some(priority) = priority {
        fill_absent(spec, "priority", priority);
    }
    fill_absent(spec, "preemptionPolicy", "PreemptLowerPriority");
    tolerate_failures(spec);
}

/// What admission sets at create stays where an update leaves it out.
fn prepare_update(pod: &mut Value, old: &Value) {
    let spec = below(pod, "spec");
    for name in ["priority", "preemptionPolicy"] {
        if let Some(value) = old["spec"].get(name) {
            fill_absent(spec, name, value.clone());
        }
    }
    tolerate_failures(spec);
}

fn tolerate_failures(spec: &mut Value) {
    for key in ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"] {
        tolerate(spec, key);
    }
}

/// Lets a pod stay five minutes on a node that fails, unless it says otherwise.
fn tolerate(spec: &mut Value, key: &str) {
    let is_tolerated = items(spec, "tolerations").iter().any(|it| {
        let is_key = ["", key].contains(&text(it, "/key"));
        is_key && ["", "NoExecute"].contains(&text(it, "/effect"))
    });
    if is_tolerated {
        return;
    }
    fill_absent(spec, "tolerations", json!([]));
    if let Some(tolerations) = spec["tolerations"].as_array_mut() {
        tolerations.push(json!({
            "key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300,
        }));
    }
}

fn prepare_status(pod: &mut Value, old: &Value) {
    let metadata = below(pod, "metadata");
    keep(metadata, &old["metadata"], "ownerReferences");
    let class = old["status"]["qosClass"].clone();
    let status = below(pod, "status");
    status::agree(status);
    if !class.is_null() && !has(status, "qosClass") {
        status["qosClass"] = class;
    }
}

/// The class of quality of service.
fn quality(spec: &Value) -> &'static str {
    let all = || ["initContainers", "containers"].iter().flat_map(|list| items(spec, list));
    let amounts = |container: &Value, which: &str| -> Vec<(String, String)> {
        let map = container["resources"][which].as_object().into_iter().flatten();
        let counted = map
            .filter(|(name, amount)| ["cpu", "memory"].contains(&name.as_str()) && *amount != "0");
        counted
            .map(|(name, amount)| (name.clone(), amount.as_str().unwrap_or("").to_owned()))
            .collect()
    };
    let is_bare =
        all().all(|it| amounts(it, "requests").is_empty() && amounts(it, "limits").is_empty());
    let is_guaranteed = all().all(|it| {
        let limits = amounts(it, "limits");
        limits.len() == 2 && limits == amounts(it, "requests")
    });
    match (is_bare, is_guaranteed) {
        (true, _) => "BestEffort",
        (false, true) => "Guaranteed",
        (false, false) => "Burstable",
    }
}

/// How long a pod may take to end.
fn grace(pod: &Value, asked: Option<i64>) -> Option<i64> {
    let is_scheduled = !text(pod, "/spec/nodeName").is_empty();
    let is_over = ["Failed", "Succeeded"].contains(&text(pod, "/status/phase"));
    if !is_scheduled || is_over {
        return Some(0);
    }
    let own = pod["spec"]["terminationGracePeriodSeconds"].as_i64().unwrap_or(30);
    // compat: a negative period is taken as one second
    Some(match asked.unwrap_or(own) {
        seconds @ 0.. => seconds,
        _ => 1,
    })
}
