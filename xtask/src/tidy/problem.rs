//! A breach of a rule: where it is, what it is, and what to do.

use std::fmt;

use crate::text_file::TextFile;

/// One breach. Problems sort by place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Problem {
    path: String,
    line: Option<usize>,
    text: String,
}

impl Problem {
    /// A problem with a file, or a whole crate's manifest.
    pub(crate) fn in_file(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self { path: path.into(), line: None, text: text.into() }
    }

    /// A problem with one line of a file.
    pub(crate) fn at(file: &TextFile, line: usize, text: impl Into<String>) -> Self {
        Self::at_place(&file.path, line, text)
    }

    /// The same, where only the path is at hand.
    pub(crate) fn at_place(path: &str, line: usize, text: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line: Some(line), text: text.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(out, "{}:{line}: {}", self.path, self.text),
            None => write!(out, "{}: {}", self.path, self.text),
        }
    }
}
