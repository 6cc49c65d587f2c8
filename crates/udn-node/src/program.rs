//! A program of the host that somebody else installed, and how it is run.
//!
//! Reads a path, arguments and an environment; returns what the program printed.
//! Invariant: a failure carries what the program said, and a run that is awaited ends in time.

use std::ffi::OsString;
use std::io;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::process::Child;
use tokio::time::timeout;

#[cfg(test)]
mod tests;

/// Sets what becomes of a program when its parent is gone, and becomes the program; of util-linux.
const BINDER: &str = "setpriv";

/// How long a program may take.
const LIMIT: Duration = Duration::from_secs(30);

/// How a program is called, to be completed with arguments.
///
/// Programs may live in a folder of their own and need a loader and an environment, so a whole
/// command is handed in, not a name.
#[derive(Debug, Clone)]
pub struct Program {
    program: OsString,
    arguments: Vec<OsString>,
    environment: Vec<(OsString, OsString)>,
}

/// Why a program gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    #[error("could not run `{line}`")]
    Start { line: String, source: io::Error },
    #[error("`{line}` did not end within {LIMIT:?}")]
    TooSlow { line: String },
    #[error("`{line}` failed: {complaint}")]
    Failed { line: String, complaint: String },
}

impl Program {
    /// A program by its name or path.
    pub fn new(program: impl Into<OsString>) -> Self {
        Self { program: program.into(), arguments: Vec::new(), environment: Vec::new() }
    }

    /// A variable of its environment: one that was set on purpose, or this process's own, which it
    /// inherits.
    pub(crate) fn variable(&self, key: &str) -> Option<OsString> {
        let found = self.environment.iter().find(|(name, _)| name == key);
        found.map(|(_, value)| value.clone()).or_else(|| std::env::var_os(key))
    }

    /// Runs it to its end with something to read; returns what it printed.
    ///
    /// `successes` are the exit codes that are no failure.
    pub(crate) async fn run(
        &self,
        arguments: &[&str],
        input: &str,
        successes: &[i32],
    ) -> Result<String, ProgramError> {
        let line = self.line(arguments);
        let mut command = tokio::process::Command::from(self.command(arguments));
        command.stdin(Stdio::piped()).kill_on_drop(true);
        let work = async {
            let mut child = command.spawn()?;
            let mut stdin = child.stdin.take().expect("the input was asked for above");
            let write = async {
                // A program that ends without reading everything has said why.
                let _ = stdin.write_all(input.as_bytes()).await;
                drop(stdin);
            };
            let ((), output) = tokio::join!(write, child.wait_with_output());
            output
        };
        match timeout(LIMIT, work).await {
            Ok(Ok(output)) => judge(line, &output, successes),
            Ok(Err(source)) => Err(ProgramError::Start { line, source }),
            Err(_) => Err(ProgramError::TooSlow { line }),
        }
    }

    /// Starts it, to be read from while it runs: what it complains of comes on a pipe. It ends when the
    /// child is dropped, and with this process, however that ends.
    pub(crate) fn follow(&self, arguments: &[&str]) -> Result<Child, ProgramError> {
        let start = |command: Command| {
            let mut command = tokio::process::Command::from(command);
            command.stdin(Stdio::null()).stdout(Stdio::null()).kill_on_drop(true);
            command.spawn()
        };
        let started = match start(self.bound(arguments)) {
            // Then it may outlive a crash of ours, until it next has something to say.
            Err(error) if error.kind() == io::ErrorKind::NotFound => start(self.command(arguments)),
            started => started,
        };
        started.map_err(|source| ProgramError::Start { line: self.line(arguments), source })
    }

    /// The command by which the kernel kills the program as soon as this process is gone; strictly, the
    /// thread that started it, but the threads of a runtime live as long as that.
    fn bound(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(BINDER);
        command.args(["--pdeathsig", "KILL", "--"]).arg(&self.program);
        self.complete(&mut command, arguments);
        command
    }

    /// Runs it to its end on this very thread, and so in this thread's network namespace.
    pub(crate) fn run_here(&self, arguments: &[&str]) -> Result<String, ProgramError> {
        let line = self.line(arguments);
        match self.command(arguments).stdin(Stdio::null()).output() {
            Ok(output) => judge(line, &output, &[0]),
            Err(source) => Err(ProgramError::Start { line, source }),
        }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        self.complete(&mut command, arguments);
        command
    }

    /// Adds what follows the program's name.
    fn complete(&self, command: &mut Command, arguments: &[&str]) {
        command.args(&self.arguments).args(arguments);
        command.envs(self.environment.iter().map(|(key, value)| (key, value)));
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
    }

    /// The command line without what leads to the program, for people.
    fn line(&self, arguments: &[&str]) -> String {
        let program = self.arguments.last().unwrap_or(&self.program);
        format!("{} {}", program.to_string_lossy(), arguments.join(" "))
    }
}

impl From<&Command> for Program {
    fn from(command: &Command) -> Self {
        let environment = command.get_envs().filter_map(|(key, value)| Some((key, value?)));
        Self {
            program: command.get_program().to_owned(),
            arguments: command.get_args().map(OsString::from).collect(),
            environment: environment.map(|(key, value)| (key.into(), value.into())).collect(),
        }
    }
}

fn judge(line: String, output: &Output, successes: &[i32]) -> Result<String, ProgramError> {
    if output.status.code().is_some_and(|code| successes.contains(&code)) {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    let complaint = if said.is_empty() { output.status.to_string() } else { said };
    Err(ProgramError::Failed { line, complaint })
}
