//! The property shelf of `udn-cni`: what is written can be read, and nothing that is read panics.

// A test that cannot go on stops where it is.
#![allow(clippy::unwrap_used)]

use proptest::test_runner::{Config, FileFailurePersistence};

mod malformed;
mod round_trips;

/// A failing case stays in the tree, beside its test.
fn kept_failures() -> Config {
    let persistence = FileFailurePersistence::WithSource("regressions");
    Config { failure_persistence: Some(Box::new(persistence)), ..Config::default() }
}
