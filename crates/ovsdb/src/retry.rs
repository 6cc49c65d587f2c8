//! What to do after something went wrong.
//!
//! Every error of this room and of those above it knows its own class.
//! Invariant: the class depends on the error alone, never on how often it happened.

/// Whether, and when, trying again makes sense.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Retry {
    /// The world may be different in a moment: wait a little longer each time.
    AfterBackoff,
    /// The same request will fail in the same way.
    Never,
}
