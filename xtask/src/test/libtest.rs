//! Reads what `cargo test` prints and tells which test came to what.
//!
//! Takes lines, in order; returns a [`Tally`]. Invariant: a test program that ends without its
//! result line counts as one failure, so that a crash is never mistaken for silence.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::program::{Program, Programs};

/// What one test came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Outcome {
    Passed,
    Failed,
    Ignored,
}

/// Everything one or more runs of `cargo test` said.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Outcome by program and test name; a program without tests is there too.
    pub(crate) tests: BTreeMap<Program, BTreeMap<String, Outcome>>,
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    pub(crate) ignored: usize,
}

impl Tally {
    pub(crate) fn total(&self) -> usize {
        self.passed + self.failed + self.ignored
    }

    /// `crate program: test` of every failure.
    pub(crate) fn failures(&self) -> Vec<String> {
        let failed = |(program, tests): (&Program, &BTreeMap<String, Outcome>)| {
            let names = tests.iter().filter(|(_, outcome)| **outcome == Outcome::Failed);
            names.map(|(name, _)| format!("{program}: {name}")).collect::<Vec<_>>()
        };
        self.tests.iter().flat_map(failed).collect()
    }
}

/// Reads the lines of `cargo test` one by one.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    programs: &'a Programs,
    tally: Tally,
    program: Program,
    section: Option<Section>,
}

/// The stretch between `running N tests` and its result line.
#[derive(Debug, Default)]
struct Section {
    passed: usize,
    failed: usize,
    ignored: usize,
    /// A test whose outcome is still to come, because it printed something in between.
    waiting: Option<String>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(programs: &'a Programs) -> Self {
        let (tally, program) = (Tally::default(), Program::default());
        Self { programs, tally, program, section: None }
    }

    /// A reader of what one program prints when it is run without cargo.
    pub(crate) fn of(programs: &'a Programs, program: &Program) -> Self {
        Self { program: program.clone(), ..Self::new(programs) }
    }

    pub(crate) fn line(&mut self, line: &str) {
        let line = strip_colour(line);
        let trimmed = line.trim();
        if let Some(program) = self.announced(trimmed) {
            self.close_unfinished();
            self.tally.tests.entry(program.clone()).or_default();
            self.program = program;
        } else if is_opening(trimmed) {
            self.close_unfinished();
            self.section = Some(Section::default());
        } else if let Some(counts) = trimmed.strip_prefix("test result: ") {
            self.close(counts);
        } else {
            self.test_line(trimmed);
        }
    }

    /// Ends the reading.
    pub(crate) fn finish(mut self) -> Tally {
        self.close_unfinished();
        self.tally
    }

    /// The program that `Running tests/x.rs (…/deps/x-0123abcd)` or `Doc-tests x` announces.
    fn announced(&self, line: &str) -> Option<Program> {
        if let Some(library) = line.strip_prefix("Doc-tests ") {
            return Some(self.programs.of_docs(library));
        }
        let path = line.strip_prefix("Running ")?.strip_suffix(')')?.rsplit_once('(')?.1;
        Some(self.programs.of_executable(path))
    }

    fn test_line(&mut self, line: &str) {
        let Some(section) = &mut self.section else { return };
        let (name, rest) = match line.strip_prefix("test ").and_then(|l| l.split_once(" ...")) {
            Some((name, rest)) => (name.trim_end_matches(" - should panic").to_owned(), rest),
            None => match section.waiting.take() {
                Some(name) => (name, line),
                None => return,
            },
        };
        match outcome_of(rest) {
            Some(outcome) => {
                section.add(outcome);
                self.record(name, outcome);
            }
            None => section.waiting = Some(name),
        }
    }

    fn close(&mut self, counts: &str) {
        self.section = None;
        self.tally.passed += counted(counts, "passed");
        self.tally.failed += counted(counts, "failed");
        self.tally.ignored += counted(counts, "ignored");
    }

    fn close_unfinished(&mut self) {
        let Some(section) = self.section.take() else { return };
        self.tally.passed += section.passed;
        self.tally.failed += section.failed + 1;
        self.tally.ignored += section.ignored;
        let name = section.waiting.unwrap_or_else(|| "a test unknown".to_owned());
        self.record(format!("{name} (the test program died)"), Outcome::Failed);
    }

    fn record(&mut self, name: String, outcome: Outcome) {
        let tests = self.tally.tests.entry(self.program.clone()).or_default();
        let kept = tests.entry(name).or_insert(outcome);
        if outcome == Outcome::Failed {
            *kept = outcome; // two tests of one name: the failure is what must be seen
        }
    }
}

impl Section {
    fn add(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Passed => self.passed += 1,
            Outcome::Failed => self.failed += 1,
            Outcome::Ignored => self.ignored += 1,
        }
    }
}

fn is_opening(line: &str) -> bool {
    let Some(rest) = line.strip_prefix("running ") else { return false };
    let Some((number, noun)) = rest.split_once(' ') else { return false };
    number.parse::<usize>().is_ok() && matches!(noun, "test" | "tests")
}

fn outcome_of(text: &str) -> Option<Outcome> {
    match text.trim_start().split([' ', ',']).next()? {
        "ok" => Some(Outcome::Passed),
        "FAILED" => Some(Outcome::Failed),
        "ignored" => Some(Outcome::Ignored),
        _ => None,
    }
}

/// The number before `word` in `ok. 3 passed; 0 failed; …`.
fn counted(counts: &str, word: &str) -> usize {
    let phrase = counts.split([';', '.']).map(str::trim).find_map(|part| part.strip_suffix(word));
    phrase.and_then(|number| number.trim().parse().ok()).unwrap_or(0)
}

/// The line without terminal colours.
fn strip_colour(line: &str) -> String {
    let mut parts = line.split('\u{1b}');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain.push_str(part.split_once('m').map_or("", |(_, rest)| rest));
    }
    plain
}

#[cfg(test)]
mod tests;
