//! Waits for a condition, never for an amount of time.
//!
//! Reads a check that may answer; returns the answer, or [`TimedOut`] once the limit has passed.
//! Invariant: this is the only place in the crate that sleeps.

use std::thread;
use std::time::{Duration, Instant};

/// How long to rest between two checks: short enough not to be felt, long enough to be free.
const PAUSE: Duration = Duration::from_millis(20);

/// A condition that did not come true in time.
#[derive(Debug, Clone, thiserror::Error)]
#[error("waited {limit:?} in vain for {what}")]
pub struct TimedOut {
    /// What was waited for, as a noun phrase.
    pub what: String,
    /// How long it was given.
    pub limit: Duration,
}

/// Repeats `check` until it answers, at most for `limit`; it runs at least once.
pub fn wait_for<T>(
    what: &str,
    limit: Duration,
    mut check: impl FnMut() -> Option<T>,
) -> Result<T, TimedOut> {
    let deadline = Instant::now() + limit;
    loop {
        if let Some(answer) = check() {
            return Ok(answer);
        }
        if Instant::now() >= deadline {
            return Err(TimedOut { what: what.to_owned(), limit });
        }
        thread::sleep(PAUSE);
    }
}
