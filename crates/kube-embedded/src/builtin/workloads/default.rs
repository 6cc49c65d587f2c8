//! What the server fills in of kinds whose controllers run elsewhere.
//!
//! Changes their objects.
//! Invariant: filling in twice changes nothing.

use serde_json::{Value, json};

use crate::builtin::fields::{below, entries, fill, fill_absent, has, items, items_mut};
use crate::builtin::pods;

pub(super) fn deployment(object: &mut Value) {
    let spec = replicated(object);
    fill_absent(spec, "revisionHistoryLimit", 10);
    fill_absent(spec, "progressDeadlineSeconds", 600);
    let strategy = below(spec, "strategy");
    fill(strategy, "type", "RollingUpdate");
    if strategy["type"] == "RollingUpdate" {
        let update = below(strategy, "rollingUpdate");
        fill_absent(update, "maxUnavailable", "25%");
        fill_absent(update, "maxSurge", "25%");
    }
}

pub(super) fn replica_set(object: &mut Value) {
    replicated(object);
}

pub(super) fn daemon_set(object: &mut Value) {
    let spec = templated(object);
    fill_absent(spec, "revisionHistoryLimit", 10);
    let strategy = below(spec, "updateStrategy");
    fill(strategy, "type", "RollingUpdate");
    if strategy["type"] == "RollingUpdate" {
        let update = below(strategy, "rollingUpdate");
        fill_absent(update, "maxUnavailable", 1);
        fill_absent(update, "maxSurge", 0);
    }
}

pub(super) fn stateful_set(object: &mut Value) {
    let spec = replicated(object);
    fill_absent(spec, "revisionHistoryLimit", 10);
    fill(spec, "podManagementPolicy", "OrderedReady");
    let strategy = below(spec, "updateStrategy");
    fill(strategy, "type", "RollingUpdate");
    if strategy["type"] == "RollingUpdate" {
        fill_absent(below(strategy, "rollingUpdate"), "partition", 0);
    }
    let retention = below(spec, "persistentVolumeClaimRetentionPolicy");
    fill(retention, "whenDeleted", "Retain");
    fill(retention, "whenScaled", "Retain");
    for claim in items_mut(spec, "volumeClaimTemplates") {
        fill(claim, "kind", "PersistentVolumeClaim");
        fill(claim, "apiVersion", "v1");
        self::claim(claim);
    }
}

pub(super) fn replication_controller(object: &mut Value) {
    let spec = below(object, "spec");
    fill_absent(spec, "replicas", 1);
    if !has(spec, "template") {
        return;
    }
    pods::template(below(below(spec, "template"), "spec"));
    let labels = spec["template"]["metadata"]["labels"].clone();
    if labels.is_object() {
        fill_absent(spec, "selector", labels.clone());
        fill_absent(below(object, "metadata"), "labels", labels);
    }
}

pub(super) fn job(spec: &mut Value) {
    if !has(spec, "completions") && !has(spec, "parallelism") {
        fill_absent(spec, "completions", 1);
    }
    fill_absent(spec, "parallelism", 1);
    fill_absent(spec, "backoffLimit", 6);
    fill(spec, "completionMode", "NonIndexed");
    fill_absent(spec, "suspend", false);
    fill_absent(spec, "manualSelector", false);
    let policy = if has(spec, "podFailurePolicy") { "Failed" } else { "TerminatingOrFailed" };
    fill(spec, "podReplacementPolicy", policy);
    pods::template(below(below(spec, "template"), "spec"));
}

pub(super) fn cron_job(object: &mut Value) {
    let spec = below(object, "spec");
    fill(spec, "concurrencyPolicy", "Allow");
    fill_absent(spec, "suspend", false);
    fill_absent(spec, "successfulJobsHistoryLimit", 3);
    fill_absent(spec, "failedJobsHistoryLimit", 1);
    let template = below(below(below(spec, "jobTemplate"), "spec"), "template");
    pods::template(below(template, "spec"));
}

pub(super) fn pod_template(object: &mut Value) {
    pods::template(below(below(object, "template"), "spec"));
}

pub(super) fn claim(claim: &mut Value) {
    fill(below(claim, "spec"), "volumeMode", "Filesystem");
    fill(below(claim, "status"), "phase", "Pending");
}

pub(super) fn network_policy(object: &mut Value) {
    let spec = below(object, "spec");
    for rules in ["ingress", "egress"] {
        for rule in items_mut(spec, rules) {
            items_mut(rule, "ports").iter_mut().for_each(|port| fill(port, "protocol", "TCP"));
        }
    }
    if items(spec, "policyTypes").is_empty() {
        let types = match items(spec, "egress").is_empty() {
            true => json!(["Ingress"]),
            false => json!(["Ingress", "Egress"]),
        };
        spec["policyTypes"] = types;
    }
}

fn replicated(object: &mut Value) -> &mut Value {
    fill_absent(below(object, "spec"), "replicas", 1);
    templated(object)
}

fn templated(object: &mut Value) -> &mut Value {
    let spec = below(object, "spec");
    pods::template(below(below(spec, "template"), "spec"));
    spec
}

/// Limits that are not given follow from others.
pub(super) fn limit_range(object: &mut Value) {
    for limit in items_mut(below(object, "spec"), "limits") {
        if limit["type"] == "Container" {
            inherit(limit, "max", "default");
            inherit(limit, "default", "defaultRequest");
            inherit(limit, "min", "defaultRequest");
        }
    }
}

fn inherit(limit: &mut Value, from: &str, to: &str) {
    let amounts: Vec<(String, Value)> =
        entries(limit, from).map(|(name, amount)| (name.clone(), amount.clone())).collect();
    for (name, amount) in amounts {
        fill_absent(below(limit, to), &name, amount);
    }
}
