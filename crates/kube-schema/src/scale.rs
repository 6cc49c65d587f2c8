//! Whether the numbers that the `scale` subresource reads are usable.
//!
//! Reads an object and where its replicas stand; returns errors.
//! Invariant: a field that is absent is fine.

use serde_json::Value;

use crate::definition::Scale;
use crate::field_error::FieldError;
use crate::go_text;
use crate::path::Path;

/// Checks the wanted replicas.
pub(crate) fn check_spec(object: &Value, scale: Option<&Scale>) -> Vec<FieldError> {
    scale.and_then(|scale| replicas(object, &scale.spec_replicas)).into_iter().collect()
}

/// Checks the replicas that are, and the selector that finds them.
pub(crate) fn check_status(object: &Value, scale: Option<&Scale>) -> Vec<FieldError> {
    let Some(scale) = scale else {
        return Vec::new();
    };
    let selector = scale.label_selector.as_deref().and_then(|path| selector(object, path));
    replicas(object, &scale.status_replicas).into_iter().chain(selector).collect()
}

fn replicas(object: &Value, path: &str) -> Option<FieldError> {
    let at = || Path::of_fields([path]);
    let found = match find(object, path) {
        Ok(found) => found?,
        Err(why) => return Some(FieldError::invalid(at(), Value::from(0), why)),
    };
    let Some(count) = found.as_i64() else {
        let why = mismatch(path, found, "int64");
        return Some(FieldError::invalid(at(), Value::from(0), why));
    };
    let why = match count {
        i64::MIN..0 => "should be a non-negative integer".to_owned(),
        0..=0x7fff_ffff => return None,
        _ => format!("should be less than or equal to {}", i32::MAX),
    };
    Some(FieldError::invalid(at(), Value::from(count), why))
}

fn selector(object: &Value, path: &str) -> Option<FieldError> {
    let at = || Path::of_fields([path]);
    match find(object, path) {
        Ok(Some(found)) if !found.is_string() => {
            Some(FieldError::invalid(at(), "", mismatch(path, found, "string")))
        }
        Ok(_) => None,
        Err(why) => Some(FieldError::invalid(at(), "", why)),
    }
}

/// The value at a dotted path; an error where a part of it is no object.
fn find<'a>(object: &'a Value, path: &str) -> Result<Option<&'a Value>, String> {
    let names: Vec<&str> = path.trim_start_matches('.').split('.').collect();
    let mut value = object;
    for (depth, name) in names.iter().enumerate() {
        value = match value {
            Value::Object(fields) => match fields.get(*name) {
                Some(value) => value,
                None => return Ok(None),
            },
            Value::Null => return Ok(None),
            _ => {
                let path = names[..=depth].join(".");
                return Err(mismatch(&path, value, "map[string]interface{}"));
            }
        };
    }
    Ok(Some(value))
}

fn mismatch(path: &str, value: &Value, want: &str) -> String {
    let (text, kind) = (go_text::plain(value), go_text::type_name(value));
    let path = path.trim_start_matches('.');
    format!(".{path} accessor error: {text} is of the type {kind}, expected {want}")
}
