//! Decides which shelves to run and with which words to cargo.
//!
//! Reads the request, the test targets, the files and the machine; returns a [`Plan`].
//! Invariant: every shelf that holds tests and was asked for is run, or skipped with a reason.

use super::machine::Machine;
use crate::args::TestRequest;
use crate::shelf::Shelf;
use crate::text_file::TextFile;

/// What `cargo xtask test` will do.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) runs: Vec<ShelfRun>,
    pub(crate) skips: Vec<Skip>,
    /// Shelves that were asked for and hold no test yet.
    pub(crate) empty: Vec<Shelf>,
}

/// One shelf to run.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ShelfRun {
    pub(crate) shelf: Shelf,
    /// For each call of `cargo test`, the words that pick its targets.
    pub(crate) calls: Vec<Vec<String>>,
}

/// One shelf that cannot run here.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Skip {
    pub(crate) shelf: Shelf,
    pub(crate) tests: usize,
    pub(crate) reason: String,
}

impl Plan {
    /// Plans from the test targets of the workspace, `(crate, target)`.
    pub(crate) fn new(
        request: &TestRequest,
        targets: &[(&str, &str)],
        files: &[TextFile],
        machine: &Machine,
    ) -> Self {
        let mut plan = Self::default();
        for shelf in Shelf::TESTED.into_iter().filter(|shelf| request.wants(*shelf)) {
            let calls = calls(shelf, targets);
            match machine.obstacle(shelf) {
                _ if calls.is_empty() => plan.empty.push(shelf),
                None => plan.runs.push(ShelfRun { shelf, calls }),
                Some(reason) => {
                    let tests = count_tests(shelf, files);
                    plan.skips.push(Skip { shelf, tests, reason });
                }
            }
        }
        plan
    }

    /// How many tests stand on shelves that cannot run here.
    pub(crate) fn skipped_tests(&self) -> usize {
        self.skips.iter().map(|skip| skip.tests).sum()
    }
}

/// The words that pick a shelf's targets; none when it has no target.
fn calls(shelf: Shelf, targets: &[(&str, &str)]) -> Vec<Vec<String>> {
    if shelf == Shelf::Unit {
        return vec![vec!["--lib".into(), "--bins".into()], vec!["--doc".into()]];
    }
    let mut names: Vec<&str> = targets.iter().map(|(_, target)| *target).collect();
    names.retain(|target| Shelf::of_target(target) == Some(shelf));
    names.sort_unstable();
    names.dedup();
    if names.is_empty() {
        return Vec::new();
    }
    vec![names.iter().flat_map(|name| ["--test".to_owned(), (*name).to_owned()]).collect()]
}

/// Tests of a shelf as the sources show them, for shelves that are not run.
fn count_tests(shelf: Shelf, files: &[TextFile]) -> usize {
    let on_shelf =
        files.iter().filter(|file| file.is_rust() && Shelf::of_file(file) == Some(shelf));
    on_shelf.flat_map(|file| file.text.lines()).filter(|line| is_test_attribute(line)).count()
}

fn is_test_attribute(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("#[test]") || line.starts_with("#[tokio::test")
}

#[cfg(test)]
mod tests;
