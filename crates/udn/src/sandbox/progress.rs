//! Shows the stages of a sandbox as they pass, and remembers how long they took.
//!
//! Invariant: every stage that began is shown once more when it is done, with its time.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use udn_sandbox::{Stage, Watch};

/// The stages so far.
#[derive(Debug, Default)]
pub(super) struct Stages {
    pub(super) times: Vec<(Stage, Duration)>,
}

impl Stages {
    pub(super) fn total(&self) -> Duration {
        self.times.iter().map(|(_, took)| *took).sum()
    }
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
        self.times.push((stage, took));
    }
}
