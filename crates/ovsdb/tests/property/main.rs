//! The property shelf of `ovsdb`: laws that hold for random input.

use proptest::test_runner::{Config, FileFailurePersistence};

mod differences;
mod engine;
mod malformed;

/// A failing case stays in the tree, beside its test.
fn kept_failures() -> Config {
    let persistence = FileFailurePersistence::WithSource("regressions");
    Config { failure_persistence: Some(Box::new(persistence)), ..Config::default() }
}
