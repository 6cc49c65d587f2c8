//! Steps that a run may take in all, whatever they cost.
//!
//! The server's costs do not see all work: comparing two deep lists costs as much as comparing
//! their lengths. Fuel bounds the rest.
//! Invariant: steps taken only grow; a run that took too many ends as one that cost too much.

use std::cell::Cell;

use super::error::Error;

/// Far above what any rule of sensible size needs, and about a second's work.
const MOST_STEPS: u64 = 100_000_000;

/// What is left of the steps of one run.
#[derive(Debug)]
pub(super) struct Fuel(Cell<u64>);

impl Fuel {
    pub(super) fn new() -> Self {
        Self(Cell::new(MOST_STEPS))
    }

    pub(super) fn burn(&self, steps: usize) -> Result<(), Error> {
        let left = self.0.get().checked_sub(steps as u64 + 1).ok_or(Error::CostExceeded)?;
        self.0.set(left);
        Ok(())
    }
}
