//! Selectors: which objects of a list a request is about.
//!
//! Reads query texts; says whether an object is meant.
//! Invariant: a selector that was read is valid as the server defines it.

mod fields;
mod parse;

use serde_json::Value;

pub(crate) use fields::FieldSelector;
pub(crate) use parse::label_selector;

/// Labels as the server prints them in a table: `a=b,c=d`.
pub(crate) fn labels_text(labels: &Value) -> String {
    let labels = labels.as_object().into_iter().flatten();
    let pairs: Vec<String> = labels
        .map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default()))
        .collect();
    if pairs.is_empty() { "<none>".to_owned() } else { pairs.join(",") }
}

#[cfg(test)]
mod tests;
