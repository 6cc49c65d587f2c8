//! What to change when a server refuses a field.
//!
//! Reads what the server says; returns one sentence that tells the author of a manifest what to
//! write instead.
//! Invariant: every message of a rule in our CRDs and policies has a remedy; a test reads them all.

use crate::manifest::Step;

mod fields;
mod rules;
#[cfg(test)]
mod tests;

pub use fields::{closest, field, is_unchecked, missing, range, second_field, unknown_field};

/// What to change when a rule fails with this message; the field that it names is there or missing.
pub fn rule(message: &str, is_there: bool) -> Option<&'static str> {
    let either = rules::EITHER.iter().find(|(known, _, _)| *known == message);
    let always = rules::REMEDIES.iter().find(|(known, _)| *known == message);
    match either {
        Some((_, _, there)) if is_there => Some(there),
        Some((_, missing, _)) => Some(missing),
        None => always.map(|(_, remedy)| *remedy),
    }
}

/// Where to show what a policy denies: the label or annotation that its message names.
pub fn policy_path(message: &str) -> Vec<Step> {
    let Some(key) = message.split('\'').nth(1) else { return Vec::new() };
    let part = if message.contains("annotation") { "annotations" } else { "labels" };
    vec![Step::field("metadata"), Step::field(part), Step::field(key)]
}
