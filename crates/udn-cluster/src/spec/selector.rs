//! Which namespaces a CUDN is for.
//!
//! Reads a label selector; tells for a namespace's labels whether it is selected.
//! Invariant: the empty selector selects everything.

use udn_wire::api::{LabelRequirement, LabelSelector};
use udn_wire::texts::Texts;

use super::rules::Rules;

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

/// What all namespaces that a selector selects have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor<'a> {
    /// One of these values of a label.
    Values(&'a str, &'a [String]),
    /// A label, whatever its value.
    Key(&'a str),
    Nothing,
}

impl Selector {
    /// Reads a selector; what is wrong in it is told to the rules of the spec.
    pub(super) fn judge(spec: Option<&LabelSelector>, rules: &mut Rules) -> Self {
        let labels = spec.iter().flat_map(|it| it.match_labels.iter().flatten());
        let mut requirements: Vec<Requirement> =
            labels.map(|(key, value)| Requirement::In(key.clone(), vec![value.clone()])).collect();
        let expressions = spec.iter().flat_map(|it| it.match_expressions.iter().flatten());
        for (position, expression) in expressions.enumerate() {
            match Requirement::of(expression) {
                Ok(requirement) => requirements.push(requirement),
                Err((field, message)) => {
                    let at = format!("namespaceSelector.matchExpressions[{position}].{field}");
                    rules.refuse(true, &at, message);
                }
            }
        }
        Self(requirements)
    }

    /// A requirement that names values which a label must have, if there is one.
    pub(super) fn narrowest(&self) -> Option<(&str, &[String])> {
        self.0.iter().find_map(|requirement| match requirement {
            Requirement::In(key, values) => Some((key.as_str(), &values[..])),
            Requirement::NotIn(..) | Requirement::Exists(_) | Requirement::DoesNotExist(_) => None,
        })
    }

    /// What a namespace must have to be selected, as far as an index can use it.
    pub(crate) fn anchor(&self) -> Anchor<'_> {
        if let Some((key, values)) = self.narrowest() {
            return Anchor::Values(key, values);
        }
        let needed = self.0.iter().find_map(|requirement| match requirement {
            Requirement::Exists(key) => Some(key.as_str()),
            Requirement::In(..) | Requirement::NotIn(..) | Requirement::DoesNotExist(_) => None,
        });
        needed.map_or(Anchor::Nothing, Anchor::Key)
    }

    pub(crate) fn selects(&self, labels: &Texts) -> bool {
        self.0.iter().all(|requirement| requirement.is_met(labels))
    }
}

impl Requirement {
    /// Reads a requirement, or tells which of its fields is wrong and why.
    fn of(expression: &LabelRequirement) -> Result<Self, (&'static str, String)> {
        let LabelRequirement { key, operator, values } = expression;
        let (key, values) = (key.clone(), values.clone().unwrap_or_default());
        if key.is_empty() {
            return Err(("key", "key is missing; write the key of a label".to_owned()));
        }
        match (operator.as_str(), values.is_empty()) {
            ("In", false) => Ok(Self::In(key, values)),
            ("NotIn", false) => Ok(Self::NotIn(key, values)),
            ("Exists", true) => Ok(Self::Exists(key)),
            ("DoesNotExist", true) => Ok(Self::DoesNotExist(key)),
            ("In" | "NotIn", true) => {
                Err(("values", format!("{key}: {operator} needs values; list some")))
            }
            ("Exists" | "DoesNotExist", false) => {
                Err(("values", format!("{key}: {operator} takes no values; remove them")))
            }
            _other => {
                let known = "write In, NotIn, Exists or DoesNotExist";
                let operator = operator.escape_default();
                Err(("operator", format!("{key}: operator \"{operator}\" is not known; {known}")))
            }
        }
    }

    // compat: k8s.io/apimachinery/pkg/labels, NotIn is met where the label is absent
    fn is_met(&self, labels: &Texts) -> bool {
        match self {
            Self::In(key, values) => labels.get(key).is_some_and(|it| values.contains(it)),
            Self::NotIn(key, values) => labels.get(key).is_none_or(|it| !values.contains(it)),
            Self::Exists(key) => labels.contains_key(key),
            Self::DoesNotExist(key) => !labels.contains_key(key),
        }
    }
}
