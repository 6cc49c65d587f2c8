//! Whether the object in a request is the one its path names.
//!
//! Invariant: after these checks kind, version and namespace of object and path agree.

use serde_json::{Map, Value, json};

use crate::kinds::Kind;
use crate::refusal::Refusal;

/// Checks that an object is of a kind; a missing kind or version is the path's.
pub(crate) fn check(kind: &Kind, mut object: Value) -> Result<Value, Refusal> {
    let want = kind.api_version();
    let Some(fields) = object.as_object_mut() else {
        return Err(Refusal::bad_request(format!(
            "the object provided is unrecognized (must be of type {})",
            kind.kind
        )));
    };
    let text = |name: &str| match fields.get(name) {
        None | Some(Value::Null) => Some(""),
        Some(Value::String(text)) => Some(text.as_str()),
        Some(_) => None,
    };
    let (Some(api_version), Some(name)) = (text("apiVersion"), text("kind")) else {
        let message = "couldn't get version/kind; json parse error: json: cannot unmarshal into Go \
                       struct field of type string";
        return Err(Refusal::bad_request(message));
    };
    if !name.is_empty() && name != kind.kind {
        let message = format!(
            "{name} in version {:?} cannot be handled as a {}: no kind match",
            kind.version, kind.kind
        );
        return Err(Refusal::bad_request(message));
    }
    if !api_version.is_empty() && api_version != want {
        let message = format!(
            "the API version in the data ({api_version}) does not match the expected API version ({want})"
        );
        return Err(Refusal::bad_request(message));
    }
    fields.insert("apiVersion".to_owned(), Value::from(want));
    fields.insert("kind".to_owned(), Value::from(kind.kind.as_str()));
    Ok(object)
}

/// Gives an object the namespace of its path, unless it names another.
pub(crate) fn set_namespace(
    object: &mut Value,
    kind: &Kind,
    namespace: &str,
) -> Result<(), Refusal> {
    let Some(fields) = object.as_object_mut() else {
        return Ok(());
    };
    let metadata = fields.entry("metadata").or_insert_with(|| Value::Object(Map::new()));
    if metadata.is_null() {
        *metadata = Value::Object(Map::new());
    }
    let Some(metadata) = metadata.as_object_mut() else {
        return Ok(());
    };
    let given = metadata.get("namespace").and_then(Value::as_str).unwrap_or("");
    if !kind.is_namespaced() {
        metadata.remove("namespace");
        return Ok(());
    }
    if !given.is_empty() && given != namespace {
        let message = "the namespace of the provided object does not match the namespace sent on \
                       the request";
        return Err(Refusal::bad_request(message));
    }
    metadata.insert("namespace".to_owned(), Value::from(namespace));
    Ok(())
}

/// Nothing new comes into a namespace that is going.
pub(crate) fn terminating(kind: &Kind, namespace: &str, name: &str) -> Refusal {
    let why = format!(
        "unable to create new content in namespace {namespace} because it is being terminated"
    );
    let cause = json!({
        "reason": "NamespaceTerminating",
        "message": format!("namespace {namespace} is being terminated"),
        "field": "metadata.namespace",
    });
    let mut refusal = Refusal::forbidden(kind, name, &why);
    refusal.details["causes"] = json!([cause]);
    refusal
}

/// The fields an endpoint never takes from a client, and which nobody owns through it.
pub(crate) fn reset_fields(kind: &Kind, subresource: &str) -> &'static [&'static [&'static str]] {
    match subresource {
        "status" if kind.group.is_empty() && kind.plural == "pods" => {
            &[&["spec"], &["metadata", "deletionTimestamp"], &["metadata", "ownerReferences"]]
        }
        "status" => &[&["spec"]],
        _ if kind.has_status => &[&["status"]],
        _ => &[],
    }
}
