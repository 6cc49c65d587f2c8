//! Runs one test program until it ends, or until its time is over.
//!
//! Reads a [`Command`]; returns its lines and how it ended. Invariant: a program that is ended is
//! ended with the whole of its own process group, and nothing else is.

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// How long a program may go on printing after it ended, through a process it left behind.
const GRACE: Duration = Duration::from_secs(2);

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Passed,
    Failed,
    /// It was ended at the deadline, and so says nothing.
    OutOfTime,
}

/// Runs the program, and hands over each line as it comes.
pub(crate) fn run(
    mut command: Command,
    deadline: Instant,
    mut each: impl FnMut(&str),
) -> Result<End> {
    let (reader, writer) = std::io::pipe().context("making a pipe")?;
    command.stdout(writer.try_clone().context("making a pipe")?).stderr(writer);
    let mut child = command.process_group(0).spawn().context("starting a test program")?;
    drop(command); // it holds our copy of the writing end
    let (sender, lines) = channel();
    thread::spawn(move || {
        let mut reader = BufReader::new(reader);
        let mut line = Vec::new();
        while matches!(reader.read_until(b'\n', &mut line), Ok(length) if length > 0) {
            if sender.send(String::from_utf8_lossy(&line).trim_end().to_owned()).is_err() {
                return;
            }
            line.clear();
        }
    });
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        match lines.recv_timeout(left.min(GRACE)) {
            Ok(line) => each(&line),
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                if child.try_wait().context("waiting for a test program")?.is_some() {
                    break;
                }
            }
        }
        if Instant::now() >= deadline {
            end_group(child.id())?;
            child.wait().context("waiting for a test program")?;
            return Ok(End::OutOfTime);
        }
    }
    let status = child.wait().context("waiting for a test program")?;
    Ok(if status.success() { End::Passed } else { End::Failed })
}

/// Ends the group that the program leads.
fn end_group(leader: u32) -> Result<()> {
    let group = format!("-{leader}");
    Command::new("kill").args(["-KILL", "--", &group]).status().context("starting kill")?;
    Ok(())
}

#[cfg(test)]
mod tests;
