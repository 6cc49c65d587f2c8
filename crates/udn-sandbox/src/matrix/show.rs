//! The matrix as a table: a row for each pod, a column for each target.
//!
//! Where names would make it too wide, columns have the numbers of rows.
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
        if sources.is_empty() {
            return Ok(());
        }
        let labels = Labels::of(&sources, &targets);
        let widest = sources.iter().map(|source| labels.row(source).chars().count()).max();
        let first = widest.unwrap_or(0).max(CORNER.len());
        let columns: Vec<(&Target, String, usize)> = targets
            .iter()
            .map(|target| {
                let (name, of) = (labels.column(target), |source| texts.get(&(source, *target)));
                let cells = sources.iter().filter_map(|source| of(*source));
                let widest = cells.map(|text| text.chars().count()).max().unwrap_or(0);
                (*target, name.clone(), widest.max(name.chars().count()))
            })
            .collect();
        let mut head = format!("{CORNER:first$}");
        columns.iter().for_each(|(_, name, width)| head.push_str(&format!("  {name:^width$}")));
        writeln!(f, "{}", head.trim_end())?;
        for source in sources {
            let mut line = format!("{:first$}", labels.row(source));
            for (target, _, width) in &columns {
                let text = texts.get(&(source, *target)).map_or("", String::as_str);
                line.push_str(&format!("  {text:^width$}"));
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        writeln!(f, "4, 6: answered over IPv4, IPv6   ·: silence, as it must be   !: wrong")
    }
}

const CORNER: &str = "from \\ to";

/// How wide a head may be before columns are called by numbers.
const WIDEST: usize = 120;

/// What pods are called: by name, and where one is on several networks, by those too.
struct Labels<'m> {
    several: BTreeSet<&'m ObjectName>,
    /// The numbers of rows, where heads would be too wide with names.
    numbers: BTreeMap<&'m Source, usize>,
}

impl<'m> Labels<'m> {
    fn of(sources: &BTreeSet<&'m Source>, targets: &BTreeSet<&Target>) -> Self {
        let mut seen = BTreeSet::new();
        let again = sources.iter().filter(|source| !seen.insert(&source.pod));
        let several = again.map(|source| &source.pod).collect();
        let mut labels = Self { several, numbers: BTreeMap::new() };
        let head = targets.iter().map(|target| labels.column(target).chars().count() + 2);
        if head.sum::<usize>() > WIDEST {
            labels.numbers = sources.iter().copied().zip(1..).collect();
        }
        labels
    }

    fn row(&self, source: &Source) -> String {
        match self.numbers.get(source) {
            Some(number) => format!("{number:>2} {}", self.source(source)),
            None => self.source(source),
        }
    }

    fn column(&self, target: &Target) -> String {
        match target {
            Target::Pod(source) => {
                let number = self.numbers.get(source).map(usize::to_string);
                number.unwrap_or_else(|| self.source(source))
            }
            Target::Gateway => "gateway".to_owned(),
            Target::Host(name) => name.clone(),
        }
    }

    fn source(&self, source: &Source) -> String {
        match self.several.contains(&source.pod) {
            true => format!("{}@{}", source.pod.name, source.network),
            false => source.pod.name.to_string(),
        }
    }
}
