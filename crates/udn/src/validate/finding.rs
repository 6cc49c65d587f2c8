//! What `udn validate` has to say about an object.
//!
//! Invariant: the names of the fields are the ones that programs rely on.

use serde::Serialize;
use udn_manifest::remedy;
use udn_model::Severity;

/// One thing that is wrong, or may be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Finding {
    /// The kind and the name, such as `UserDefinedNetwork red/blue`.
    pub(super) object: String,
    /// The field, as Kubernetes writes it; empty if it is the object as a whole.
    pub(super) path: String,
    /// None if the object is in no file.
    pub(super) file: Option<String>,
    pub(super) line: Option<usize>,
    pub(super) column: Option<usize>,
    pub(super) severity: Severity,
    pub(super) reason: String,
    pub(super) message: String,
    pub(super) source: FoundBy,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) help: Option<String>,
}

/// Who found it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum FoundBy {
    /// The API server, by the schema of the CRD.
    Schema,
    /// The API server, by a rule of the CRD.
    Cel,
    /// The API server, by an admission policy.
    Policy,
    /// Nobody before the network is built: it takes all objects together.
    Cluster,
}

/// Something that was given and could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Unusable {
    pub(crate) file: String,
    pub(super) line: Option<usize>,
    pub(super) column: Option<usize>,
    pub(crate) message: String,
}

/// A piece of a file in which something is to be seen.
#[derive(Debug, Clone, Copy)]
pub(super) struct Excerpt<'a> {
    /// The text of the document.
    pub(super) text: &'a str,
    /// The line of the file on which the text begins.
    pub(super) line: usize,
    pub(super) mark: udn_manifest::manifest::Span,
    /// Whether the mark is on what the field is missing from.
    pub(super) is_missing: bool,
}

impl Finding {
    /// Whether the server only says that it did not come to an end.
    pub(super) fn is_remark(&self) -> bool {
        self.path.is_empty() && remedy::is_unchecked(&self.message)
    }
}

impl Unusable {
    /// A source that cannot be read as a whole.
    pub(super) fn whole(file: impl Into<String>, message: impl Into<String>) -> Self {
        Self { file: file.into(), line: None, column: None, message: message.into() }
    }
}
