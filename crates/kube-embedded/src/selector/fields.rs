//! Field selectors: which values fields of an object must have.
//!
//! Reads the text of a query and the kind it is about; answers whether an object matches.
//! Invariant: a selector names only fields that its kind lets be selected by.

use std::borrow::Cow;

use serde_json::Value;

use crate::kinds::Kind;
use crate::refusal::Refusal;

/// A selector over fields; without terms it selects everything.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct FieldSelector {
    terms: Vec<Term>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Term {
    field: String,
    value: String,
    is_equal: bool,
}

impl FieldSelector {
    /// Reads `metadata.name=x,status.phase!=Running`.
    pub(crate) fn parse(text: &str, kind: &Kind) -> Result<Self, Refusal> {
        let mut parts: Vec<&str> =
            split_terms(text).into_iter().filter(|part| !part.is_empty()).collect();
        // The server reports the first fault in this order.
        parts.sort_unstable();
        let terms = parts.into_iter().map(|part| read_term(text, part));
        let terms = terms.collect::<Result<Vec<_>, _>>().map_err(Refusal::bad_request)?;
        for term in &terms {
            check_field(kind, &term.field).map_err(Refusal::bad_request)?;
        }
        Ok(Self { terms })
    }

    pub(crate) fn selects_everything(&self) -> bool {
        self.terms.is_empty()
    }

    /// The one name that objects may have, if the selector says so.
    pub(crate) fn name(&self) -> Option<&str> {
        let named = |term: &&Term| term.is_equal && term.field == "metadata.name";
        self.terms.iter().find(named).map(|term| term.value.as_str())
    }

    /// A field without a value has the empty one.
    pub(crate) fn matches<'a>(&self, field: impl Fn(&str) -> Option<Cow<'a, str>>) -> bool {
        self.terms.iter().all(|term| {
            let value = field(&term.field);
            (value.as_deref().unwrap_or_default() == term.value) == term.is_equal
        })
    }

    #[cfg(test)]
    pub(crate) fn matches_object(&self, object: &Value) -> bool {
        self.matches(|field| Self::value(object, field))
    }

    /// The value of a field as selectors see it.
    pub(crate) fn value<'a>(object: &'a Value, field: &str) -> Option<Cow<'a, str>> {
        value_of(object, field)
    }
}

fn value_of<'a>(object: &'a Value, field: &str) -> Option<Cow<'a, str>> {
    let at = |path: &str| path.split('.').fold(object, |value, name| &value[name]);
    let value = match field {
        // compat: pkg/registry/core/event/strategy.go, ToSelectableFields
        "source" => match &object["source"]["component"] {
            Value::String(component) if !component.is_empty() => &object["source"]["component"],
            _ => &object["reportingComponent"],
        },
        "reason" | "type" => &object[field],
        "status.podIP" | "status.podIPs" => match &object["status"]["podIPs"][0]["ip"] {
            Value::Null => &object["status"]["podIP"],
            address => address,
        },
        "status.successful" => &object["status"]["succeeded"],
        _ => at(field),
    };
    match value {
        Value::String(text) => Some(Cow::Borrowed(text)),
        Value::Null => absent(field).map(Cow::Borrowed),
        Value::Bool(_) | Value::Number(_) => Some(Cow::Owned(value.to_string())),
        Value::Array(_) | Value::Object(_) => None,
    }
}

/// What a field is in Go where JSON leaves it out.
fn absent(field: &str) -> Option<&'static str> {
    match field {
        "spec.unschedulable" | "spec.hostNetwork" => Some("false"),
        "status.replicas" | "status.successful" => Some("0"),
        _ => None,
    }
}

fn check_field(kind: &Kind, field: &str) -> Result<(), String> {
    let selectable = match kind.built_in() {
        Some(built_in) if built_in.strategy.selectable.is_empty() => {
            return match field {
                "metadata.name" | "metadata.namespace" => Ok(()),
                _ => Err(format!(
                    "{field:?} is not a known field selector: only \"metadata.name\", \
                     \"metadata.namespace\""
                )),
            };
        }
        Some(built_in) => built_in.strategy.selectable,
        None => &[],
    };
    let is_known = match field {
        "metadata.name" => true,
        "metadata.namespace" => kind.is_namespaced(),
        _ => selectable.contains(&field) || kind.selectable.iter().any(|it| it == field),
    };
    if is_known { Ok(()) } else { Err(format!("field label not supported: {field}")) }
}

/// Splits at commas that no backslash stands before.
fn split_terms(text: &str) -> Vec<&str> {
    let mut terms = Vec::new();
    let (mut start, mut is_escaped) = (0, false);
    for (index, letter) in text.char_indices() {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            ',' => {
                terms.push(&text[start..index]);
                start = index + 1;
            }
            _ => {}
        }
    }
    terms.push(&text[start..]);
    terms
}

fn read_term(text: &str, part: &str) -> Result<Term, String> {
    let split = part.char_indices().find_map(|(index, _)| {
        let operators = ["!=", "==", "="].into_iter();
        let operator =
            operators.into_iter().find(|operator| part[index..].starts_with(operator))?;
        Some((&part[..index], operator, &part[index + operator.len()..]))
    });
    let Some((field, operator, value)) = split else {
        return Err(format!("invalid selector: '{text}'; can't understand '{part}'"));
    };
    let value = unescape(value)?;
    Ok(Term { field: field.to_owned(), value, is_equal: operator != "!=" })
}

fn unescape(value: &str) -> Result<String, String> {
    let mut plain = String::with_capacity(value.len());
    let mut letters = value.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some(escaped @ ('\\' | ',' | '=')) => plain.push(escaped),
                other => {
                    let sequence: String = ['\\'].into_iter().chain(other).collect();
                    return Err(format!(
                        "invalid field selector: invalid escape sequence: {sequence}"
                    ));
                }
            },
            ',' | '=' => {
                let number = u32::from(letter);
                return Err(format!(
                    "invalid field selector: unescaped character in value: {number}"
                ));
            }
            other => plain.push(other),
        }
    }
    Ok(plain)
}
