//! What benches measured, kept in `docs/bench/<name>.json`, and whether it meets its goals.
//!
//! Reads the lines that a bench prints, or the kept files; returns values.
//! Invariant: figures without a single goal prove nothing.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::text_file::TextFile;

/// Where figures are kept, seen from the root.
pub(crate) const FOLDER: &str = "docs/bench/";

/// How a line with a figure begins.
const LINE: &str = "figure: ";

/// What one bench measured, and where.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Figures {
    pub(crate) date: String,
    pub(crate) cores: usize,
    pub(crate) rustc: String,
    pub(crate) figures: Vec<Figure>,
}

/// One number that a bench measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Figure {
    pub(crate) name: String,
    pub(crate) value: f64,
    pub(crate) unit: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) goal: Option<Goal>,
}

/// What a figure should be.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) enum Goal {
    #[serde(rename = "<=")]
    AtMost(f64),
    #[serde(rename = ">=")]
    AtLeast(f64),
}

/// Whether a bench's figures prove something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    Met,
    Missed,
    /// There are none, or none with a goal.
    Absent,
}

impl Figure {
    /// Reads `figure: <name> <value> <unit> [goal <=|>= <number>]`; `None` when it is another line.
    pub(crate) fn parse(line: &str) -> Option<Result<Self, String>> {
        let words: Vec<&str> = line.trim().strip_prefix(LINE)?.split_whitespace().collect();
        Some(Self::from_words(&words).ok_or_else(|| {
            format!(
                "`{}` is not `figure: <name> <value> <unit> [goal <=|>= <number>]`",
                line.trim()
            )
        }))
    }

    fn from_words(words: &[&str]) -> Option<Self> {
        let (&[name, value, unit], rest) = words.split_first_chunk::<3>()?;
        let goal = match rest {
            [] => None,
            ["goal", "<=", number] => Some(Goal::AtMost(number.parse().ok()?)),
            ["goal", ">=", number] => Some(Goal::AtLeast(number.parse().ok()?)),
            _ => return None,
        };
        let value = value.parse().ok().filter(|value: &f64| value.is_finite())?;
        Some(Self { name: name.to_owned(), value, unit: unit.to_owned(), goal })
    }

    fn meets_its_goal(&self) -> bool {
        match self.goal {
            None => true,
            Some(Goal::AtMost(most)) => self.value <= most,
            Some(Goal::AtLeast(least)) => self.value >= least,
        }
    }
}

impl Figures {
    pub(crate) fn standing(&self) -> Standing {
        if !self.figures.iter().any(|figure| figure.goal.is_some()) {
            Standing::Absent
        } else if self.figures.iter().all(Figure::meets_its_goal) {
            Standing::Met
        } else {
            Standing::Missed
        }
    }
}

/// The path of a bench's figures.
pub(crate) fn path(bench: &str) -> String {
    format!("{FOLDER}{bench}.json")
}

/// The standing of every bench whose figures are kept; a file that cannot be read proves nothing.
pub(crate) fn standings(files: &[TextFile]) -> BTreeMap<String, Standing> {
    let kept = files.iter().filter_map(|file| {
        let bench = file.path.strip_prefix(FOLDER)?.strip_suffix(".json")?;
        let figures: Option<Figures> = serde_json::from_str(&file.text).ok();
        let standing = figures.map_or(Standing::Absent, |figures| figures.standing());
        Some((bench.to_owned(), standing))
    });
    kept.collect()
}

#[cfg(test)]
mod tests;
