//! What is wrong with one field, in the server's words.
//!
//! Made by every check; displays as Kubernetes' `field.Error` and gives the cause of a `Status`.
//! Invariant: the text is the server's, letter by letter.

use std::fmt;

use serde_json::{Value, json};

use crate::go_text;
use crate::path::Path;

/// An error of one field.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct FieldError {
    pub kind: ErrorKind,
    pub path: Path,
    pub value: BadValue,
    pub detail: String,
    pub source: Source,
}

/// What the server calls the mistake.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ErrorKind {
    NotFound,
    Required,
    Duplicate,
    Invalid,
    NotSupported,
    Forbidden,
    TooLong,
    TooMany,
    Internal,
    TypeInvalid,
}

/// The value an error prints.
#[derive(Debug, Clone, PartialEq)]
pub enum BadValue {
    /// The server prints none: it is too large, or it is an object or a list.
    Omitted,
    Json(Value),
    /// A value that is no plain JSON on the server, as it prints there.
    Rendered(String),
}

/// Which part of the judgement found the error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// Types, bounds, names, list types: everything but rules.
    Schema,
    /// A rule of `x-kubernetes-validations`.
    Cel,
}

impl FieldError {
    pub fn new(
        kind: ErrorKind,
        path: Path,
        value: impl Into<BadValue>,
        detail: impl Into<String>,
    ) -> Self {
        let (value, detail) = (value.into(), detail.into());
        Self { kind, path, value, detail, source: Source::Schema }
    }

    pub fn invalid(path: Path, value: impl Into<BadValue>, detail: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid, path, value, detail)
    }

    pub fn required(path: Path, detail: impl Into<String>) -> Self {
        Self::new(ErrorKind::Required, path, BadValue::Omitted, detail)
    }

    pub fn forbidden(path: Path, detail: impl Into<String>) -> Self {
        Self::new(ErrorKind::Forbidden, path, BadValue::Omitted, detail)
    }

    pub fn duplicate(path: Path, value: impl Into<BadValue>) -> Self {
        Self::new(ErrorKind::Duplicate, path, value, "")
    }

    pub fn too_long(path: Path, limit: i64) -> Self {
        let unit = if limit == 1 { "byte" } else { "bytes" };
        let detail = match limit {
            0.. => format!("may not be more than {limit} {unit}"),
            _ => "value is too long".to_owned(),
        };
        Self::new(ErrorKind::TooLong, path, BadValue::Omitted, detail)
    }

    pub fn too_many(path: Path, count: i64, limit: i64) -> Self {
        let unit = if limit == 1 { "item" } else { "items" };
        let detail = match limit {
            0.. => format!("must have at most {limit} {unit}"),
            _ => "has too many items".to_owned(),
        };
        Self::new(ErrorKind::TooMany, path, Value::from(count), detail)
    }

    pub fn not_supported(
        path: Path,
        value: impl Into<BadValue>,
        supported: impl IntoIterator<Item = String>,
    ) -> Self {
        let quoted: Vec<String> = supported.into_iter().map(|it| go_text::quoted(&it)).collect();
        let detail = match quoted.is_empty() {
            true => String::new(),
            false => format!("supported values: {}", quoted.join(", ")),
        };
        Self::new(ErrorKind::NotSupported, path, value, detail)
    }

    pub(crate) fn of_rule(mut self) -> Self {
        self.source = Source::Cel;
        self
    }

    /// The error without its field: what a `Status` gives as the message of a cause.
    pub fn body(&self) -> String {
        let mut body = self.kind.title().to_owned();
        let value = match &self.value {
            BadValue::Json(value) if self.kind.prints_value() => Some(printed(value)),
            BadValue::Rendered(text) if self.kind.prints_value() => Some(text.clone()),
            BadValue::Omitted | BadValue::Json(_) | BadValue::Rendered(_) => None,
        };
        if let Some(value) = value {
            body.push_str(": ");
            body.push_str(&value);
        }
        if !self.detail.is_empty() {
            body.push_str(": ");
            body.push_str(&self.detail);
        }
        body
    }

    /// The error as it stands in `details.causes` of a `Status`.
    pub fn cause(&self) -> Value {
        json!({
            "reason": self.kind.reason(),
            "message": self.body(),
            "field": self.path.to_string(),
        })
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.path, self.body())
    }
}

impl std::error::Error for FieldError {}

impl ErrorKind {
    /// The machine's word for it, in `details.causes[].reason`.
    pub fn reason(self) -> &'static str {
        match self {
            Self::NotFound => "FieldValueNotFound",
            Self::Required => "FieldValueRequired",
            Self::Duplicate => "FieldValueDuplicate",
            Self::Invalid => "FieldValueInvalid",
            Self::NotSupported => "FieldValueNotSupported",
            Self::Forbidden => "FieldValueForbidden",
            Self::TooLong => "FieldValueTooLong",
            Self::TooMany => "FieldValueTooMany",
            Self::Internal => "InternalError",
            Self::TypeInvalid => "FieldValueTypeInvalid",
        }
    }

    /// The words that open the error's text.
    pub fn title(self) -> &'static str {
        match self {
            Self::NotFound => "Not found",
            Self::Required => "Required value",
            Self::Duplicate => "Duplicate value",
            Self::Invalid | Self::TypeInvalid => "Invalid value",
            Self::NotSupported => "Unsupported value",
            Self::Forbidden => "Forbidden",
            Self::TooLong => "Too long",
            Self::TooMany => "Too many",
            Self::Internal => "Internal error",
        }
    }

    fn prints_value(self) -> bool {
        match self {
            Self::Required | Self::Forbidden | Self::TooLong | Self::Internal => false,
            Self::NotFound
            | Self::Duplicate
            | Self::Invalid
            | Self::NotSupported
            | Self::TooMany
            | Self::TypeInvalid => true,
        }
    }

    /// Whether rules are left unchecked when such an error was found before them.
    pub(crate) fn blocks_rules(self) -> bool {
        match self {
            Self::NotSupported
            | Self::Required
            | Self::TooLong
            | Self::TooMany
            | Self::TypeInvalid => true,
            Self::NotFound | Self::Duplicate | Self::Invalid | Self::Forbidden | Self::Internal => {
                false
            }
        }
    }
}

impl From<Value> for BadValue {
    fn from(value: Value) -> Self {
        Self::Json(value)
    }
}

impl From<&str> for BadValue {
    fn from(text: &str) -> Self {
        Self::Json(Value::from(text))
    }
}

fn printed(value: &Value) -> String {
    match value {
        Value::String(text) => go_text::quoted(text),
        Value::Number(number) => go_text::number(number),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => go_text::json(value),
    }
}

#[cfg(test)]
mod tests;
