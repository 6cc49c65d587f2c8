//! Kinds whose controllers run elsewhere: they are stored, with what the server fills in.
//!
//! Reads and changes deployments and their kin, claims, policies and budgets.
//! Invariant: filling in twice changes nothing.

mod default;
mod validate;

use serde_json::{Value, json};

use super::Strategy;
use super::fields::{below, fill, fill_absent, text};

const GENERATION: &str = "deprecated.daemonset.template.generation";

const WITH_TEMPLATE: Strategy =
    Strategy { validate: validate::templated, has_generation: true, ..Strategy::PLAIN };

/// The rules of a resource.
pub(super) fn strategy(plural: &str) -> Strategy {
    match plural {
        "deployments" => Strategy {
            default: default::deployment,
            prepare_status: |object, old| {
                super::pipeline::keep(below(object, "metadata"), &old["metadata"], "labels");
            },
            ..WITH_TEMPLATE
        },
        "replicasets" => Strategy {
            default: default::replica_set,
            selectable: &["status.replicas"],
            ..WITH_TEMPLATE
        },
        "daemonsets" => Strategy {
            default: default::daemon_set,
            prepare_create: |object| count_template(object, 1),
            prepare_update: update_daemon_set,
            ..WITH_TEMPLATE
        },
        "statefulsets" => Strategy { default: default::stateful_set, ..WITH_TEMPLATE },
        "replicationcontrollers" => Strategy {
            default: default::replication_controller,
            validate: validate::controller,
            has_generation: true,
            selectable: &["status.replicas"],
            ..Strategy::PLAIN
        },
        "jobs" => Strategy {
            default: |job| default::job(below(job, "spec")),
            validate: |job, old| match old {
                None => validate::job(&job["spec"]),
                Some(_) => Vec::new(),
            },
            has_generation: true,
            selectable: &["status.successful"],
            ..Strategy::PLAIN
        },
        "cronjobs" => {
            Strategy { default: default::cron_job, has_generation: true, ..Strategy::PLAIN }
        }
        "podtemplates" => {
            Strategy { default: default::pod_template, has_generation: true, ..Strategy::PLAIN }
        }
        _ => others(plural),
    }
}

fn others(plural: &str) -> Strategy {
    match plural {
        "persistentvolumeclaims" => Strategy {
            default: default::claim,
            prepare_create: |claim| {
                claim["status"] = json!({"phase": "Pending"});
                protect(claim, "kubernetes.io/pvc-protection");
            },
            validate: |claim, _| validate::claim(&claim["spec"]),
            ..Strategy::PLAIN
        },
        "persistentvolumes" => Strategy {
            default: |volume| {
                fill(below(volume, "spec"), "persistentVolumeReclaimPolicy", "Retain");
                fill(below(volume, "spec"), "volumeMode", "Filesystem");
                fill(below(volume, "status"), "phase", "Pending");
                if let Some(path) = volume.pointer_mut("/spec/hostPath") {
                    fill_absent(path, "type", "");
                }
            },
            prepare_create: |volume| {
                volume["status"] = json!({"phase": "Pending"});
                protect(volume, "kubernetes.io/pv-protection");
            },
            ..Strategy::PLAIN
        },
        "priorityclasses" => Strategy {
            default: |class| fill(class, "preemptionPolicy", "PreemptLowerPriority"),
            validate: validate::priority_class,
            has_generation: true,
            ..Strategy::PLAIN
        },
        "networkpolicies" => Strategy {
            default: default::network_policy,
            validate: |policy, _| validate::network_policy(&policy["spec"]),
            has_generation: true,
            ..Strategy::PLAIN
        },
        "poddisruptionbudgets" => Strategy {
            validate: |budget, _| validate::budget(&budget["spec"]),
            has_generation: true,
            needs_version: true,
            ..Strategy::PLAIN
        },
        "limitranges" => {
            Strategy { default: default::limit_range, creates_on_update: true, ..Strategy::PLAIN }
        }
        "controllerrevisions" => Strategy { validate: validate::revision, ..Strategy::PLAIN },
        _ => Strategy::PLAIN,
    }
}

/// Keeps an object until nobody uses it.
fn protect(object: &mut Value, finalizer: &str) {
    let metadata = below(object, "metadata");
    fill_absent(metadata, "finalizers", json!([]));
    if let Some(finalizers) = metadata["finalizers"].as_array_mut()
        && !finalizers.iter().any(|it| it == finalizer)
    {
        finalizers.push(Value::from(finalizer));
    }
}

fn count_template(object: &mut Value, count: i64) {
    let annotations = below(below(object, "metadata"), "annotations");
    annotations[GENERATION] = Value::from(count.to_string());
}

fn update_daemon_set(object: &mut Value, old: &Value) {
    let count: i64 =
        old["metadata"]["annotations"][GENERATION].as_str().unwrap_or("").parse().unwrap_or(0);
    let is_changed = object["spec"]["template"] != old["spec"]["template"];
    if count > 0 || is_changed {
        count_template(object, count + i64::from(is_changed));
    }
}

/// Gives a job the labels and the selector that follow from its uid; callers set the uid first.
pub(crate) fn identify_job(job: &mut Value) {
    let uid = text(job, "/metadata/uid").to_owned();
    let name = text(job, "/metadata/name").to_owned();
    if job["kind"] != "Job" || job["spec"]["manualSelector"] == true || uid.is_empty() {
        return;
    }
    let template = below(below(below(job, "spec"), "template"), "metadata");
    let labels = below(template, "labels");
    for key in ["batch.kubernetes.io/controller-uid", "controller-uid"] {
        fill(labels, key, uid.as_str());
    }
    for key in ["batch.kubernetes.io/job-name", "job-name"] {
        fill(labels, key, name.as_str());
    }
    let labels = labels.clone();
    fill_absent(below(job, "metadata"), "labels", labels);
    let selector = json!({"matchLabels": {"batch.kubernetes.io/controller-uid": uid}});
    fill_absent(below(job, "spec"), "selector", selector);
}
