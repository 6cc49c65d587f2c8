//! What is told after the writes: a status, and events.
//!
//! Invariant: a status that says the same as the one that stands is not written.

use crate::write::{Event, Write};

/// What came of the writes before the status.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// What could not be written, one sentence each: the server's words, or that it is tried again.
    pub failures: Vec<String>,
    /// The time now, as Kubernetes writes it: `2026-11-16T07:00:00Z`.
    pub now: String,
}

/// What is told.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StatusUpdate {
    pub write: Option<Write>,
    pub events: Vec<Event>,
}
