//! Label selectors: requirements that the labels of an object must all meet.
//!
//! Reads the JSON of a `LabelSelector`; says whether labels match, and what the server finds wrong.
//! Invariant: a selector that was read is valid as the server defines it.

mod requirement;

use std::fmt;

use serde_json::Value;

use crate::field_error::FieldError;
use crate::metadata::check;
use crate::path::Path;
pub use requirement::{Operator, Requirement};

/// A selector over labels; without requirements it selects everything.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LabelSelector {
    /// By key.
    requirements: Vec<Requirement>,
    selects_nothing: bool,
}

impl LabelSelector {
    pub fn new(mut requirements: Vec<Requirement>) -> Self {
        requirements.sort_by(|one, other| one.key().cmp(other.key()));
        Self { requirements, selects_nothing: false }
    }

    /// Reads `{matchLabels, matchExpressions}`: null selects nothing, an empty one everything.
    /// (compat: meta/v1/helpers.go, `LabelSelectorAsSelector`)
    pub fn read(selector: &Value) -> Result<Self, String> {
        if selector.is_null() {
            return Ok(Self { requirements: Vec::new(), selects_nothing: true });
        }
        let labels = selector["matchLabels"].as_object().into_iter().flatten();
        let labels = labels.map(|(key, value)| Requirement::equal(key, text(value)));
        let expressions = selector["matchExpressions"].as_array().into_iter().flatten();
        let requirements = labels.chain(expressions.map(read_expression));
        Ok(Self::new(requirements.collect::<Result<_, _>>()?))
    }

    /// Reads a selector of webhooks, policies and aggregated roles, where none selects everything.
    pub fn read_or_everything(selector: &Value) -> Result<Self, String> {
        if selector.is_null() { Ok(Self::default()) } else { Self::read(selector) }
    }

    pub fn matches<'a>(&self, label: impl Fn(&str) -> Option<&'a str>) -> bool {
        !self.selects_nothing
            && self.requirements.iter().all(|requirement| {
                let value = label(requirement.key());
                requirement.is_met_by(value)
            })
    }

    /// Whether the labels of an object match.
    pub fn matches_object(&self, object: &Value) -> bool {
        let labels = &object["metadata"]["labels"];
        self.matches(|key| labels.get(key).and_then(Value::as_str))
    }

    pub fn selects_everything(&self) -> bool {
        self.requirements.is_empty() && !self.selects_nothing
    }

    /// What is wrong with a selector at a path.
    /// (compat: meta/v1/validation, `ValidateLabelSelector`)
    pub fn check(selector: &Value, at: &Path) -> Vec<FieldError> {
        let mut errors = check_labels(&selector["matchLabels"], &at.field("matchLabels"));
        let expressions = selector["matchExpressions"].as_array().into_iter().flatten();
        for (place, expression) in expressions.enumerate() {
            errors.extend(check_expression(expression, &at.field("matchExpressions").index(place)));
        }
        errors
    }
}

impl fmt::Display for LabelSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> = self.requirements.iter().map(ToString::to_string).collect();
        f.write_str(&parts.join(","))
    }
}

/// What is wrong with a map of labels, such as the selector of a service.
pub fn check_labels(labels: &Value, at: &Path) -> Vec<FieldError> {
    let labels = labels.as_object().into_iter().flatten();
    labels.flat_map(|(key, value)| check::label(key, text(value), at)).collect()
}

fn check_expression(expression: &Value, at: &Path) -> Vec<FieldError> {
    let has_values = expression["values"].as_array().is_some_and(|values| !values.is_empty());
    let operator = text(&expression["operator"]);
    let error = match Operator::of_json(operator) {
        None => {
            let why = "not a valid selector operator";
            Some(FieldError::invalid(at.field("operator"), operator, why))
        }
        Some(operator) if operator.is_of_sets() && !has_values => {
            let why = "must be specified when `operator` is 'In' or 'NotIn'";
            Some(FieldError::required(at.field("values"), why))
        }
        Some(operator) if !operator.is_of_sets() && has_values => {
            let why = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
            Some(FieldError::forbidden(at.field("values"), why))
        }
        Some(_) => None,
    };
    error.into_iter().chain(check::label_key(text(&expression["key"]), &at.field("key"))).collect()
}

fn read_expression(expression: &Value) -> Result<Requirement, String> {
    let operator = text(&expression["operator"]);
    let operator = Operator::of_json(operator)
        .ok_or_else(|| format!("{operator:?} is not a valid label selector operator"))?;
    let values = expression["values"].as_array().into_iter().flatten();
    let values = values.map(|value| text(value).to_owned()).collect();
    Requirement::new(text(&expression["key"]), operator, values)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests;
