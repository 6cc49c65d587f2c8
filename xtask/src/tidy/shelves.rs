//! Checks that the name of every integration test program is a shelf.
//!
//! Takes the test targets, `(crate, target)`; returns problems.
//! Invariant: a test that no shelf claims would never run, so it is a problem here.

use super::problem::Problem;
use crate::shelf::Shelf;

pub(crate) fn check(targets: &[(&str, &str)]) -> Vec<Problem> {
    let lost = targets.iter().filter(|(_, target)| Shelf::of_target(target).is_none());
    lost.map(|(owner, target)| {
        let shelves: Vec<&str> =
            Shelf::TESTED.iter().filter(|shelf| **shelf != Shelf::Unit).map(|s| s.name()).collect();
        let text = format!(
            "a test program is named after its shelf; make it a module of tests/<shelf>/main.rs, \
             where shelf is one of {}",
            shelves.join(", ")
        );
        Problem::in_file(format!("crates/{owner}/tests/{target}.rs"), text)
    })
    .collect()
}

#[cfg(test)]
mod tests;
