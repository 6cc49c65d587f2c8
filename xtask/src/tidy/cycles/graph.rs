//! Which modules of a crate use which, and where they do so in a circle.
//!
//! Takes arrows one by one; returns the [`Component`]s whose modules all reach each other.
//! Invariant: the order in which arrows come does not show in what is returned.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A line of a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) path: String,
    pub(super) line: usize,
}

/// The modules of one crate; every arrow keeps the first place that draws it.
#[derive(Debug, Default)]
pub(super) struct Graph {
    arrows: BTreeMap<String, BTreeMap<String, Place>>,
}

/// Two or more modules that all reach each other.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Component {
    /// In alphabetical order.
    pub(super) modules: Vec<String>,
    /// A shortest cycle among them.
    pub(super) cycle: Vec<Arrow>,
}

/// One module uses another, for example here.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Arrow {
    pub(super) from: String,
    pub(super) to: String,
    pub(super) place: Place,
}

impl Graph {
    /// Adds an arrow; what a module uses of itself is none.
    pub(super) fn add(&mut self, arrow: Arrow) {
        let Arrow { from, to, place } = arrow;
        if from == to {
            return;
        }
        let known = self.arrows.entry(from).or_default().entry(to).or_insert(place.clone());
        if place < *known {
            *known = place;
        }
    }

    /// Every component of more than one module, by its first module.
    pub(super) fn components(&self) -> Vec<Component> {
        let reach: BTreeMap<&str, BTreeSet<&str>> =
            self.arrows.keys().map(|module| (module.as_str(), self.reach(module))).collect();
        let reaches =
            |from: &str, to: &str| reach.get(from).is_some_and(|found| found.contains(to));
        let mut groups: BTreeSet<Vec<&str>> = BTreeSet::new();
        for (&module, reached) in &reach {
            if reached.contains(module) {
                groups.insert(reached.iter().copied().filter(|to| reaches(to, module)).collect());
            }
        }
        groups.iter().map(|modules| self.component(modules)).collect()
    }

    fn component(&self, modules: &[&str]) -> Component {
        let cycles = modules.iter().filter_map(|module| self.way_back(module));
        let shortest = cycles.min_by_key(Vec::len).unwrap_or_default();
        let next = shortest.iter().cycle().skip(1);
        let cycle = shortest.iter().zip(next).filter_map(|(from, to)| self.arrow(from, to));
        Component {
            modules: modules.iter().map(|&module| module.to_owned()).collect(),
            cycle: cycle.collect(),
        }
    }

    fn arrow(&self, from: &str, to: &str) -> Option<Arrow> {
        let place = self.arrows.get(from)?.get(to)?.clone();
        Some(Arrow { from: from.to_owned(), to: to.to_owned(), place })
    }

    /// What `module` uses, directly.
    fn uses(&self, module: &str) -> impl Iterator<Item = &str> {
        self.arrows.get(module).into_iter().flat_map(BTreeMap::keys).map(String::as_str)
    }

    /// What `module` uses, directly or through others.
    fn reach(&self, module: &str) -> BTreeSet<&str> {
        let mut reached = BTreeSet::new();
        let mut open: Vec<&str> = self.uses(module).collect();
        while let Some(next) = open.pop() {
            if reached.insert(next) {
                open.extend(self.uses(next));
            }
        }
        reached
    }

    /// A shortest way from `module` to itself: the modules on it, `module` first.
    fn way_back<'a>(&'a self, module: &'a str) -> Option<Vec<&'a str>> {
        let mut came_from: BTreeMap<&str, &str> = BTreeMap::new();
        let mut open = VecDeque::from([module]);
        while let Some(at) = open.pop_front() {
            for next in self.uses(at) {
                if next == module {
                    return Some(retrace(&came_from, at));
                }
                if !came_from.contains_key(next) {
                    came_from.insert(next, at);
                    open.push_back(next);
                }
            }
        }
        None
    }
}

/// The way that led to `end`, from its start.
fn retrace<'a>(came_from: &BTreeMap<&'a str, &'a str>, end: &'a str) -> Vec<&'a str> {
    let mut way: Vec<&str> =
        std::iter::successors(Some(end), |at| came_from.get(at).copied()).collect();
    way.reverse();
    way
}

#[cfg(test)]
mod tests;
