//! Checks what an update changes of a pod.
//!
//! Reads the new pod and the old one; returns errors in the server's words.
//! Invariant: an update that changes metadata alone is never refused here.

use kube_schema::{FieldError, Path};
use serde_json::Value;

use super::validate;
use crate::builtin::fields::{items, items_mut, text};

const FIXED: &str = "pod updates may not change fields other than \
    `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,\
    `spec.tolerations` (only additions to existing tolerations),\
    `spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

pub(super) fn check(pod: &Value, old: &Value) -> Vec<FieldError> {
    if pod["spec"] == old["spec"] {
        return Vec::new();
    }
    let at = Path::of_fields(["spec"]);
    let mut errors = validate::pod(pod);
    for list in ["containers", "initContainers"] {
        if items(&pod["spec"], list).len() != items(&old["spec"], list).len() {
            let why = "pod updates may not add or remove containers";
            errors.push(FieldError::forbidden(at.field(list), why));
            return errors;
        }
    }
    for list in ["containers", "initContainers"] {
        errors.extend(images(&pod["spec"], list, &at.field(list)));
    }
    errors.extend(deadline(&pod["spec"], &old["spec"], &at.field("activeDeadlineSeconds")));
    errors.extend(gates(&pod["spec"], &old["spec"], &at.field("schedulingGates")));
    errors.extend(tolerations(&pod["spec"], &old["spec"], &at.field("tolerations")));
    let mut new_spec = pod["spec"].clone();
    may_change(&mut new_spec, &old["spec"]);
    if new_spec != old["spec"] {
        errors.push(FieldError::forbidden(at, FIXED));
    }
    errors
}

/// Makes what may change what it was.
fn may_change(spec: &mut Value, old: &Value) {
    for list in ["containers", "initContainers"] {
        for (container, old) in items_mut(spec, list).iter_mut().zip(items(old, list)) {
            container["image"] = old["image"].clone();
        }
    }
    for name in ["activeDeadlineSeconds", "schedulingGates", "tolerations"] {
        crate::builtin::pipeline::keep(spec, old, name);
    }
    let grace = "terminationGracePeriodSeconds";
    let was_negative = old[grace].as_i64().is_some_and(|seconds| seconds < 0);
    if was_negative && spec[grace] == 1 {
        crate::builtin::pipeline::keep(spec, old, grace);
    }
}

/// An image that may change is looked at again.
fn images(spec: &Value, list: &str, at: &Path) -> Vec<FieldError> {
    let containers = items(spec, list).iter().enumerate();
    let empty = containers.filter(|(_, it)| text(it, "/image").trim().is_empty());
    empty.map(|(place, _)| FieldError::required(at.index(place).field("image"), "")).collect()
}

fn gates(spec: &Value, old: &Value, at: &Path) -> Vec<FieldError> {
    let names = |spec| items(spec, "schedulingGates").iter().map(|it| text(it, "/name"));
    let new = names(spec).enumerate().filter(|(_, gate)| !names(old).any(|it| it == *gate));
    let error = |(place, gate): (usize, &str)| {
        let why = format!("only deletion is allowed, but found new scheduling gate '{gate}'");
        FieldError::forbidden(at.index(place).field("name"), why)
    };
    new.map(error).collect()
}

fn deadline(spec: &Value, old: &Value, at: &Path) -> Option<FieldError> {
    let name = "activeDeadlineSeconds";
    match (spec[name].as_i64(), old[name].as_i64()) {
        (Some(new), Some(old)) if new > old => {
            let why = "must be less than or equal to previous value";
            Some(FieldError::invalid(at.clone(), Value::from(new), why))
        }
        (None, Some(_)) => {
            let why = "must not update from a positive integer to nil value";
            Some(FieldError::invalid(at.clone(), Value::Null, why))
        }
        (Some(_), Some(_)) | (_, None) => None,
    }
}

fn tolerations(spec: &Value, old: &Value, at: &Path) -> Option<FieldError> {
    let is_kept = items(old, "tolerations").iter().all(|old| {
        items(spec, "tolerations").iter().any(|new| {
            ["/key", "/operator", "/value", "/effect"]
                .iter()
                .all(|pointer| text(new, pointer) == text(old, pointer))
        })
    });
    let why = "existing toleration can not be modified except its tolerationSeconds";
    (!is_kept).then(|| FieldError::forbidden(at.clone(), why))
}
