//! Which state of an object a change is made of: the version it names, or any.
//!
//! Reads the object that is and the one that is to be; refuses a change of an older one.
//! Invariant: a change that passes carries the version of the object it replaces.

use serde_json::{Value, json};

use super::super::asked::Asked;
use crate::kinds::Kind;
use crate::refusal::Refusal;
use crate::rest::MODIFIED;

/// Checks the version of a new object, and gives it that of the old one if it names none.
pub(super) fn check(asked: &Asked, old: &Value, new: &mut Value) -> Result<(), Refusal> {
    let text = |object: &Value| object["metadata"]["resourceVersion"].as_str().map(str::to_owned);
    let (current, named) = (text(old).unwrap_or_default(), text(new).unwrap_or_default());
    if !is_named(&named)? {
        if !takes_any(&asked.kind) {
            return Err(needed(&asked.kind, &asked.target.name));
        }
        if let Some(metadata) = new["metadata"].as_object_mut() {
            metadata.insert("resourceVersion".to_owned(), Value::from(current));
        }
        return Ok(());
    }
    match named == current {
        true => Ok(()),
        false => Err(Refusal::conflict(&asked.kind, &asked.target.name, MODIFIED)),
    }
}

/// Whether a version is named; zero names none.
pub(super) fn is_named(version: &str) -> Result<bool, Refusal> {
    if version.is_empty() {
        return Ok(false);
    }
    let number: u64 = version.parse().map_err(|_| {
        let message = format!("strconv.ParseUint: parsing {version:?}: invalid syntax");
        Refusal::new(500, "", message)
    })?;
    Ok(number != 0)
}

/// Whether updates need not name a version; those of custom kinds must.
fn takes_any(kind: &Kind) -> bool {
    kind.built_in().is_some_and(|built_in| !built_in.strategy.needs_version)
}

fn needed(kind: &Kind, name: &str) -> Refusal {
    let field = "metadata.resourceVersion";
    let why = "Invalid value: 0: must be specified for an update";
    let message = format!("{} {name:?} is invalid: {field}: {why}", kind.resource());
    let causes = json!([{"reason": "FieldValueInvalid", "message": why, "field": field}]);
    let mut details = json!({"name": name, "kind": kind.plural, "causes": causes});
    if !kind.group.is_empty() {
        details["group"] = Value::from(kind.group.as_str());
    }
    Refusal::new(422, "Invalid", message).with_details(details)
}
