//! What the server says to a patch whose result is no object of the kind.
//!
//! Reads the patch, its result and why that cannot be decoded; returns the refusal.
//! Invariant: the result is quoted as the server's patch library writes it.

use kube_schema::{go_text, quoted};
use serde_json::{Value, json};

use super::super::asked::Asked;
use crate::kinds::{Attempt, FieldValidation};
use crate::patch::Patch;
use crate::refusal::Refusal;

/// Fields of metadata as Go writes them.
const METADATA: [&str; 15] = [
    "name",
    "generateName",
    "namespace",
    "selfLink",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "labels",
    "annotations",
    "ownerReferences",
    "finalizers",
    "managedFields",
];

/// Fields of an entry of `managedFields` as Go writes them.
const ENTRY: [&str; 7] =
    ["manager", "operation", "apiVersion", "time", "fieldsType", "fieldsV1", "subresource"];

/// Says what is wrong with the result of a patch, if it was the decoder who refused it.
pub(super) fn explain(asked: &Asked, patch: &Patch, result: &Value, refusal: Refusal) -> Refusal {
    let kind = &asked.kind;
    let prefix =
        format!("{0} in version {1:?} cannot be handled as a {0}: ", kind.kind, kind.version);
    match refusal.message.strip_prefix(&prefix) {
        // Custom objects have no structs whose order could show.
        Some(why) if refusal.code == 400 && kind.built_in().is_none() => {
            unfit(&result.to_string(), why)
        }
        Some(why) if refusal.code == 400 => refuse(patch, result, why),
        Some(_) | None => refusal,
    }
}

/// Refuses a result of another kind or version.
pub(super) fn other_kind(asked: &Asked, patch: &Patch, result: &Value) -> Option<Refusal> {
    let kind = &asked.kind;
    let text = |name: &str| result[name].as_str().unwrap_or("").to_owned();
    let (version, name) = (text("apiVersion"), text("kind"));
    if kind.built_in().is_none() || (version == kind.api_version() && name == kind.kind) {
        return None;
    }
    let unknown = format!(
        "no kind {name:?} is registered for version {version:?} in scheme \
         \"pkg/runtime/scheme.go:111\""
    );
    let Some(other) = asked.core.served().named(&version, &name).cloned() else {
        return Some(refuse(patch, result, &unknown));
    };
    let attempt = Attempt {
        object: result.clone(),
        operation: kube_schema::Operation::Create,
        field_validation: FieldValidation::Ignore,
        record: &|_| Ok(()),
        complaints: &[],
    };
    let refusal = other.judge(attempt).err()?;
    let (_, why) = refusal.message.split_once(" cannot be handled as a ")?;
    let (_, why) = why.split_once(": ")?;
    Some(refuse(patch, result, why))
}

fn refuse(patch: &Patch, result: &Value, why: &str) -> Refusal {
    let (value, why) = match patch {
        Patch::Strategic(patch) => (go_text::plain(patch), converted(why)),
        Patch::Json(_) | Patch::Merge(_) | Patch::Apply(_) => (written(patch, result), why.into()),
    };
    unfit(&value, &why)
}

fn unfit(value: &str, why: &str) -> Refusal {
    let why = format!("Invalid value: {}: {why}", quoted(value));
    let message = format!(" \"\" is invalid: patch: {why}");
    let causes = json!([{"reason": "FieldValueInvalid", "message": why, "field": "patch"}]);
    Refusal::new(422, "Invalid", message).with_details(json!({"causes": causes}))
}

/// The result as the server's patch library writes it: what it did not touch keeps Go's order.
fn written(patch: &Patch, result: &Value) -> String {
    let is_touched = match patch {
        Patch::Merge(patch) => patch.get("metadata").is_some(),
        Patch::Json(_) | Patch::Strategic(_) | Patch::Apply(_) => false,
    };
    let mut fields: Vec<(&String, &Value)> = result.as_object().into_iter().flatten().collect();
    fields.sort_by_key(|(name, _)| *name);
    let fields = fields.into_iter().map(|(name, value)| match name.as_str() {
        "metadata" if !is_touched => (name.as_str(), in_order(value, &METADATA)),
        _ => (name.as_str(), value.to_string()),
    });
    object(fields)
}

fn in_order(value: &Value, order: &[&str]) -> String {
    let fields = order.iter().filter_map(|name| {
        let value = value.get(*name)?;
        let text = match (*name, value) {
            ("managedFields", Value::Array(entries)) => {
                let entries: Vec<_> = entries.iter().map(|it| in_order(it, &ENTRY)).collect();
                format!("[{}]", entries.join(","))
            }
            _ => value.to_string(),
        };
        Some((*name, text))
    });
    object(fields)
}

fn object<'a>(fields: impl Iterator<Item = (&'a str, String)>) -> String {
    let fields: Vec<String> =
        fields.map(|(name, text)| format!("{}:{text}", Value::from(name))).collect();
    format!("{{{}}}", fields.join(","))
}

/// What the converter of strategic patches says where the decoder of JSON would complain.
fn converted(why: &str) -> String {
    let parts = why.strip_prefix("json: cannot unmarshal ").and_then(|it| it.split_once(" into "));
    let Some((found, wanted)) = parts else { return why.to_owned() };
    let Some((_, wanted)) = wanted.rsplit_once(" of type ") else { return why.to_owned() };
    let found = match found.split(' ').next().unwrap_or(found) {
        "number" => "int64",
        "object" => "map",
        "array" => "slice",
        other => other,
    };
    match wanted {
        list if list.starts_with("[]") => format!("cannot restore slice from {found}"),
        map if map.starts_with("map[") => format!("cannot restore map from {found}"),
        name if name.contains('.') => format!("cannot restore struct from: {found}"),
        plain => format!("cannot convert {found} to {plain}"),
    }
}

#[cfg(test)]
mod tests;
