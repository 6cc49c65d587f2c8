//! Runs a program to its end and returns what it printed.
//!
//! Reads a prepared [`Command`]; returns its standard output as text.
//! Invariant: a failure carries the command line and everything the program said on standard error.

use std::env;
use std::io;
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};

/// Why a program gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// It could not be started at all.
    #[error("could not start `{command}`")]
    Start { command: String, source: io::Error },
    /// It ran and reported failure.
    #[error("`{command}` ended with {status}: {complaint}")]
    Failed { command: String, status: ExitStatus, complaint: String },
}

/// Runs `command` to its end and returns its standard output without trailing white space.
pub fn run(command: &mut Command) -> Result<String, RunError> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|source| RunError::Start { command: line(command), source })?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned());
    }
    let complaint = String::from_utf8_lossy(&output.stderr).trim_end().to_owned();
    Err(RunError::Failed { command: line(command), status: output.status, complaint })
}

/// The command line as a person would type it.
pub fn line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// The file that the host's `PATH` has for a program.
pub fn on_path(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    // An ordinary user's path often lacks the folders of system programs.
    let folders = env::split_paths(&path).chain(["/usr/sbin".into(), "/sbin".into()]);
    folders.map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// Makes `inner` the arguments of `outer`, which runs it in turn, with its environment and folder.
pub fn wrap(mut outer: Command, inner: &Command) -> Command {
    outer.arg(inner.get_program());
    complete(outer, inner)
}

/// The same command once more, without what was said about its input and output.
pub fn copy(command: &Command) -> Command {
    complete(Command::new(command.get_program()), command)
}

fn complete(mut outer: Command, inner: &Command) -> Command {
    outer.args(inner.get_args());
    for (key, value) in inner.get_envs() {
        match value {
            Some(value) => outer.env(key, value),
            None => outer.env_remove(key),
        };
    }
    if let Some(folder) = inner.get_current_dir() {
        outer.current_dir(folder);
    }
    outer
}
