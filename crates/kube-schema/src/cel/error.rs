//! What can go wrong with an expression, in cel-go's words.
//!
//! Reads nothing; returns texts that equal the server's.
//! Invariant: a [`CompileError`] is never empty.

use std::fmt;
use std::sync::Arc;

/// Why a run yielded no value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error("{0}")]
    Failed(Arc<str>),
    #[error("operation cancelled: actual cost limit exceeded")]
    CostExceeded,
    /// A flaw of the server's ended the run; nothing in the expression can catch it.
    #[error("{0}")]
    Aborted(Arc<str>),
}

impl Error {
    pub fn new(message: impl Into<Arc<str>>) -> Self {
        Self::Failed(message.into())
    }

    /// What cel-go says when operands do not fit an operator.
    pub(super) fn no_such_overload() -> Self {
        Self::new("no such overload")
    }

    pub fn is_cost_exceeded(&self) -> bool {
        matches!(self, Self::CostExceeded)
    }
}

/// Why a text is no program; displays as cel-go lists its issues.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompileError {
    text: String,
    is_instantiation: bool,
}

impl CompileError {
    pub(super) fn new(text: String) -> Self {
        Self { text, is_instantiation: false }
    }

    pub(super) fn instantiation(text: String) -> Self {
        Self { text, is_instantiation: true }
    }

    /// Says whether the text was checked without complaint, and yet no program came of it; the
    /// server then says `program instantiation failed` in place of `compilation failed`.
    pub fn is_instantiation(&self) -> bool {
        self.is_instantiation
    }
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for CompileError {}
