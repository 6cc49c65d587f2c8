//! Checks that the name of every integration test file tells its shelf.
//!
//! Takes the test targets, `(crate, target)`; returns problems.
//! Invariant: a test that no shelf claims would never run, so it is a problem here.

use super::problem::Problem;
use crate::shelf::Shelf;

pub(crate) fn check(targets: &[(&str, &str)]) -> Vec<Problem> {
    let lost = targets.iter().filter(|(_, target)| Shelf::of_target(target).is_none());
    lost.map(|(owner, target)| {
        let prefixes: Vec<&str> =
            Shelf::TESTED.iter().filter(|shelf| **shelf != Shelf::Unit).map(|s| s.name()).collect();
        let text = format!("its name tells no shelf; begin it with one of {}", prefixes.join(", "));
        Problem::in_file(format!("crates/{owner}/tests/{target}.rs"), text)
    })
    .collect()
}

#[cfg(test)]
mod tests;
