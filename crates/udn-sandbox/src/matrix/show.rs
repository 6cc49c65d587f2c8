//! The matrix as a table: a row for each pod, a column for each target.
//!
//! Invariant: a cell with `!` is the only kind that is not as it must be.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use udn_model::{Family, ObjectName};

use super::{Expectation, Observation, Probe, Source, Target};

/// All probes with what came of them.
#[derive(Debug, Clone, Default)]
pub struct Matrix {
    pub cells: Vec<(Probe, Observation)>,
}

impl Matrix {
    /// Whether every cell is as it must be.
    pub fn is_green(&self) -> bool {
        !self.cells.is_empty() && self.failures().next().is_none()
    }

    /// The probes that are not as they must be.
    pub fn failures(&self) -> impl Iterator<Item = &(Probe, Observation)> {
        self.cells.iter().filter(|(probe, observation)| !probe.is_as_expected(*observation))
    }

    fn texts(&self) -> BTreeMap<(&Source, &Target), String> {
        let mut texts: BTreeMap<(&Source, &Target), String> = BTreeMap::new();
        for (probe, observation) in &self.cells {
            let text = texts.entry((&probe.from, &probe.to)).or_default();
            text.push_str(match (probe.is_as_expected(*observation), probe.family()) {
                (false, Family::V4) => "!4",
                (false, Family::V6) => "!6",
                (true, _) if probe.expectation == Expectation::Silence => "·",
                (true, Family::V4) => "4",
                (true, Family::V6) => "6",
            });
        }
        texts
    }
}

impl fmt::Display for Matrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts = self.texts();
        let sources: BTreeSet<&Source> = texts.keys().map(|(source, _)| *source).collect();
        let targets: BTreeSet<&Target> = texts.keys().map(|(_, target)| *target).collect();
        let labels = Labels::of(&sources);
        let names: Vec<String> = targets.iter().map(|target| labels.target(target)).collect();
        let widest = sources.iter().map(|source| labels.source(source).chars().count()).max();
        let first = widest.unwrap_or(0).max(CORNER.len());
        let mut head = format!("{CORNER:first$}");
        names.iter().for_each(|name| head.push_str(&format!("  {name}")));
        writeln!(f, "{}", head.trim_end())?;
        for source in sources {
            let mut line = format!("{:first$}", labels.source(source));
            for (target, name) in targets.iter().zip(&names) {
                let text = texts.get(&(source, *target)).map_or("", String::as_str);
                let width = name.chars().count();
                line.push_str(&format!("  {text:^width$}"));
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        writeln!(f, "4, 6: answered over IPv4, IPv6   ·: silence, as it must be   !: wrong")
    }
}

const CORNER: &str = "from \\ to";

/// What pods are called: by name, and where one is on several networks, by those too.
struct Labels<'m> {
    several: BTreeSet<&'m ObjectName>,
}

impl<'m> Labels<'m> {
    fn of(sources: &BTreeSet<&'m Source>) -> Self {
        let mut seen = BTreeSet::new();
        let again = sources.iter().filter(|source| !seen.insert(&source.pod));
        Self { several: again.map(|source| &source.pod).collect() }
    }

    fn source(&self, source: &Source) -> String {
        match self.several.contains(&source.pod) {
            true => format!("{}@{}", source.pod.name, source.network),
            false => source.pod.name.to_string(),
        }
    }

    fn target(&self, target: &Target) -> String {
        match target {
            Target::Pod(source) => self.source(source),
            Target::Gateway => "gateway".to_owned(),
            Target::Host(name) => name.clone(),
        }
    }
}
