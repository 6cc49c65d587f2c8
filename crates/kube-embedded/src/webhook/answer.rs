//! What a webhook answers.
//!
//! Reads an `AdmissionReview` with a response; returns the verdict, or why it makes no sense.
//! Invariant: an answer that does not fit its request is a failed call, never a verdict.

use serde_json::{Value, json};

use crate::auth::base64::{self, Alphabet};
use crate::patch::{self, Step};
use crate::refusal::Refusal;

#[cfg(test)]
mod tests;

/// What kind of webhook was called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Mutating,
    Validating,
}

/// Allowed, perhaps with a change.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Allowed {
    pub(super) patch: Option<Vec<Step>>,
}

/// What an answer means.
#[derive(Debug, PartialEq)]
pub(super) struct Verdict {
    pub(super) outcome: Result<Allowed, Refusal>,
    pub(super) warnings: Vec<String>,
}

/// Reads the answer to the call that `uid` names; the error follows `failed calling webhook "x": `.
pub(super) fn read(answer: &[u8], role: Role, name: &str, uid: &str) -> Result<Verdict, String> {
    let answer: Value = serde_json::from_slice(answer).map_err(|error| {
        format!("failed to call webhook: couldn't get version/kind; json parse error: {error}")
    })?;
    let response = check(&answer, uid).map_err(invalid)?;
    let warnings = texts(&response["warnings"]);
    if response["allowed"] != true {
        return Ok(Verdict { outcome: Err(denial(name, &response["status"])), warnings });
    }
    let patch = response["patch"].as_str().filter(|patch| !patch.is_empty());
    let patch = patch.map(|text| base64::decode(Alphabet::Standard, text)).transpose();
    let patch = patch.map_err(|error| format!("failed to call webhook: {error}"))?;
    let kind = response["patchType"].as_str();
    let patch = match (role, patch, kind) {
        (_, None, None) => None,
        (Role::Validating, Some(_), _) => {
            return Err(invalid("validating webhook may not return response.patch".to_owned()));
        }
        (Role::Validating, None, Some(_)) => {
            return Err(invalid("validating webhook may not return response.patchType".to_owned()));
        }
        (Role::Mutating, Some(_), None) => {
            let why = "webhook returned response.patch but not response.patchType";
            return Err(invalid(why.to_owned()));
        }
        (Role::Mutating, None, Some(_)) => {
            let why = "webhook returned response.patchType but not response.patch";
            return Err(invalid(why.to_owned()));
        }
        (Role::Mutating, Some(patch), Some(kind)) => read_patch(&patch, kind)?,
    };
    Ok(Verdict { outcome: Ok(Allowed { patch }), warnings })
}

/// Changes an object as a webhook wants it.
pub(super) fn apply(patch: &[Step], object: &Value) -> Result<Value, Refusal> {
    patch::run_steps(patch, object).map_err(|step| internal(&inapplicable(step, object)))
}

/// The server's words for an operation that does not fit the object.
fn inapplicable(step: &Step, object: &Value) -> String {
    let missing = |verb: &str, path: &str| {
        format!("{verb} operation does not apply: doc is missing path: {path}: missing value")
    };
    let path = step.path();
    match step.operation() {
        "add" => missing("add", &format!("{path:?}")),
        "replace" => missing("replace", path),
        verb @ ("move" | "copy") => missing(verb, &format!("{:?}", step.from())),
        "test" => format!("testing value {path} failed: test failed"),
        "remove" if !has_holder(object, path) => missing("remove", &format!("{path:?}")),
        "remove" => {
            let key = path.rsplit('/').next().unwrap_or(path);
            format!(
                "error in remove for path: '{path}': \
                 Unable to remove nonexistent key: {key}: missing value"
            )
        }
        other => format!("Unexpected kind: {other}"),
    }
}

/// Whether what would hold the last part of a path is there.
fn has_holder(object: &Value, path: &str) -> bool {
    path.rsplit_once('/').is_some_and(|(holder, _)| object.pointer(holder).is_some())
}

