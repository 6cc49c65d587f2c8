//! JSONPath as Kubernetes spells it, for printer columns.
//!
//! Reads paths such as `.status.conditions[?(@.type=="Ready")].status`; finds values in objects.
//! Invariant: finding never changes the order in which an object lists things.

mod evaluate;
mod parse;

use serde_json::Value;

/// A parsed path.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct JsonPath(Vec<Step>);

#[derive(Debug, Clone, PartialEq)]
enum Step {
    Field(String),
    /// The value and everything below it.
    Everywhere,
    /// All items of a list, all values of a map.
    All,
    /// Items from one index up to another, in strides.
    Slice {
        start: Option<i64>,
        end: Option<i64>,
        stride: i64,
    },
    Index(i64),
    /// What any of several steps finds.
    AnyOf(Vec<Step>),
    Filter {
        left: JsonPath,
        test: Option<(Comparison, Operand)>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

#[derive(Debug, Clone, PartialEq)]
enum Operand {
    Path(JsonPath),
    Literal(Value),
}

impl JsonPath {
    /// None where the path cannot be read.
    pub(super) fn parse(text: &str) -> Option<Self> {
        parse::path(text)
    }

    /// The first value that the path leads to.
    pub(super) fn first<'a>(&self, object: &'a Value) -> Option<&'a Value> {
        evaluate::find(self, object)?.first().copied()
    }
}

/// A value as text columns show it.
pub(super) fn printed(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "<no value>".to_owned(),
        Value::Number(number) => match number.as_i64() {
            Some(integer) => integer.to_string(),
            None => number.as_f64().map_or_else(String::new, go_float),
        },
        Value::Bool(_) => value.to_string(),
        // Go's encoder keeps HTML out of JSON; outside of strings these letters do not occur.
        Value::Array(_) | Value::Object(_) => value
            .to_string()
            .replace('<', "\\u003c")
            .replace('>', "\\u003e")
            .replace('&', "\\u0026"),
    }
}

/// A number as Go's `%v` prints it.
fn go_float(float: f64) -> String {
    let scientific = format!("{float:e}");
    let (digits, exponent) = scientific.split_once('e').expect("the format has an exponent");
    let exponent: i32 = exponent.parse().expect("an exponent is a number");
    let is_whole = float.fract() == 0.0 && float.abs() < i64::MAX as f64;
    match exponent {
        _ if is_whole => format!("{float}"),
        -4..=5 => format!("{float}"),
        _ => {
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{digits}e{sign}{:02}", exponent.abs())
        }
    }
}

#[cfg(test)]
mod tests;
