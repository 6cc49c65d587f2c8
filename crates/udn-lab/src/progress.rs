//! Who hears what a rig does while it starts, because people do not like to wait in the dark.
//!
//! Reads the names of steps; returns what came of each.
//! Invariant: a step that failed is begun and never done; several may be under way at once.

use std::fmt;
use std::time::{Duration, Instant};

/// Hears of steps, from several threads.
pub trait Progress: fmt::Debug + Send + Sync {
    /// A step begins.
    fn begun(&self, step: &str);
    /// How far a step is that may take long.
    fn reached(&self, step: &str, detail: &str);
    /// A step is done, and took so long.
    fn done(&self, step: &str, took: Duration);
}

/// Hears nothing.
#[derive(Debug, Clone, Copy)]
pub struct Silent;

impl Progress for Silent {
    fn begun(&self, _: &str) {}

    fn reached(&self, _: &str, _: &str) {}

    fn done(&self, _: &str, _: Duration) {}
}

/// Does the work of a step, with somebody listening.
pub fn told<T, E>(
    progress: &dyn Progress,
    step: &str,
    work: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    progress.begun(step);
    let begun = Instant::now();
    let outcome = work()?;
    progress.done(step, begun.elapsed());
    Ok(outcome)
}
