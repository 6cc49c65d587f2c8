//! Whether labels are what a selector wants.
//!
//! Reads a `LabelSelector` and labels as JSON; says yes or no.
//! Invariant: an empty selector selects everything; one that makes no sense selects nothing.

use serde_json::Value;

#[cfg(test)]
mod tests;

pub(crate) fn selects(selector: &Value, labels: &Value) -> bool {
    let equal = selector["matchLabels"].as_object().into_iter().flatten();
    let mut equal = equal.map(|(key, value)| labels.get(key) == Some(value));
    let mut wanted = selector["matchExpressions"].as_array().into_iter().flatten();
    equal.all(|is_equal| is_equal) && wanted.all(|expression| is_met(expression, labels))
}

fn is_met(expression: &Value, labels: &Value) -> bool {
    let label = expression["key"].as_str().and_then(|key| labels.get(key));
    let values = || expression["values"].as_array().into_iter().flatten();
    let is_among = || label.is_some_and(|label| values().any(|value| value == label));
    match expression["operator"].as_str() {
        Some("In") => is_among(),
        Some("NotIn") => !is_among(),
        Some("Exists") => label.is_some(),
        Some("DoesNotExist") => label.is_none(),
        _ => false,
    }
}