/// The server's refusal when a webhook could not be asked.
pub(super) fn internal(why: &str) -> Refusal {
    let refusal = Refusal::new(500, "InternalError", format!("Internal error occurred: {why}"));
    refusal.with_details(json!({"causes": [{"message": why}]}))
}

fn invalid(why: String) -> String {
    format!("received invalid webhook response: {why}")
}

fn check<'a>(answer: &'a Value, uid: &str) -> Result<&'a Value, String> {
    let text = |value: &'a Value| value.as_str().unwrap_or("");
    let (version, kind) = (text(&answer["apiVersion"]), text(&answer["kind"]));
    if (version, kind) != ("admission.k8s.io/v1", "AdmissionReview") {
        let version =
            if version.contains('/') { version.to_owned() } else { format!("/{version}") };
        return Err(format!(
            "expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, \
             got {version}, Kind={kind}"
        ));
    }
    let response = &answer["response"];
    if response.is_null() {
        return Err("webhook response was absent".to_owned());
    }
    match text(&response["uid"]) {
        got if got == uid => Ok(response),
        got => Err(format!("expected response.uid={uid:?}, got {got:?}")),
    }
}

fn read_patch(patch: &[u8], kind: &str) -> Result<Option<Vec<Step>>, String> {
    let undecodable = |why: &dyn std::fmt::Display| {
        format!("received undecodable patch in webhook response: {why}")
    };
    let patch: Value = serde_json::from_slice(patch).map_err(|error| undecodable(&error))?;
    let items = match patch {
        Value::Array(items) => items,
        Value::Null => return Ok(None),
        other => {
            let name = kube_schema::json_type(&other);
            let why =
                format!("json: cannot unmarshal {name} into Go value of type jsonpatch.Patch");
            return Err(undecodable(&why));
        }
    };
    let steps = items.into_iter().map(Step::read).collect::<Result<Vec<Step>, String>>();
    let patch = steps.map_err(|why| undecodable(&why))?;
    match (patch.is_empty(), kind) {
        (true, _) => Ok(None),
        (false, "JSONPatch") => Ok(Some(patch)),
        (false, kind) => Err(format!("unsupported patch type {kind:?}")),
    }
}

/// The refusal a webhook asks for, in its own words.
fn denial(name: &str, status: &Value) -> Refusal {
    let text = |field: &str| status[field].as_str().unwrap_or("");
    let message = match (text("message"), text("reason")) {
        ("", "") => format!("admission webhook {name:?} denied the request without explanation"),
        ("", why) | (why, _) => format!("admission webhook {name:?} denied the request: {why}"),
    };
    let code = status["code"].as_u64().and_then(|code| u16::try_from(code).ok());
    // A refusal is an error, whatever the webhook calls it.
    let code = code.filter(|code| (400..600).contains(code)).unwrap_or(400);
    let refusal = Refusal::new(code, known_reason(text("reason")), message);
    refusal.with_details(status["details"].clone())
}

fn known_reason(reason: &str) -> &'static str {
    const KNOWN: &[&str] = &[
        "Unauthorized",
        "Forbidden",
        "NotFound",
        "AlreadyExists",
        "Conflict",
        "Gone",
        "Invalid",
        "ServerTimeout",
        "StoreReadError",
        "Timeout",
        "TooManyRequests",
        "BadRequest",
        "MethodNotAllowed",
        "NotAcceptable",
        "RequestEntityTooLarge",
        "UnsupportedMediaType",
        "InternalError",
        "Expired",
        "ServiceUnavailable",
    ];
    KNOWN.iter().find(|known| **known == reason).copied().unwrap_or("")
}

/// Texts that fit into a `Warning` header; the server drops the others.
fn texts(value: &Value) -> Vec<String> {
    let items = value.as_array().into_iter().flatten().filter_map(Value::as_str);
    items.filter(|text| !text.chars().any(char::is_control)).map(str::to_owned).collect()
}
