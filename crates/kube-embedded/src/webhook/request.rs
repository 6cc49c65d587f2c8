//! What a webhook is sent.
//!
//! Reads a [`Review`]; returns an `AdmissionReview` with a request.
//! Invariant: fields that the server always writes are always written, the others only if set.

use serde_json::{Value, json};

use super::Review;

/// The whole object for one call, which `uid` names, in the version that the webhook wants.
pub(super) fn admission_review(review: &Review<'_>, version: &str, uid: &str) -> Value {
    let mut request = request(review, review.object, uid);
    if version != review.kind.version {
        // Without conversion webhooks, versions of one object differ in their names alone.
        request["resource"]["version"] = Value::from(version);
        for field in ["object", "oldObject"] {
            if rename(&mut request[field], &review.kind.version, version) {
                request["kind"]["version"] = Value::from(version);
            }
        }
    }
    json!({"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request": request})
}

/// Turns an object of one version into one of another; says whether it was of the first.
pub(super) fn rename(object: &mut Value, from: &str, to: &str) -> bool {
    let Some(api_version) = object.get("apiVersion").and_then(Value::as_str) else {
        return false;
    };
    let renamed = match api_version.split_once('/') {
        Some((group, version)) if version == from => format!("{group}/{to}"),
        Some(_) => return false,
        None if api_version == from => to.to_owned(),
        None => return false,
    };
    object["apiVersion"] = Value::from(renamed);
    true
}

/// The request alone, as conditions see it.
pub(super) fn request(review: &Review<'_>, object: Option<&Value>, uid: &str) -> Value {
    let (group, version, kind) = kind_of(review);
    let kind = json!({"group": group, "version": version, "kind": kind});
    let resource = json!({
        "group": review.kind.group,
        "version": review.kind.version,
        "resource": review.kind.plural,
    });
    let mut request = json!({
        "uid": uid,
        "kind": kind,
        "resource": resource,
        "requestKind": kind,
        "requestResource": resource,
        "operation": review.operation,
        "userInfo": review.user.to_value(),
        "object": object,
        "oldObject": review.old_object,
        "dryRun": review.is_dry_run,
        "options": review.options,
    });
    let optional = [
        ("subResource", review.subresource),
        ("requestSubResource", review.subresource),
        ("name", review.name),
        ("namespace", review.namespace),
    ];
    for (field, text) in optional.into_iter().filter(|(_, text)| !text.is_empty()) {
        request[field] = Value::from(text);
    }
    request
}

/// Group, version and kind of what is sent; subresources may have kinds of their own.
fn kind_of<'a>(review: &Review<'a>) -> (&'a str, &'a str, &'a str) {
    let kind = review.kind;
    let built_in = kind.built_in().and_then(|built_in| {
        built_in.subresources.iter().find(|known| known.name == review.subresource)
    });
    match (built_in, review.subresource) {
        (Some(known), _) => (known.group, known.version, known.kind),
        (None, "scale") => ("autoscaling", "v1", "Scale"),
        (None, _) => (&kind.group, &kind.version, &kind.kind),
    }
}
