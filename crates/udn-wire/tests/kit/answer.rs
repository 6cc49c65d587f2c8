//! What a server says to a request, as far as the table tells it: all but names and order.
//!
//! Reads lines of the table or a `Status`; returns an [`Answer`] that can be compared.
//! Invariant: two answers are equal only if fields, reasons and messages are.

use std::fmt;

use serde_json::Value;

/// What the server adds when the schema alone was enough to refuse.
const UNCHECKED: (&str, &str) = (
    "rules not checked",
    "<nil>: Invalid value: null: some validation rules were not checked because the object was \
     invalid; correct the existing errors to complete validation",
);

/// How a message begins, and the reason that goes with it.
// compat: apimachinery, pkg/util/validation/field, ErrorType
const REASONS: &[(&str, &str)] = &[
    ("Duplicate value", "FieldValueDuplicate"),
    ("Forbidden", "FieldValueForbidden"),
    ("Invalid value", "FieldValueInvalid"),
    ("Required value", "FieldValueRequired"),
    ("Too long", "FieldValueTooLong"),
    ("Too many", "FieldValueTooMany"),
    ("Unsupported value", "FieldValueNotSupported"),
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Answer {
    Accepted,
    /// 422 with these causes, sorted.
    Refused(Vec<Cause>),
    /// 400: the object has fields that its kind does not know.
    Undecodable(String),
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Cause {
    pub(crate) field: String,
    pub(crate) reason: String,
    pub(crate) message: String,
}

impl Answer {
    /// Reads lines of the table, in which `{network}` is where the network stands.
    pub(crate) fn refused(lines: &[String], network: &str) -> Self {
        let mut causes: Vec<Cause> = lines.iter().map(|line| Cause::read(line, network)).collect();
        causes.sort();
        Self::Refused(causes)
    }

    /// What a `Status` says; none is an acceptance.
    pub(crate) fn of(status: Option<&Value>) -> Self {
        let Some(status) = status else { return Self::Accepted };
        let text = |value: &Value, key: &str| value[key].as_str().unwrap_or_default().to_owned();
        let message = text(status, "message");
        match (status["code"].as_u64(), text(status, "reason").as_str()) {
            (Some(422), "Invalid") => {
                let causes = status["details"]["causes"].as_array().expect("it has causes");
                let cause = |it: &Value| Cause {
                    field: text(it, "field"),
                    reason: text(it, "reason"),
                    message: text(it, "message"),
                };
                let mut causes: Vec<Cause> = causes.iter().map(cause).collect();
                causes.sort();
                Self::Refused(causes)
            }
            (Some(400), "BadRequest") => Self::Undecodable(message),
            _ => panic!("the table knows no such answer: {status}"),
        }
    }
}

impl Cause {
    /// Reads `FIELD: MESSAGE`, as kubectl prints it. In the message `{field}` is the field, and
    /// `{below status}` its path from the status, which is all that the server names there.
    fn read(line: &str, network: &str) -> Self {
        let line = if line == UNCHECKED.0 { UNCHECKED.1 } else { line };
        let line = line.replace("{network}", network);
        let (field, message) = line.split_once(": ").expect("a line has a field and a message");
        let reason = REASONS.iter().find(|(start, _)| message.starts_with(start));
        let (_, reason) = reason.unwrap_or_else(|| panic!("{message} begins with no known reason"));
        let is_type = message.contains(" in body must be of type ");
        let reason = if is_type { "FieldValueTypeInvalid" } else { reason };
        let below = field.strip_prefix("status.").unwrap_or(field);
        let message = message.replace("{field}", field).replace("{below status}", below);
        Self { field: field.to_owned(), reason: reason.to_owned(), message }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Accepted => f.write_str("accepted"),
            Self::Undecodable(why) => write!(f, "undecodable: {why}"),
            Self::Refused(causes) => causes.iter().try_for_each(|it| {
                let Cause { field, reason, message } = it;
                write!(f, "\n    {field}: {message} ({reason})")
            }),
        }
    }
}
