//! What the server says to a request: the object it would store, or why it refuses.
//!
//! Made by the catalog; gives the `Status` the server would answer.
//! Invariant: a verdict without strict errors, field errors and denials has no `Status`.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::field_error::FieldError;
use crate::go_text;
use crate::path::Path;
use crate::policy::Denial;

/// The answer to a create or an update.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Verdict {
    /// As it would be stored: pruned and defaulted.
    pub object: Value,
    /// What strict decoding says. The server stops there; the rest is what it would say next.
    pub strict: Vec<StrictError>,
    /// Errors of fields, in the server's order where it has one.
    pub errors: Vec<FieldError>,
    /// What policies deny. The server asks them only when no field is wrong.
    pub denials: Vec<Denial>,
    /// What rules say of values that were wrong before and did not change.
    pub warnings: Vec<String>,
    pub(crate) subject: Subject,
    pub(crate) refusal: Option<Refusal>,
}

/// A field the server does not know, or that is given twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StrictError {
    pub path: Path,
    pub message: String,
}

/// Whom a `Status` talks about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Subject {
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) kind: String,
    pub(crate) plural: String,
    pub(crate) name: String,
}

/// A refusal of the whole request that is not about single fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    BadRequest {
        message: String,
    },
    Conflict {
        message: String,
    },
    /// There is no such subresource.
    NotFound,
    /// An object that was read from a server cannot be created as it is.
    ResourceVersionOnCreate,
}

impl Refusal {
    pub(crate) fn conflict(subject: &Subject, why: &str) -> Self {
        let (resource, name) = (subject.resource(), go_text::quoted(&subject.name));
        let message = format!("Operation cannot be fulfilled on {resource} {name}: {why}");
        Self::Conflict { message }
    }
}

impl Subject {
    /// The kind as messages name it: `Network.example.org`.
    fn full_kind(&self) -> String {
        qualified(&self.kind, &self.group)
    }

    /// The resource as messages name it: `networks.example.org`.
    pub(crate) fn resource(&self) -> String {
        qualified(&self.plural, &self.group)
    }
}

fn qualified(name: &str, group: &str) -> String {
    if group.is_empty() { name.to_owned() } else { format!("{name}.{group}") }
}

impl StrictError {
    /// What the server says to a field that is not in the schema.
    pub fn unknown_field(path: Path) -> Self {
        let message = format!("unknown field \"{path}\"");
        Self { path, message }
    }

    /// What the server says to a field that is given twice.
    ///
    /// A parsed value cannot hold such a field, so that the reader of the text has to tell.
    pub fn duplicate_field(path: Path) -> Self {
        let message = format!("duplicate field {}", go_text::quoted(&path.to_string()));
        Self { path, message }
    }
}

impl Verdict {
    /// Whether the server would do what was asked.
    pub fn is_accepted(&self) -> bool {
        self.refusal.is_none()
            && self.strict.is_empty()
            && self.errors.is_empty()
            && self.denials.is_empty()
    }

    /// The `Status` that the server would answer, if it refuses.
    pub fn status(&self) -> Option<Value> {
        if !self.strict.is_empty() {
            let messages: Vec<&str> = self.strict.iter().map(|it| it.message.as_str()).collect();
            let message = format!("strict decoding error: {}", messages.join(", "));
            return Some(bad_request(&self.subject.undecodable(&message)));
        }
        if let Some(refusal) = &self.refusal {
            return Some(match refusal {
                Refusal::BadRequest { message } => bad_request(message),
                Refusal::Conflict { message } => self.conflict(message),
                Refusal::NotFound => {
                    let message = "the server could not find the requested resource";
                    failure(message, "NotFound", 404, Some(json!({})))
                }
                Refusal::ResourceVersionOnCreate => {
                    let message = "resourceVersion should not be set on objects to be created";
                    failure(message, "", 500, None)
                }
            });
        }
        if !self.errors.is_empty() {
            return Some(self.invalid());
        }
        self.denials.first().map(|denial| denial.status(&self.subject))
    }

    fn conflict(&self, message: &str) -> Value {
        let Subject { group, plural, name, .. } = &self.subject;
        let details = json!({"name": name, "group": group, "kind": plural});
        failure(message, "Conflict", 409, Some(details))
    }

    fn invalid(&self) -> Value {
        let Subject { group, kind, name, .. } = &self.subject;
        let causes: Vec<Value> = self.errors.iter().map(FieldError::cause).collect();
        let details = json!({"name": name, "group": group, "kind": kind, "causes": causes});
        let (full_kind, name) = (self.subject.full_kind(), go_text::quoted(name));
        let message = format!("{full_kind} {name} is invalid: {}", aggregate(&self.errors));
        failure(&message, "Invalid", 422, Some(details))
    }
}

/// The texts of errors as one: each once, in brackets where there are several.
pub fn aggregate(errors: &[FieldError]) -> String {
    let mut seen = BTreeSet::new();
    let texts = errors.iter().map(FieldError::to_string);
    let texts: Vec<String> = texts.filter(|text| seen.insert(text.clone())).collect();
    match &texts[..] {
        [text] => text.clone(),
        _ => format!("[{}]", texts.join(", ")),
    }
}

fn bad_request(message: &str) -> Value {
    failure(message, "BadRequest", 400, None)
}

pub(crate) fn failure(message: &str, reason: &str, code: u16, details: Option<Value>) -> Value {
    let mut status = json!({
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": message,
        "code": code,
    });
    if !reason.is_empty() {
        status["reason"] = Value::from(reason);
    }
    if let Some(mut details) = details {
        if let Some(fields) = details.as_object_mut() {
            fields.retain(|_, value| value.as_str() != Some(""));
        }
        status["details"] = details;
    }
    status
}
