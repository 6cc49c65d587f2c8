//! Whether a command or a step found everything in order.
//!
//! Invariant: an error of the machine (a program that cannot be started) is an `Err`, no verdict.

use std::process::ExitCode;

/// What a command, a step or a shelf came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Pass,
    /// Could not be checked here, which has been said; no reason to stop.
    Unchecked,
    Fail,
}

impl Verdict {
    /// Passes when `good` holds.
    pub(crate) fn from_good(good: bool) -> Self {
        if good { Self::Pass } else { Self::Fail }
    }

    pub(crate) fn is_fail(self) -> bool {
        self == Self::Fail
    }
}

impl From<Verdict> for ExitCode {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Pass | Verdict::Unchecked => ExitCode::SUCCESS,
            Verdict::Fail => ExitCode::FAILURE,
        }
    }
}
