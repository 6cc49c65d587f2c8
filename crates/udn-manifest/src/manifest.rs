//! Manifests as text: documents, the objects in them, and where each value stands.
//!
//! Reads YAML or JSON; returns objects as kubectl would send them, whose fields can be found in the
//! text again.
//! Invariant: whatever the text, reading ends, in memory that its size bounds.

use std::fmt;

mod decode;
mod documents;
mod json;
mod object;
mod place;
mod scalar;
#[cfg(test)]
mod tests;
mod tree;
mod value;
mod yaml;

pub use decode::{Misfit, decode};
pub use documents::{Document, Documents, documents};
pub use object::{Object, SecondKey};
pub use place::{Place, Position, Step, path_text};
pub use tree::Span;

/// The largest source that is read at all, in bytes.
pub const MAX_SOURCE: usize = 32 << 20;

/// The largest object that a server takes, in bytes of JSON.
// compat: kube-apiserver, MaxRequestBodyBytes
pub const MAX_OBJECT: usize = 3 << 20;

/// How deep values may be nested.
pub const MAX_DEPTH: usize = 128;

/// How many values a document may hold.
pub const MAX_VALUES: usize = 1_000_000;

/// Why a document cannot be read, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    pub span: Span,
    pub message: String,
}

impl Unreadable {
    fn at(span: Span, message: impl Into<String>) -> Self {
        Self { span, message: message.into() }
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Unreadable {}
