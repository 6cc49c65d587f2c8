//! Manifests as people write them: YAML and JSON with the place of every value, and remedies.
//!
//! Reads texts; returns values that know their line and column, and sentences that say what to change.
//! Invariant: knows nothing of networks; whatever cannot be read is told with its place.

pub mod manifest;
pub mod remedy;
