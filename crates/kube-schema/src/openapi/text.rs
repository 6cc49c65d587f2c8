//! Lengths and patterns of strings.
//!
//! Reads a string and its schema; returns the first mistake.
//! Invariant: lengths count characters, whatever the message calls them.

use serde_json::Value;

use super::fault::{Fault, Place};
use crate::schema::Schema;

pub(super) fn judge(text: &str, schema: &Schema, place: &Place<'_>) -> Option<Fault> {
    let length = || text.chars().count() as i64;
    if let Some(limit) = schema.max_length.filter(|limit| length() > *limit) {
        return Some(Fault::too_long(place, limit));
    }
    if let Some(limit) = schema.min_length.filter(|limit| length() < *limit) {
        let what = format!("should be at least {limit} chars long");
        return Some(Fault::invalid(place, Value::from(text), &what));
    }
    let pattern = schema.pattern.as_ref().filter(|pattern| !pattern.is_match(text))?;
    let what = format!("should match '{}'", pattern.as_str());
    Some(Fault::invalid(place, Value::from(text), &what))
}
