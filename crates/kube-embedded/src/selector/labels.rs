//! Label selectors: requirements that the labels of an object must all meet.
//!
//! Reads the text of a query or the JSON of a spec; answers whether labels match.
//! Invariant: every requirement has as many values as its operator takes.

use std::fmt;

use kube_schema::{label_key_faults, label_value_faults};
use serde_json::Value;

use crate::refusal::Refusal;
use crate::selector::parse;

/// A selector over labels; without requirements it selects everything.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct LabelSelector {
    /// By key.
    requirements: Vec<Requirement>,
    selects_nothing: bool,
}

/// What one label must be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Requirement {
    key: String,
    operator: Operator,
    values: Vec<String>,
    /// The value as a number, for the operators that compare.
    limit: i64,
}

/// How a label is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Equals,
    DoubleEquals,
    NotEquals,
    In,
    NotIn,
    Exists,
    DoesNotExist,
    GreaterThan,
    LessThan,
}

impl LabelSelector {
    /// Reads `a=b,c!=d,e in (x,y),!f,g,n>1`.
    pub(crate) fn parse(text: &str) -> Result<Self, Refusal> {
        parse::requirements(text).map(Self::new).map_err(Refusal::bad_request)
    }

    /// Reads `{matchLabels, matchExpressions}`: null selects nothing, an empty one everything.
    pub(crate) fn from_json(selector: &Value) -> Result<Self, String> {
        if selector.is_null() {
            return Ok(Self { requirements: Vec::new(), selects_nothing: true });
        }
        let labels = selector["matchLabels"].as_object().into_iter().flatten();
        let mut requirements = labels
            .map(|(key, value)| {
                let value = value.as_str().unwrap_or_default().to_owned();
                Requirement::new(key, Operator::Equals, vec![value])
            })
            .collect::<Result<Vec<_>, _>>()?;
        for expression in selector["matchExpressions"].as_array().into_iter().flatten() {
            requirements.push(read_expression(expression)?);
        }
        Ok(Self::new(requirements))
    }

    pub(crate) fn matches<'a>(&self, label: impl Fn(&str) -> Option<&'a str>) -> bool {
        !self.selects_nothing
            && self.requirements.iter().all(|requirement| {
                let value = label(&requirement.key);
                requirement.is_met_by(value)
            })
    }

    /// Whether the labels of an object match.
    #[cfg(test)]
    pub(crate) fn matches_object(&self, object: &Value) -> bool {
        let labels = &object["metadata"]["labels"];
        self.matches(|key| labels.get(key).and_then(Value::as_str))
    }

    pub(crate) fn selects_everything(&self) -> bool {
        self.requirements.is_empty() && !self.selects_nothing
    }

    fn new(mut requirements: Vec<Requirement>) -> Self {
        requirements.sort_by(|one, other| one.key.cmp(&other.key));
        Self { requirements, selects_nothing: false }
    }
}

impl fmt::Display for LabelSelector {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> = self.requirements.iter().map(ToString::to_string).collect();
        text.write_str(&parts.join(","))
    }
}

/// Labels as the server prints them in a table: `a=b,c=d`.
pub(crate) fn labels_text(labels: &Value) -> String {
    let labels = labels.as_object().into_iter().flatten();
    let pairs: Vec<String> = labels
        .map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default()))
        .collect();
    if pairs.is_empty() { "<none>".to_owned() } else { pairs.join(",") }
}

impl Requirement {
    /// The server's words where key, operator and values do not go together.
    pub(super) fn new(
        key: &str,
        operator: Operator,
        mut values: Vec<String>,
    ) -> Result<Self, String> {
        let mut faults = Vec::new();
        faults.extend(invalid("key", key, &label_key_faults(key)));
        faults.extend(count_fault(operator, &values));
        let is_limit = matches!(operator, Operator::GreaterThan | Operator::LessThan);
        let limit = values.first().filter(|_| is_limit).map(|value| value.parse::<i64>());
        if let Some(Err(_)) = limit {
            let why = "for 'Gt', 'Lt' operators, the value must be an integer".to_owned();
            faults.extend(invalid("values[0]", &values[0], &[why]));
        }
        for (index, value) in values.iter().enumerate() {
            let path = format!("values[{index}][{key}]");
            faults.extend(invalid(&path, value, &label_value_faults(value)));
        }
        match &faults[..] {
            [] => {
                values.sort();
                values.dedup();
                let limit = limit.and_then(Result::ok).unwrap_or_default();
                Ok(Self { key: key.to_owned(), operator, values, limit })
            }
            [fault] => Err(fault.clone()),
            _ => Err(format!("[{}]", faults.join(", "))),
        }
    }

    fn is_met_by(&self, value: Option<&str>) -> bool {
        let is_listed = |value: &str| self.values.iter().any(|listed| listed == value);
        let number = |value: &str| value.parse::<i64>().ok();
        match self.operator {
            Operator::In | Operator::Equals | Operator::DoubleEquals => {
                value.is_some_and(is_listed)
            }
            Operator::NotIn | Operator::NotEquals => !value.is_some_and(is_listed),
            Operator::Exists => value.is_some(),
            Operator::DoesNotExist => value.is_none(),
            Operator::GreaterThan => value.and_then(number).is_some_and(|one| one > self.limit),
            Operator::LessThan => value.and_then(number).is_some_and(|one| one < self.limit),
        }
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (key, values) = (&self.key, self.values.join(","));
        match self.operator {
            Operator::Equals => write!(text, "{key}={values}"),
            Operator::DoubleEquals => write!(text, "{key}=={values}"),
            Operator::NotEquals => write!(text, "{key}!={values}"),
            Operator::In => write!(text, "{key} in ({values})"),
            Operator::NotIn => write!(text, "{key} notin ({values})"),
            Operator::Exists => write!(text, "{key}"),
            Operator::DoesNotExist => write!(text, "!{key}"),
            Operator::GreaterThan => write!(text, "{key}>{values}"),
            Operator::LessThan => write!(text, "{key}<{values}"),
        }
    }
}

fn read_expression(expression: &Value) -> Result<Requirement, String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let operator = match expression["operator"].as_str().unwrap_or_default() {
        "In" => Operator::In,
        "NotIn" => Operator::NotIn,
        "Exists" => Operator::Exists,
        "DoesNotExist" => Operator::DoesNotExist,
        other => return Err(format!("{other:?} is not a valid label selector operator")),
    };
    let values = expression["values"].as_array().into_iter().flatten().map(text).collect();
    Requirement::new(&text(&expression["key"]), operator, values)
}

fn invalid(path: &str, value: &str, faults: &[String]) -> Option<String> {
    let whys = faults.join("; ");
    (!faults.is_empty()).then(|| format!("{path}: Invalid value: {value:?}: {whys}"))
}

fn count_fault(operator: Operator, values: &[String]) -> Option<String> {
    let (is_right, why) = match operator {
        Operator::In | Operator::NotIn => {
            (!values.is_empty(), "for 'in', 'notin' operators, values set can't be empty")
        }
        Operator::Equals | Operator::DoubleEquals | Operator::NotEquals => {
            (values.len() == 1, "exact-match compatibility requires one single value")
        }
        Operator::Exists | Operator::DoesNotExist => {
            (values.is_empty(), "values set must be empty for exists and does not exist")
        }
        Operator::GreaterThan | Operator::LessThan => {
            (values.len() == 1, "for 'Gt', 'Lt' operators, exactly one value is required")
        }
    };
    let shown = Value::from(values.to_vec());
    (!is_right).then(|| format!("values: Invalid value: {shown}: {why}"))
}
