//! The record of what every test last came to, kept between commands.
//!
//! Reads and writes `<target>/udn/ran.json`. Invariant: a complete run of a target forgets what
//! the record said of it before; a filtered run only adds to it.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::libtest::{Outcome, Tally};
use crate::shelf::Shelf;

/// What every test last came to, by target and test name.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Ran {
    targets: BTreeMap<String, RanTarget>,
}

/// One test program's last outcomes.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct RanTarget {
    shelf: Shelf,
    tests: BTreeMap<String, Outcome>,
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

    /// Takes in what a run said; `partial` when some tests of its targets were left out.
    pub(crate) fn absorb(&mut self, shelf: Shelf, tally: &Tally, partial: bool) {
        for (name, tests) in &tally.tests {
            let kept = self.targets.remove(name).filter(|_| partial);
            let mut all = kept.map(|target| target.tests).unwrap_or_default();
            all.extend(tests.iter().map(|(test, outcome)| (test.clone(), *outcome)));
            self.targets.insert(name.clone(), RanTarget { shelf, tests: all });
        }
    }

    /// Takes in one bench that ran to its end, or did not.
    pub(crate) fn absorb_bench(&mut self, name: &str, outcome: Outcome) {
        let tests = BTreeMap::from([(name.to_owned(), outcome)]);
        let tally = Tally {
            tests: BTreeMap::from([(format!("{name} (bench)"), tests)]),
            ..Tally::default()
        };
        self.absorb(Shelf::Bench, &tally, false);
    }

    /// What the tests of `target` that match came to: the worst of them, `None` if none ran.
    pub(crate) fn outcome(&self, target: &str, matches: impl Fn(&str) -> bool) -> Option<Outcome> {
        let tests = &self.targets.get(target)?.tests;
        let outcomes: Vec<Outcome> =
            tests.iter().filter(|(test, _)| matches(test)).map(|(_, outcome)| *outcome).collect();
        [Outcome::Failed, Outcome::Ignored, Outcome::Passed]
            .into_iter()
            .find(|worst| outcomes.contains(worst))
    }
}

#[cfg(test)]
mod tests;
