//! Why an operation or a value was refused, in the protocol's own terms.
//!
//! A fault is a value: the engine answers with one, and a client reads one from a reply.
//! Invariant: the tag is the protocol's `error` string, the details are for people.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// An OVSDB error: `{"error": tag, "details": details}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{tag}{}", details.as_deref().map(|details| format!(": {details}")).unwrap_or_default())]
pub struct Fault {
    #[serde(rename = "error")]
    pub tag: Cow<'static, str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<String>,
}

impl Fault {
    pub const ABORTED: &'static str = "aborted";
    pub const CONSTRAINT_VIOLATION: &'static str = "constraint violation";
    pub const DOMAIN_ERROR: &'static str = "domain error";
    pub const DUPLICATE_UUID_NAME: &'static str = "duplicate uuid-name";
    pub const DUPLICATE_UUID: &'static str = "duplicate uuid";
    pub const NOT_LEADER: &'static str = "not leader";
    pub const NOT_OWNER: &'static str = "not owner";
    pub const NOT_SUPPORTED: &'static str = "not supported";
    pub const RANGE_ERROR: &'static str = "range error";
    pub const REFERENTIAL_INTEGRITY: &'static str = "referential integrity violation";
    pub const SYNTAX_ERROR: &'static str = "syntax error";
    pub const TIMED_OUT: &'static str = "timed out";
    pub const UNKNOWN_COLUMN: &'static str = "unknown column";
    pub const UNKNOWN_DATABASE: &'static str = "unknown database";
    pub const UNKNOWN_FUNCTION: &'static str = "unknown function";
    pub const UNKNOWN_MUTATOR: &'static str = "unknown mutator";
    /// What the server says when it has no better word, as for a set with equal members.
    pub const UNNAMED: &'static str = "ovsdb error";

    pub fn new(tag: &'static str, details: impl Into<String>) -> Self {
        Self { tag: Cow::Borrowed(tag), details: Some(details.into()) }
    }

    pub fn syntax(details: impl Into<String>) -> Self {
        Self::new(Self::SYNTAX_ERROR, details)
    }

    pub fn constraint(details: impl Into<String>) -> Self {
        Self::new(Self::CONSTRAINT_VIOLATION, details)
    }
}
