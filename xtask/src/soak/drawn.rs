//! Adds up what random tests drew, by kind: `1956 histories`, `250000 inputs`.
//!
//! Takes the lines `drew: <number> <things>` that tests print, and the inputs of property tests.
//! Invariant: nothing is counted for a test that did not pass.

use std::collections::BTreeMap;

/// Numbers by what was drawn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Drawn(BTreeMap<String, u64>);

impl Drawn {
    /// Takes in a line that a test printed; other lines say nothing here.
    pub(crate) fn line(&mut self, line: &str) {
        let Some((_, words)) = line.split_once("drew: ") else { return };
        let Some((number, things)) = words.trim().split_once(' ') else { return };
        if let Ok(number) = number.parse() {
            self.add(number, things);
        }
    }

    pub(crate) fn add(&mut self, number: u64, things: &str) {
        *self.0.entry(things.to_owned()).or_default() += number;
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        for (things, number) in &other.0 {
            self.add(*number, things);
        }
    }

    /// `1956 histories, 300 inputs`; these two are told even when there were none.
    pub(crate) fn total(&self) -> String {
        let mut all = self.clone();
        all.add(0, "histories");
        all.add(0, "inputs");
        all.text()
    }

    pub(crate) fn text(&self) -> String {
        let parts: Vec<String> =
            self.0.iter().map(|(things, number)| format!("{number} {things}")).collect();
        parts.join(", ")
    }
}

#[cfg(test)]
mod tests;
