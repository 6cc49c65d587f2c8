//! The record of what every test last came to, kept between commands.
//!
//! Reads and writes `<target>/udn/ran.json`. Invariant: only a complete run of a program counts;
//! a partial one is kept beside it, and takes from it what failed since.

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::libtest::{Outcome, Tally};
use super::real_parts::Servers;
use crate::program::Program;
use crate::shelf::Shelf;

/// What every test last came to.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Ran {
    /// By crate and program.
    programs: BTreeMap<String, BTreeMap<String, RanProgram>>,
    /// Shelves that the last run could not run, with the reason.
    skipped: BTreeMap<Shelf, String>,
}

/// One test program's last run.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct RanProgram {
    /// The tree that the complete run was of; none when there was none.
    tree: Option<String>,
    /// The real servers that the complete run started.
    servers: BTreeSet<String>,
    /// The complete run.
    tests: Tests,
    /// What ran since, in runs that left something out.
    partial: Tests,
}

type Tests = BTreeMap<String, Outcome>;

/// What has to be known of a run besides its outcomes.
#[derive(Debug, Default)]
pub(crate) struct Circumstances {
    pub(crate) tree: String,
    /// Whether some tests were left out.
    pub(crate) is_partial: bool,
    pub(crate) servers: Servers,
}

/// What the record says of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seen<'a> {
    NotRun,
    /// It ran, but only in a run that left something out.
    InPartialRun,
    Ignored,
    Failed,
    /// It passed in a complete run of a program that started these servers.
    Passed(&'a BTreeSet<String>),
}

/// Why the record does not speak for the whole of a tree.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Gap {
    /// The machine cannot run a shelf.
    Skipped(String),
    /// Something was not run, not wholly, or on another tree.
    NotWhole(String),
}

impl Ran {
    /// Reads the record; an absent or outdated one is empty.
    pub(crate) fn load(path: &Path) -> Result<Self> {
        match std::fs::read(path) {
            Ok(bytes) => Ok(serde_json::from_slice(&bytes).unwrap_or_default()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(error).with_context(|| format!("reading {}", path.display())),
        }
    }

    pub(crate) fn save(&self, path: &Path) -> Result<()> {
        let folder = path.parent().context("the record has no folder")?;
        let text = serde_json::to_string_pretty(self).context("writing the record of tests")?;
        std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(path, text + "\n"))
            .with_context(|| format!("writing {}", path.display()))
    }

    /// Takes in what a run said.
    pub(crate) fn absorb(&mut self, tally: &Tally, circumstances: &Circumstances) {
        for (Program { owner, name }, tests) in &tally.tests {
            let programs = self.programs.entry(owner.clone()).or_default();
            let program = programs.entry(name.clone()).or_default();
            if circumstances.is_partial {
                program.partial.extend(tests.clone());
            } else {
                let servers = circumstances.servers.get(owner).cloned().unwrap_or_default();
                let tree = Some(circumstances.tree.clone());
                let tests = tests.clone();
                *program = RanProgram { tree, servers, tests, partial: Tests::new() };
            }
        }
    }

    /// Takes in that a shelf ran, or why it could not.
    pub(crate) fn absorb_skip(&mut self, shelf: Shelf, reason: Option<&str>) {
        match reason {
            Some(reason) => self.skipped.insert(shelf, reason.to_owned()),
            None => self.skipped.remove(&shelf),
        };
    }

    /// What the tests of a program that match came to: the worst of them.
    pub(crate) fn look(&self, program: &Program, matches: impl Fn(&str) -> bool) -> Seen<'_> {
        let Some(ran) = self.program(program) else { return Seen::NotRun };
        let matching = |tests: &Tests| -> Vec<Outcome> {
            tests.iter().filter(|(test, _)| matches(test)).map(|(_, outcome)| *outcome).collect()
        };
        let (whole, partial) = (matching(&ran.tests), matching(&ran.partial));
        if whole.contains(&Outcome::Failed) || partial.contains(&Outcome::Failed) {
            Seen::Failed
        } else if whole.contains(&Outcome::Ignored) {
            Seen::Ignored
        } else if whole.contains(&Outcome::Passed) {
            Seen::Passed(&ran.servers)
        } else if partial.is_empty() {
            Seen::NotRun
        } else {
            Seen::InPartialRun
        }
    }

    /// Whether anything was ever run.
    pub(crate) fn is_empty(&self) -> bool {
        self.programs.is_empty()
    }

    /// Whether some complete run was of another tree.
    pub(crate) fn is_of_another_tree(&self, tree: &str) -> bool {
        let programs = self.programs.values().flat_map(BTreeMap::values);
        programs.filter_map(|ran| ran.tree.as_deref()).any(|ran| ran != tree)
    }

    /// Why the record does not speak for all of `programs` as they are in `tree`.
    pub(crate) fn gap(&self, programs: &BTreeSet<Program>, tree: &str) -> Option<Gap> {
        let gaps: Vec<Gap> = programs.iter().filter_map(|one| self.gap_of(one, tree)).collect();
        let (mut open, mut skipped): (Vec<Gap>, Vec<Gap>) =
            gaps.into_iter().partition(|gap| matches!(gap, Gap::NotWhole(_)));
        open.append(&mut skipped);
        open.into_iter().next()
    }

    fn gap_of(&self, program: &Program, tree: &str) -> Option<Gap> {
        let ran = self.program(program);
        let whole = ran.and_then(|ran| ran.tree.as_deref());
        if whole == Some(tree) {
            return None;
        }
        let shelf = Shelf::parse(&program.name);
        if let Some((name, reason)) = shelf.and_then(|shelf| self.skipped.get_key_value(&shelf)) {
            return Some(Gap::Skipped(format!("{}: {reason}", name.name())));
        }
        let sentence = match (ran, whole) {
            (_, Some(_)) => format!("the run of `{program}` was of another tree"),
            (Some(_), None) => format!("the run of `{program}` was partial"),
            (None, None) => format!("`{program}` was not run"),
        };
        Some(Gap::NotWhole(sentence))
    }

    fn program(&self, program: &Program) -> Option<&RanProgram> {
        self.programs.get(&program.owner)?.get(&program.name)
    }
}

#[cfg(test)]
mod tests;
