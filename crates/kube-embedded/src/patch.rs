//! The four ways to change an object in place: what a `PATCH` body says, and what it does.
//!
//! Reads a content type, a body and the current object; returns the changed object.
//! Invariant: a patch that cannot be carried out whole changes nothing.

mod go_json;
mod json;
mod merge;
mod strategic;

use kube_schema::{Schema, json_type};
use serde_json::{Value, json};

use crate::refusal::Refusal;

pub(crate) use go_json::complaint;
pub(crate) use json::{Step, run as run_steps};

/// Patches of more steps are not carried out.
const MOST_STEPS: usize = 10_000;

/// What a `PATCH` asks for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Patch {
    /// `application/json-patch+json`
    Json(Vec<Step>),
    /// `application/merge-patch+json`
    Merge(Value),
    /// `application/strategic-merge-patch+json`
    Strategic(Value),
    /// `application/apply-patch+yaml`: [`crate::apply::apply`] carries it out.
    Apply(Value),
}

/// Reads the body of a `PATCH`.
pub(crate) fn read(content_type: &str, body: &[u8], is_custom: bool) -> Result<Patch, Refusal> {
    let media_type = content_type.split(';').next().unwrap_or_default();
    match media_type {
        "application/json-patch+json" => read_steps(body).map(Patch::Json),
        "application/merge-patch+json" => {
            let patch = parse(body).and_then(want_object);
            let patch = patch.map_err(|why| undecodable(&why))?;
            match patch {
                Value::Null => Err(Refusal::bad_request("Invalid JSON Patch")),
                patch => Ok(Patch::Merge(patch)),
            }
        }
        "application/strategic-merge-patch+json" if !is_custom => {
            let patch = parse(body).and_then(want_object);
            Ok(Patch::Strategic(patch.map_err(Refusal::bad_request)?))
        }
        "application/apply-patch+yaml" => read_configuration(body).map(Patch::Apply),
        _ => Err(unsupported(is_custom)),
    }
}

/// What becomes of an object; not for [`Patch::Apply`], which also needs to know who applies.
pub(crate) fn change(patch: &Patch, current: &Value, schema: &Schema) -> Result<Value, Refusal> {
    match patch {
        Patch::Json(steps) => json::run(steps, current).map_err(|_| rejected()),
        Patch::Merge(patch) => Ok(merge::merge(current.clone(), patch)),
        Patch::Strategic(patch) => strategic::merge(current, patch, schema),
        Patch::Apply(_) => Err(Refusal::new(500, "", "an apply patch is not a plain change")),
    }
}

/// The answer to a patch that is well-formed and does not fit the object.
fn rejected() -> Refusal {
    let message = "the server rejected our request due to an error in our request";
    Refusal::new(422, "Invalid", message).with_details(json!({}))
}

fn undecodable(why: &str) -> Refusal {
    Refusal::bad_request(format!("error decoding patch: {why}"))
}

/// The server answers in two voices: its router knows what built-in kinds take.
fn unsupported(is_custom: bool) -> Refusal {
    if !is_custom {
        let message = "415: Unsupported Media Type";
        return Refusal::new(415, "UnsupportedMediaType", message).with_details(json!({}));
    }
    let message = "the body of the request was in an unknown format - accepted media types \
                   include: application/json-patch+json, application/merge-patch+json, \
                   application/apply-patch+yaml";
    Refusal::new(415, "UnsupportedMediaType", message)
}

fn read_steps(body: &[u8]) -> Result<Vec<Step>, Refusal> {
    let list = parse(body).map_err(|why| undecodable(&why))?;
    let items = match list {
        Value::Array(items) => items,
        Value::Null => Vec::new(),
        other => {
            let name = json_type(&other);
            let why = format!(
                "json: cannot unmarshal {name} into Go value of type []handlers.jsonPatchOp"
            );
            return Err(undecodable(&why));
        }
    };
    let count = items.len();
    let steps: Result<Vec<_>, _> = items.into_iter().map(Step::read).collect();
    let steps = steps.map_err(|why| undecodable(&why))?;
    if count > MOST_STEPS {
        let message = format!(
            "Request entity too large: The allowed maximum operations in a JSON patch is \
             {MOST_STEPS}, got {count}"
        );
        return Err(Refusal::new(413, "RequestEntityTooLarge", message));
    }
    Ok(steps)
}

fn read_configuration(body: &[u8]) -> Result<Value, Refusal> {
    let refuse = |why: String| Refusal::bad_request(format!("error decoding YAML: {why}"));
    let value = match serde_json::from_slice(body) {
        Ok(value) => value,
        Err(_) => {
            let text = std::str::from_utf8(body)
                .map_err(|_| refuse("yaml: invalid leading UTF-8 octet".to_owned()))?;
            parse_yaml(text)
                .map_err(|why| refuse(format!("error converting YAML to JSON: yaml: {why}")))?
        }
    };
    match want_object(value) {
        Ok(Value::Null) => Ok(json!({})),
        Ok(value) => Ok(value),
        Err(why) => Err(refuse(format!("error unmarshaling JSON: while decoding JSON: {why}"))),
    }
}

fn parse_yaml(text: &str) -> Result<Value, String> {
    if text.trim().is_empty() {
        return Ok(Value::Null);
    }
    // compat: the server reads YAML 1.1, and of a repeated key the last.
    let options = serde_saphyr::options! {
        duplicate_keys: serde_saphyr::DuplicateKeyPolicy::LastWins,
        legacy_octal_numbers: true,
    };
    serde_saphyr::from_str_with_options(text, options).map_err(|error| error.to_string())
}

fn parse(body: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(body).map_err(|_| complaint(body))
}

fn want_object(value: Value) -> Result<Value, String> {
    if value.is_object() || value.is_null() {
        return Ok(value);
    }
    let name = json_type(&value);
    Err(format!("json: cannot unmarshal {name} into Go value of type map[string]interface {{}}"))
}

#[cfg(test)]
mod tests;
