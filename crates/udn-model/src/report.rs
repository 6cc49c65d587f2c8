//! What came of a reconcile.
//!
//! Invariant: a report tells everything the reconcile found and everything it wrote.

use serde::Serialize;

use crate::finding::Findings;

/// How much a commit wrote.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Receipt {
    pub inserted: usize,
    pub updated: usize,
    /// Rows that left their lists, and root rows that were deleted.
    pub removed: usize,
    pub transactions: usize,
}

/// The outcome of a reconcile.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    pub findings: Findings,
    pub receipt: Receipt,
}

impl Receipt {
    /// Whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.inserted + self.updated + self.removed == 0
    }

    /// Both together.
    pub fn plus(self, other: Self) -> Self {
        Self {
            inserted: self.inserted + other.inserted,
            updated: self.updated + other.updated,
            removed: self.removed + other.removed,
            transactions: self.transactions + other.transactions,
        }
    }
}
