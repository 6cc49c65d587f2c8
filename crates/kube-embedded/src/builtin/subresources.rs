//! Changes of objects through paths below them: binding, finalizing, ephemeral containers.
//!
//! Reads what was sent and what is stored; returns what is to be stored.
//! Invariant: a subresource changes nothing but what it is there for.

use kube_schema::{FieldError, Path};
use serde_json::{Value, json};

use super::fields::{below, fill_absent, has, items, items_mut, text};
use super::{checks, decode, pipeline, pods};
use crate::kinds::Kind;
use crate::refusal::Refusal;

const POD: &str = "io.k8s.api.core.v1.Pod";

/// Puts a pod on the node that a `Binding` names, at a time in RFC 3339.
pub(crate) fn bind(pod: &Value, binding: &Value, now: &str) -> Result<Value, Refusal> {
    let target = &binding["target"];
    let at = Path::of_fields(["target"]);
    let mut errors = Vec::new();
    if !["", "Node"].contains(&text(target, "/kind")) {
        let kinds = ["Node", "<empty>"];
        errors.push(checks::not_supported(text(target, "/kind"), &kinds, at.field("kind")));
    }
    if text(target, "/name").is_empty() {
        errors.push(FieldError::required(at.field("name"), ""));
    }
    if !errors.is_empty() {
        return Err(Refusal::new(500, "", kube_schema::aggregate(&errors)));
    }
    free(pod)?;
    let mut pod = pod.clone();
    pod["spec"]["nodeName"] = target["name"].clone();
    for name in ["annotations", "labels"] {
        for (key, value) in super::fields::entries(&binding["metadata"], name) {
            below(below(&mut pod, "metadata"), name)[key.as_str()] = value.clone();
        }
    }
    schedule(below(&mut pod, "status"), now);
    Ok(pod)
}

/// Refuses a pod that may not be put on a node.
fn free(pod: &Value) -> Result<(), Refusal> {
    let name = text(pod, "/metadata/name");
    let node = text(pod, "/spec/nodeName");
    let why = if has(&pod["metadata"], "deletionTimestamp") {
        format!("pod {name} is being deleted, cannot be assigned to a host")
    } else if !node.is_empty() {
        format!("pod {name} is already assigned to node {}", kube_schema::quoted(node))
    } else if !items(&pod["spec"], "schedulingGates").is_empty() {
        format!("pod {name} has non-empty .spec.schedulingGates")
    } else {
        return Ok(());
    };
    let quoted = kube_schema::quoted(name);
    let message = format!("Operation cannot be fulfilled on pods/binding {quoted}: {why}");
    let details = json!({"name": name, "kind": "pods/binding"});
    Err(Refusal::new(409, "Conflict", message).with_details(details))
}

fn schedule(status: &mut Value, now: &str) {
    let condition = json!({
        "type": "PodScheduled",
        "status": "True",
        "lastProbeTime": null,
        "lastTransitionTime": now,
    });
    set_true(status, condition);
}

/// A pod whose status says, at a time in RFC 3339, that it is evicted.
pub(crate) fn evicted(pod: &Value, now: &str) -> Value {
    let mut pod = pod.clone();
    let condition = json!({
        "type": "DisruptionTarget",
        "status": "True",
        "reason": "EvictionByEvictionAPI",
        "message": "Eviction API: evicting",
        "lastProbeTime": null,
        "lastTransitionTime": now,
    });
    set_true(below(&mut pod, "status"), condition);
    pod
}

/// Sets a condition, unless it holds already.
fn set_true(status: &mut Value, condition: Value) {
    fill_absent(status, "conditions", json!([]));
    let is_it = |it: &&mut Value| it["type"] == condition["type"];
    let standing = items_mut(status, "conditions").iter_mut().find(is_it);
    match standing {
        Some(standing) if standing["status"] == "True" => {}
        Some(standing) => *standing = condition,
        None => {
            if let Some(conditions) = status["conditions"].as_array_mut() {
                conditions.push(condition);
            }
        }
    }
}

/// A namespace with the finalizers that an update through `finalize` leaves.
pub(crate) fn finalized(namespace: &Value, old: &Value) -> Value {
    let mut kept = old.clone();
    match namespace["spec"].get("finalizers") {
        Some(finalizers) if !items(&namespace["spec"], "finalizers").is_empty() => {
            kept["spec"]["finalizers"] = finalizers.clone();
        }
        Some(_) | None => super::fields::remove(below(&mut kept, "spec"), "finalizers"),
    }
    kept
}

/// A pod with the ephemeral containers of another; those it has may neither change nor go.
pub(crate) fn with_ephemeral_containers(
    kind: &Kind,
    pod: &Value,
    old: &Value,
) -> Result<Value, Refusal> {
    let list = "ephemeralContainers";
    let decoded = decode::decode(pod, POD)
        .map_err(|why| pipeline::undecodable(&kind.kind, &kind.version, &why))?;
    let mut kept = old.clone();
    let spec = below(&mut kept, "spec");
    pipeline::keep(spec, &decoded.object["spec"], list);
    pods::template(spec);
    let mut errors = pods::ephemeral(spec, &Path::of_fields(["spec"]));
    errors.extend(changed_containers(items(spec, list), items(&old["spec"], list)));
    if !errors.is_empty() {
        return Err(pipeline::invalid(kind, text(old, "/metadata/name"), &errors));
    }
    if kept["spec"] != old["spec"] {
        let generation = old["metadata"]["generation"].as_i64().unwrap_or(0) + 1;
        below(&mut kept, "metadata")["generation"] = Value::from(generation);
    }
    Ok(kept)
}

fn changed_containers(after: &[Value], before: &[Value]) -> Vec<FieldError> {
    let at = Path::of_fields(["spec", "ephemeralContainers"]);
    let mut errors = Vec::new();
    for container in before {
        let name = text(container, "/name");
        let what = match after.iter().find(|it| text(it, "/name") == name) {
            None => "removed",
            Some(after) if after != container => "changed",
            Some(_) => continue,
        };
        let quoted = kube_schema::quoted(name);
        let why = format!("existing ephemeral containers {quoted} may not be {what}\n");
        errors.push(FieldError::forbidden(at.clone(), why));
    }
    errors
}
