//! Shows the steps of a start that happen side by side, and how long each took.
//!
//! Reads what a rig tells from several threads; prints one line for each step that is done, and on a
//! terminal a last line, written over, of what is under way.
//! Invariant: a step that is done is shown once.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use udn_lab::progress::Progress;

use crate::output;

/// How many letters of what is under way are shown: a line that wraps could not be written over.
const WIDTH: usize = 76;

/// Shows steps.
#[derive(Debug)]
pub(super) struct Steps {
    start: Instant,
    is_terminal: bool,
    /// What is under way, with how far it is.
    open: Mutex<BTreeMap<String, String>>,
}

impl Steps {
    pub(super) fn new() -> Self {
        Self {
            start: Instant::now(),
            is_terminal: output::is_terminal(),
            open: Mutex::new(BTreeMap::new()),
        }
    }

    /// How long it is since the start.
    pub(super) fn total(&self) -> Duration {
        self.start.elapsed()
    }

    /// Forgets what is under way, so that something else can be printed.
    pub(super) fn clear(&self) {
        self.open().clear();
        self.show(&BTreeMap::new(), "");
    }

    fn open(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Prints a line, and again what is under way.
    fn show(&self, open: &BTreeMap<String, String>, line: &str) {
        if !self.is_terminal {
            return output::show_progress(line);
        }
        output::show_progress(format_args!("\r\x1b[2K{line}{}", under_way(open)));
    }
}

impl Progress for Steps {
    fn begun(&self, step: &str) {
        let mut open = self.open();
        open.insert(step.to_owned(), String::new());
        self.show(&open, "");
    }

    fn reached(&self, step: &str, detail: &str) {
        let mut open = self.open();
        open.insert(step.to_owned(), detail.to_owned());
        self.show(&open, "");
    }

    fn done(&self, step: &str, took: Duration) {
        let mut open = self.open();
        open.remove(step);
        self.show(&open, &format!("  ✓ {step:<62} {:>5.1} s\n", took.as_secs_f32()));
    }
}

fn under_way(open: &BTreeMap<String, String>) -> String {
    let mut text = String::new();
    for (step, detail) in open {
        text.push_str(if text.is_empty() { "  … " } else { "; " });
        text.push_str(step);
        if !detail.is_empty() {
            let _ = write!(text, ": {detail}");
        }
    }
    match text.char_indices().nth(WIDTH) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests;
