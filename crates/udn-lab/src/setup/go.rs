//! Builds Go programs from one of the small modules under `tools`.
//!
//! Reads the module's folder; returns once the programs lie in the folder asked for.
//! Invariant: what is built depends on the module's own files alone.

use std::path::Path;
use std::process::Command;

use crate::janitor::Janitor;
use crate::setup::SetupError;
use crate::setup::work::{Lines, perform};

/// What is to be built.
#[derive(Debug, Clone, Copy)]
pub(super) struct Build<'a> {
    /// The folder of the module.
    pub(super) module: &'a Path,
    /// The packages of its programs.
    pub(super) packages: &'a [&'a str],
    /// More flags for the linker.
    pub(super) linker_flags: &'a str,
    /// Whether the programs may use C libraries of this host.
    pub(super) with_c: bool,
}

/// Builds the programs into the folder `target`, or a single one into that file.
pub(super) fn build(
    janitor: &Janitor,
    wanted: Build<'_>,
    target: &Path,
    lines: Lines<'_>,
) -> Result<(), SetupError> {
    let command = go(wanted, &["build"], target);
    perform(janitor, &command, lines)
}

/// Builds the tests of a package into the file `target`.
pub(super) fn build_test(
    janitor: &Janitor,
    wanted: Build<'_>,
    target: &Path,
    lines: Lines<'_>,
) -> Result<(), SetupError> {
    let command = go(wanted, &["test", "-c"], target);
    perform(janitor, &command, lines)
}

fn go(wanted: Build<'_>, verb: &[&str], target: &Path) -> Command {
    let mut command = Command::new("go");
    command.current_dir(wanted.module);
    // Neither a workspace file around us nor a wish to update has a say in what is built.
    command.env("GOWORK", "off").args(verb).arg("-mod=readonly");
    if !wanted.with_c {
        command.env("CGO_ENABLED", "0");
    }
    // `-v` names each package as it is compiled: minutes of silence would look like a hang.
    let linker_flags = format!("-s -w {}", wanted.linker_flags);
    command.args(["-v", "-trimpath", "-ldflags", linker_flags.trim_end(), "-o"]);
    command.arg(target).args(wanted.packages);
    command
}
