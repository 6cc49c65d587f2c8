//! The `pattern` of a schema: a regular expression as Go understands it.
//!
//! Reads a pattern in RE2's syntax; says which texts it matches.
//! Invariant: a pattern that Go refuses is no pattern.

use crate::cel::GoRegex;

/// A compiled `pattern`.
#[derive(Debug, Clone)]
pub struct Pattern {
    source: String,
    regex: GoRegex,
}

impl Pattern {
    /// Compiles a pattern; the error is in the words of Go's `regexp`.
    pub fn new(source: &str) -> Result<Self, String> {
        Ok(Self { source: source.to_owned(), regex: GoRegex::new(source)? })
    }

    /// The pattern as the manifest has it.
    pub fn as_str(&self) -> &str {
        &self.source
    }

    pub fn is_match(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl Eq for Pattern {}

#[cfg(test)]
mod tests;
