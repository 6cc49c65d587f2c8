//! What a selector wants of one label.
//!
//! Reads a key, an operator and values; says whether a value meets them.
//! Invariant: every requirement has as many values as its operator takes.

use std::fmt;

use serde_json::Value;

use crate::metadata::names::{label_value, qualified};

/// What one label must be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requirement {
    key: String,
    operator: Operator,
    values: Vec<String>,
    /// The value as a number, for the operators that compare.
    limit: i64,
}

/// How a label is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
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

impl Operator {
    /// The operator of an expression in JSON, which knows four of them.
    pub(super) fn of_json(name: &str) -> Option<Self> {
        Some(match name {
            "In" => Self::In,
            "NotIn" => Self::NotIn,
            "Exists" => Self::Exists,
            "DoesNotExist" => Self::DoesNotExist,
            _ => return None,
        })
    }

    pub(super) fn is_of_sets(self) -> bool {
        matches!(self, Self::In | Self::NotIn)
    }
}

impl Requirement {
    /// The server's words where key, operator and values do not go together.
    pub fn new(key: &str, operator: Operator, mut values: Vec<String>) -> Result<Self, String> {
        let mut faults = Vec::new();
        faults.extend(invalid("key", key, &qualified(key)));
        faults.extend(count_fault(operator, &values));
        let is_limit = matches!(operator, Operator::GreaterThan | Operator::LessThan);
        let limit = values.first().filter(|_| is_limit).map(|value| value.parse::<i64>());
        if let Some(Err(_)) = limit {
            let why = "for 'Gt', 'Lt' operators, the value must be an integer".to_owned();
            faults.extend(invalid("values[0]", &values[0], &[why]));
        }
        for (index, value) in values.iter().enumerate() {
            let path = format!("values[{index}][{key}]");
            faults.extend(invalid(&path, value, &label_value(value)));
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

    pub(super) fn equal(key: &str, value: &str) -> Result<Self, String> {
        Self::new(key, Operator::Equals, vec![value.to_owned()])
    }

    pub(super) fn key(&self) -> &str {
        &self.key
    }

    pub(super) fn is_met_by(&self, value: Option<&str>) -> bool {
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
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (key, values) = (&self.key, self.values.join(","));
        match self.operator {
            Operator::Equals => write!(f, "{key}={values}"),
            Operator::DoubleEquals => write!(f, "{key}=={values}"),
            Operator::NotEquals => write!(f, "{key}!={values}"),
            Operator::In => write!(f, "{key} in ({values})"),
            Operator::NotIn => write!(f, "{key} notin ({values})"),
            Operator::Exists => write!(f, "{key}"),
            Operator::DoesNotExist => write!(f, "!{key}"),
            Operator::GreaterThan => write!(f, "{key}>{values}"),
            Operator::LessThan => write!(f, "{key}<{values}"),
        }
    }
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
