//! One server program: started, waited for, ended, and its log shown when a test fails.
//!
//! Reads a prepared [`Command`]; returns a running [`Daemon`] whose output goes to a log file.
//! Invariant: the program runs its first instruction only after the janitor knows it.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use crate::janitor::{Janitor, JanitorError};
use crate::proc_stat::Stat;
use crate::real_parts;
use crate::run::wrap;
use crate::wait::{TimedOut, wait_for};

#[cfg(test)]
mod tests;

/// How long a server may take to be ready: generous, for a machine that does much else besides.
pub const READY_LIMIT: Duration = Duration::from_secs(60);
/// How long a server may take to end when asked.
const STOP_LIMIT: Duration = Duration::from_secs(20);
/// How long the rest of a killed group may take to be gone.
const GROUP_LIMIT: Duration = Duration::from_secs(5);
/// How many lines of a log are enough to see what went wrong.
const TAIL: usize = 40;

/// Why a server does not run.
#[derive(Debug, thiserror::Error)]
pub enum DaemonError {
    #[error("could not start {name}")]
    Start { name: String, source: io::Error },
    #[error("could not put {name} into the janitor's care")]
    Care { name: String, source: JanitorError },
    #[error("{name} ended before it was ready ({status}); its log ends with\n{log}")]
    Ended { name: String, status: ExitStatus, log: String },
    #[error("{name} was not ready in time; its log ends with\n{log}")]
    NotReady { name: String, log: String, source: TimedOut },
}

/// A running server program.
#[derive(Debug)]
pub struct Daemon {
    name: String,
    child: Child,
    log: PathBuf,
}

impl Daemon {
    /// Starts `command` in a group of its own, appending all it prints to `log`.
    pub fn start(
        janitor: &Janitor,
        name: &str,
        command: &Command,
        log: &Path,
    ) -> Result<Self, DaemonError> {
        let failed = |source| DaemonError::Start { name: name.to_owned(), source };
        let out = File::options().create(true).append(true).open(log).map_err(failed)?;
        let err = out.try_clone().map_err(failed)?;
        let child = start_gated(janitor, command, out.into(), err.into());
        let child = child.map_err(|error| error.named(name))?;
        let daemon = Self { name: name.to_owned(), child, log: log.to_owned() };
        real_parts::note(name).map_err(failed)?;
        Ok(daemon)
    }

    /// Waits until `check` answers, and gives up early when the program ends.
    pub fn wait_ready<T>(
        &mut self,
        mut check: impl FnMut() -> Option<T>,
    ) -> Result<T, DaemonError> {
        let child = &mut self.child;
        let outcome = wait_for(&self.name, READY_LIMIT, || match child.try_wait() {
            Ok(Some(status)) => Some(Err(status)),
            Ok(None) | Err(_) => check().map(Ok),
        });
        let name = self.name.clone();
        match outcome {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(status)) => Err(DaemonError::Ended { name, status, log: self.log_tail() }),
            Err(source) => Err(DaemonError::NotReady { name, log: self.log_tail(), source }),
        }
    }

    /// The number of the running program.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Whether the program still runs.
    pub fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Where its output goes.
    pub fn log(&self) -> &Path {
        &self.log
    }

    /// Ends the program at once, as a crash would, with all of its group.
    pub fn kill(&mut self) {
        if self.is_running() {
            // An error means that it ended by itself just now.
            let _ = killpg(self.group(), Signal::SIGKILL);
            let _ = self.child.wait();
            // What a program held, such as a port, is free only once the last of its group is gone.
            let _ = wait_for("the group's end", GROUP_LIMIT, || self.is_group_gone().then_some(()));
        }
    }

    /// Asks the program to end, with all of its group, and insists when it does not.
    ///
    /// The whole group, because what leads it may only be the way into a namespace.
    pub fn stop(&mut self) {
        if !self.is_running() {
            return;
        }
        let _ = killpg(self.group(), Signal::SIGTERM);
        let ended = || (!self.is_running() && self.is_group_gone()).then_some(());
        if wait_for("the end", STOP_LIMIT, ended).is_err() {
            // Somebody of the group is left, so its number cannot belong to anybody else.
            let _ = killpg(self.group(), Signal::SIGKILL);
            let _ = self.child.wait();
        }
    }

    /// The last lines it printed.
    pub fn log_tail(&self) -> String {
        let bytes = fs::read(&self.log).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(TAIL)..].join("\n")
    }

    fn group(&self) -> Pid {
        Pid::from_raw(i32::try_from(self.child.id()).expect("a pid fits into pid_t"))
    }

    /// Whether no program of the group is left, but for those that wait to be noticed.
    fn is_group_gone(&self) -> bool {
        let group = self.child.id();
        let left = |stat: &Stat| stat.group == group && !stat.is_zombie;
        killpg(self.group(), None).is_err() || !Stat::all().is_ok_and(|all| all.iter().any(left))
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        self.kill();
        if thread::panicking() {
            eprintln!("--- the log of {} ends with\n{}", self.name, self.log_tail());
        }
    }
}

/// A start that failed, before it is known by which name.
#[derive(Debug)]
pub(crate) enum GateError {
    Start(io::Error),
    Care(JanitorError),
}

impl GateError {
    pub(crate) fn named(self, name: &str) -> DaemonError {
        let name = name.to_owned();
        match self {
            Self::Start(source) => DaemonError::Start { name, source },
            Self::Care(source) => DaemonError::Care { name, source },
        }
    }
}

/// Starts a program behind a gate that opens once the janitor knows it.
///
/// A small shell waits for one line before it becomes the program. If we die before we send it,
/// the shell sees the end of the pipe and goes away, so no moment is left uncared for.
pub(crate) fn start_gated(
    janitor: &Janitor,
    command: &Command,
    out: Stdio,
    err: Stdio,
) -> Result<Child, GateError> {
    let mut gate = gated(command);
    let child = gate.stdin(Stdio::piped()).stdout(out).stderr(err).process_group(0).spawn();
    let mut child = child.map_err(GateError::Start)?;
    if let Err(error) = janitor.owe_program(child.id()) {
        drop(child.stdin.take());
        let _ = child.wait();
        return Err(GateError::Care(error));
    }
    let opened = child.stdin.take().map_or(Ok(()), |mut gate| gate.write_all(b"\n"));
    opened.map_err(GateError::Start)?;
    Ok(child)
}

fn gated(command: &Command) -> Command {
    let mut gate = Command::new("/bin/sh");
    gate.args(["-c", "read -r open && exec \"$@\" < /dev/null", "udn-gate"]);
    wrap(gate, command)
}
