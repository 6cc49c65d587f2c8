//! Shows the stages of a sandbox as they pass, and how long each took.
//!
//! Invariant: every stage that began is shown once more when it is done, with its time.

use std::time::{Duration, Instant};

use udn_sandbox::{Stage, Watch};

use crate::output;

/// Shows stages, and knows when the first one began.
#[derive(Debug)]
pub(super) struct Stages {
    start: Instant,
}

impl Stages {
    pub(super) fn new() -> Self {
        Self { start: Instant::now() }
    }

    /// How long it is since the start, whatever happened between stages.
    pub(super) fn total(&self) -> Duration {
        self.start.elapsed()
    }
}

/// Shows nothing.
#[derive(Debug)]
pub(super) struct Quiet;

impl Watch for Quiet {
    fn begun(&mut self, _: Stage) {}

    fn done(&mut self, _: Stage, _: Duration) {}
}

impl Watch for Stages {
    fn begun(&mut self, stage: Stage) {
        if output::is_terminal() {
            output::show_progress(format_args!("  … {}", stage.title()));
        }
    }

    fn done(&mut self, stage: Stage, took: Duration) {
        let clear = if output::is_terminal() { "\r\x1b[2K" } else { "" };
        let (title, seconds) = (stage.title(), took.as_secs_f32());
        output::show_progress(format_args!("{clear}  ✓ {title:<62} {seconds:>5.1} s\n"));
    }
}
