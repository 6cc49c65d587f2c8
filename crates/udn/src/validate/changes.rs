//! Says what of a field was changed that may not be changed.
//!
//! Reads two versions of an object; returns words for the differences below a path.
//! Invariant: at most a few are named, however much was changed.

use serde_json::Value;
use udn_manifest::manifest::{Step, path_text};

/// How many changes are named.
const MOST: usize = 3;

/// What was changed below a path, such as `mtu was not set before`.
pub(super) fn changes(old: &Value, new: &Value, path: &[Step]) -> Option<String> {
    let mut found = Vec::new();
    compare(at(old, path), at(new, path), &mut Vec::new(), &mut found);
    let more = found.len().saturating_sub(MOST);
    found.truncate(MOST);
    if more > 0 {
        found.push(format!("{more} more"));
    }
    (!found.is_empty()).then(|| found.join(", "))
}

fn at<'a>(value: &'a Value, path: &[Step]) -> Option<&'a Value> {
    path.iter().try_fold(value, |value, step| match step {
        Step::Field(name) => value.get(name),
        Step::Index(index) => value.get(index),
    })
}

fn compare(
    old: Option<&Value>,
    new: Option<&Value>,
    path: &mut Vec<Step>,
    found: &mut Vec<String>,
) {
    if old == new {
        return;
    }
    if let (Some(Value::Object(before)), Some(Value::Object(after))) = (old, new) {
        let mut names: Vec<&String> = before.keys().chain(after.keys()).collect();
        names.sort();
        names.dedup();
        for name in names {
            path.push(Step::field(name));
            compare(before.get(name), after.get(name), path, found);
            path.pop();
        }
        return;
    }
    let name = if path.is_empty() { "it".to_owned() } else { path_text(path) };
    found.push(match old {
        None => format!("{name} was not set before"),
        Some(Value::Object(_)) => format!("{name} was set before"),
        Some(old) => format!("{name} was {old} before"),
    });
}
