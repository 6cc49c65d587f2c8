//! Shows the stages of a sandbox as they pass, and how long each took.
//!
//! Invariant: every stage that began is shown once more when it is done, with its time.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use udn_sandbox::{Stage, Watch};

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
        if io::stdout().is_terminal() {
            print!("  … {}", stage.title());
            // A terminal that takes no text is of no concern to the sandbox.
            let _ = io::stdout().flush();
        }
    }

    fn done(&mut self, stage: Stage, took: Duration) {
        let clear = if io::stdout().is_terminal() { "\r\x1b[2K" } else { "" };
        println!("{clear}  ✓ {:<62} {:>5.1} s", stage.title(), took.as_secs_f32());
    }
}
