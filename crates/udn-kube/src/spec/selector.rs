//! Which namespaces a CUDN is for.
//!
//! Reads a label selector; tells for a namespace's labels whether it is selected.
//! Invariant: the empty selector selects everything.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::read;
use super::rules::Rules;
use crate::refusal::Refusal;

const AT: &str = "spec.namespaceSelector";

/// A label selector.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Selector(Vec<Requirement>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Requirement {
    In(String, Vec<String>),
    NotIn(String, Vec<String>),
    Exists(String),
    DoesNotExist(String),
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct SelectorSpec {
    match_labels: Option<BTreeMap<String, String>>,
    match_expressions: Option<Vec<Expression>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Expression {
    key: String,
    operator: String,
    #[serde(default)]
    values: Option<Vec<String>>,
}

impl Selector {
    pub(super) fn read(value: &Value) -> Result<Self, Vec<Refusal>> {
        let spec: SelectorSpec = read(AT, value)?;
        let labels = spec.match_labels.unwrap_or_default().into_iter();
        let mut requirements: Vec<Requirement> =
            labels.map(|(key, value)| Requirement::In(key, vec![value])).collect();
        let mut rules = Rules::at(AT);
        for expression in spec.match_expressions.unwrap_or_default() {
            match Requirement::of(expression) {
                Ok(requirement) => requirements.push(requirement),
                Err(message) => rules.refuse(true, message),
            }
        }
        rules.finish()?;
        Ok(Self(requirements))
    }

    pub(crate) fn selects(&self, labels: &BTreeMap<String, String>) -> bool {
        self.0.iter().all(|requirement| requirement.is_met(labels))
    }
}

impl Requirement {
    fn of(expression: Expression) -> Result<Self, String> {
        let Expression { key, operator, values } = expression;
        let values = values.unwrap_or_default();
        match (operator.as_str(), values.is_empty()) {
            ("In", false) => Ok(Self::In(key, values)),
            ("NotIn", false) => Ok(Self::NotIn(key, values)),
            ("Exists", true) => Ok(Self::Exists(key)),
            ("DoesNotExist", true) => Ok(Self::DoesNotExist(key)),
            ("In" | "NotIn", true) => Err(format!("{key}: {operator} needs values; list some")),
            ("Exists" | "DoesNotExist", false) => {
                Err(format!("{key}: {operator} takes no values; remove them"))
            }
            _other => {
                let known = "write In, NotIn, Exists or DoesNotExist";
                Err(format!("{key}: operator \"{operator}\" is not known; {known}"))
            }
        }
    }

    // compat: k8s.io/apimachinery/pkg/labels, NotIn is met where the label is absent
    fn is_met(&self, labels: &BTreeMap<String, String>) -> bool {
        match self {
            Self::In(key, values) => labels.get(key).is_some_and(|it| values.contains(it)),
            Self::NotIn(key, values) => labels.get(key).is_none_or(|it| !values.contains(it)),
            Self::Exists(key) => labels.contains_key(key),
            Self::DoesNotExist(key) => !labels.contains_key(key),
        }
    }
}
