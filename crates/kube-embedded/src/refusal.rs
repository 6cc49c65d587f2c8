//! Why a request is refused, as the server says it.
//!
//! Made wherever a request fails; answered as a `Status` object with its HTTP code.
//! Invariant: message, reason, code and details are those of kube-apiserver.

use std::borrow::Cow;

use kube_schema::quoted;
use serde_json::{Value, json};

use crate::kinds::Kind;

/// A refused request.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    pub code: u16,
    /// The reason of the `Status`; empty where the server gives none.
    pub reason: Cow<'static, str>,
    pub message: String,
    /// Whom and what the refusal is about; null where the server gives no details.
    pub details: Value,
    /// A token to go on with, where a list cannot show its moment any more.
    pub token: Option<String>,
}

impl Refusal {
    pub fn new(
        code: u16,
        reason: impl Into<Cow<'static, str>>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            code,
            reason: reason.into(),
            message: message.into(),
            details: Value::Null,
            token: None,
        }
    }

    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(400, "BadRequest", message)
    }

    /// The refusal that a `Status` tells.
    pub fn from_status(status: &Value) -> Self {
        let text = |name: &str| status[name].as_str().unwrap_or("").to_owned();
        let code = status["code"].as_u64().and_then(|code| u16::try_from(code).ok());
        Self::new(code.unwrap_or(500), text("reason"), text("message"))
            .with_details(status["details"].clone())
    }

    /// The same refusal with details.
    #[must_use]
    pub fn with_details(mut self, details: Value) -> Self {
        self.details = details;
        self
    }

    pub(crate) fn not_found(kind: &Kind, name: &str) -> Self {
        let message = format!("{} {} not found", kind.resource(), quoted(name));
        Self::new(404, "NotFound", message).about(kind, name)
    }

    pub(crate) fn already_exists(kind: &Kind, name: &str) -> Self {
        let message = format!("{} {} already exists", kind.resource(), quoted(name));
        Self::new(409, "AlreadyExists", message).about(kind, name)
    }

    pub(crate) fn conflict(kind: &Kind, name: &str, why: &str) -> Self {
        let (resource, shown) = (kind.resource(), quoted(name));
        let message = format!("Operation cannot be fulfilled on {resource} {shown}: {why}");
        Self::new(409, "Conflict", message).about(kind, name)
    }

    /// Someone may not do this; an object without a name is not named.
    pub(crate) fn forbidden(kind: &Kind, name: &str, why: &str) -> Self {
        let resource = kind.resource();
        if name.is_empty() {
            let mut refusal =
                Self::new(403, "Forbidden", format!("{resource} is forbidden: {why}"));
            refusal = refusal.about(kind, name);
            drop(refusal.details.as_object_mut().map(|details| details.remove("name")));
            return refusal;
        }
        let message = format!("{resource} {name:?} is forbidden: {why}");
        Self::new(403, "Forbidden", message).about(kind, name)
    }

    /// The server has too much to do, or has lost its way.
    pub(crate) fn busy(code: u16) -> Self {
        match code {
            429 => Self::new(429, "TooManyRequests", "Too many requests, please try again later.")
                .with_details(json!({"retryAfterSeconds": 1})),
            503 => Self::new(
                503,
                "ServiceUnavailable",
                "the server is currently unable to handle the request",
            ),
            _ => Self::new(500, "InternalError", "Internal error occurred: a fault was injected"),
        }
    }

    /// The path leads nowhere.
    pub(crate) fn no_such_resource() -> Self {
        let message = "the server could not find the requested resource";
        Self::new(404, "NotFound", message).with_details(json!({}))
    }

    fn about(self, kind: &Kind, name: &str) -> Self {
        let mut details = json!({"name": name, "kind": kind.plural});
        if !kind.group.is_empty() {
            details["group"] = Value::from(kind.group.as_str());
        }
        self.with_details(details)
    }

    /// The `Status` object of the answer.
    pub fn status(&self) -> Value {
        let mut status = json!({
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": self.message,
            "code": self.code,
        });
        if !self.reason.is_empty() {
            status["reason"] = Value::from(&*self.reason);
        }
        if !self.details.is_null() {
            status["details"] = self.details.clone();
        }
        if let Some(token) = &self.token {
            status["metadata"]["continue"] = Value::from(token.as_str());
        }
        status
    }
}
