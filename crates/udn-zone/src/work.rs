//! What is compared and committed together, and how much of it.
//!
//! Invariant: all rows of a network, and all that it left behind, are one work item, so that two
//! transactions about the same rows are never under way at once.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use udn_blueprint::names::Prefix;
use udn_model::Part;

#[cfg(test)]
mod tests;

/// One unit of work.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum WorkItem {
    /// What all networks share: networks refer to it, so it comes first.
    Shared,
    /// The chassis of other nodes, in the southbound database.
    Southbound,
    /// A network, or what is left of it, by what its names in OVN begin with.
    Network(Prefix),
}

/// How much of a work item is drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Extent {
    /// Everything, and whatever else stands in its name.
    Whole,
    Parts(BTreeSet<Part>),
}

/// The work items that something touches.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Touched(pub BTreeMap<WorkItem, Extent>);

impl Touched {
    /// All of a work item.
    pub fn whole(&mut self, item: WorkItem) {
        self.0.insert(item, Extent::Whole);
    }

    /// One part of a network, or what all share.
    pub fn part(&mut self, part: Part) {
        let Some(network) = part.network() else { return self.whole(WorkItem::Shared) };
        let item = WorkItem::Network(Prefix::of(network));
        match self.0.entry(item).or_insert_with(|| Extent::Parts(BTreeSet::new())) {
            Extent::Whole => {}
            Extent::Parts(parts) => {
                parts.insert(part);
            }
        }
    }

    /// These too.
    pub fn append(&mut self, other: Self) {
        for (item, extent) in other.0 {
            match extent {
                Extent::Whole => self.whole(item),
                Extent::Parts(parts) => parts.into_iter().for_each(|part| self.part(part)),
            }
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for WorkItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shared => f.write_str("what networks share"),
            Self::Southbound => f.write_str("chassis of other nodes"),
            Self::Network(prefix) => match prefix.as_str().trim_end_matches('_') {
                "" => f.write_str("the default network"),
                name => write!(f, "network {name}"),
            },
        }
    }
}
