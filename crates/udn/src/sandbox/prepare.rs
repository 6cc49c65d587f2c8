//! Whether a sandbox can run here, and what has to be installed first.
//!
//! Invariant: what is missing is one sentence that ends with what to do.

use std::time::Instant;

use anyhow::{Context, Result, bail};
use nix::unistd::Uid;
use udn_lab::setup::{Part, Progress, Setup, State};

use crate::output;

/// What can be done on any machine.
const WITHOUT: &str =
    "`udn explain -f examples/first-light` shows what would be built, without root or OVN";

/// What every sandbox needs.
pub(super) const PARTS: &[Part] = &[Part::HostPackages, Part::OvnRoot];

/// Makes sure that everything is there; installs or builds it into the user's cache the first time.
pub(super) fn prepare(parts: &[Part]) -> Result<()> {
    if !Uid::effective().is_root() {
        bail!(
            "the sandbox needs root to make network namespaces; run it with sudo, or try this: {WITHOUT}"
        );
    }
    let setup = Setup::here()?;
    let mut is_new = false;
    for part in parts.iter().copied() {
        match setup.state(part) {
            State::Ready => continue,
            State::Impossible { reason } => {
                bail!("the sandbox needs {part}, which cannot be had here: {reason}; {WITHOUT}");
            }
            State::Missing => {}
        }
        is_new = true;
        let start = Instant::now();
        let made = setup.make(part, &mut |progress| show(progress, start));
        made.with_context(|| {
            format!(
                "the sandbox needs {part}, which could not be downloaded or built; the next start \
                 tries again, and {WITHOUT}"
            )
        })?;
    }
    if is_new {
        output::print_line("set-up done; the next start skips it")?;
    }
    Ok(())
}

/// One line that is written over while a part is being made.
fn show(progress: Progress<'_>, start: Instant) {
    let is_terminal = output::is_terminal();
    match progress {
        Progress::Begun { part } => {
            output::show_progress(format_args!("set-up: {part} (only the first time)\n"));
        }
        Progress::Line { text, .. } if is_terminal => {
            let text: String = text.chars().take(70).collect();
            let seconds = start.elapsed().as_secs_f32();
            output::show_progress(format_args!("\r\x1b[2K  {seconds:>4.0} s  {text}"));
        }
        Progress::Line { .. } => {}
        Progress::Done { part, took } => {
            let clear = if is_terminal { "\r\x1b[2K" } else { "" };
            let seconds = took.as_secs_f32();
            output::show_progress(format_args!("{clear}  {part} ready after {seconds:.0} s\n"));
        }
    }
}
