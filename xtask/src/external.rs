//! Runs other programs: their output straight to the user, or line by line through us.
//!
//! Reads a [`Command`]; returns a [`Verdict`]. Invariant: never waits for a process that the
//! program left behind, even if it still holds the output open.

use std::io::{BufRead, BufReader, PipeReader};
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use anyhow::{Context, Result};

use crate::verdict::Verdict;

/// How long a program's output may stay open and silent after the program itself ended.
const GRACE: Duration = Duration::from_secs(2);

/// Runs the program with the user's own terminal.
pub(crate) fn run(mut command: Command) -> Result<Verdict> {
    let status = command.status().with_context(|| format!("starting {}", name(&command)))?;
    Ok(Verdict::from_good(status.success()))
}

/// Runs the program and hands over each line of its output, both streams in the order written.
pub(crate) fn stream(command: Command, each: impl FnMut(&str)) -> Result<Verdict> {
    stream_within(GRACE, command, each)
}

/// Runs the program and hands over each line of its answer; what it says besides goes to the user.
pub(crate) fn stream_answers(mut command: Command, mut each: impl FnMut(&str)) -> Result<Verdict> {
    let (reader, writer) = std::io::pipe().context("making a pipe")?;
    command.stdout(writer);
    let child = command.spawn().with_context(|| format!("starting {}", name(&command)))?;
    drop(command); // as below
    follow(GRACE, child, &read_lines(reader), &mut each)
}

fn stream_within(
    grace: Duration,
    mut command: Command,
    mut each: impl FnMut(&str),
) -> Result<Verdict> {
    let (reader, writer) = std::io::pipe().context("making a pipe")?;
    command.stdout(writer.try_clone().context("making a pipe")?).stderr(writer);
    let child = command.spawn().with_context(|| format!("starting {}", name(&command)))?;
    drop(command); // it holds our copy of the writing end, which would keep the pipe open
    follow(grace, child, &read_lines(reader), &mut each)
}

fn follow(
    grace: Duration,
    mut child: Child,
    lines: &Receiver<String>,
    each: &mut impl FnMut(&str),
) -> Result<Verdict> {
    loop {
        match lines.recv_timeout(grace) {
            Ok(line) => each(&line),
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                if child.try_wait().context("waiting for a program")?.is_some() {
                    each("warning: a process was left behind and still holds the output open");
                    break;
                }
            }
        }
    }
    let status = child.wait().context("waiting for a program")?;
    Ok(Verdict::from_good(status.success()))
}

fn read_lines(reader: PipeReader) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut reader = BufReader::new(reader);
        let mut line = Vec::new();
        while matches!(reader.read_until(b'\n', &mut line), Ok(length) if length > 0) {
            let text = String::from_utf8_lossy(&line);
            if sender.send(text.trim_end_matches(['\r', '\n']).to_owned()).is_err() {
                return;
            }
            line.clear();
        }
    });
    receiver
}

fn name(command: &Command) -> String {
    command.get_program().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests;
