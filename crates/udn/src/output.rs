//! Standard output and standard error: the one place where every command prints.
//!
//! Takes texts; returns [`ReaderLeft`] where nobody reads them any more.
//! Invariant: no text that cannot be printed makes the program panic. A command whose reader leaves,
//! as `head` does, ends with [`READER_LEFT`] and says nothing.

use std::error::Error;
use std::fmt;
use std::io::{self, IsTerminal, Write};

/// The exit code of a command whose reader left: what shells show of a program that SIGPIPE ended.
///
/// It is neither 0 nor 1, because whether all is well was not told to the end.
pub(crate) const READER_LEFT: u8 = 141;

/// Nobody reads standard output any more.
#[derive(Debug)]
pub(crate) struct ReaderLeft;

impl fmt::Display for ReaderLeft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("nobody reads the output any more")
    }
}

impl Error for ReaderLeft {}

/// Prints a text as it is.
pub(crate) fn print(text: impl fmt::Display) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    write!(out, "{text}").and_then(|()| out.flush()).map_err(failure)
}

/// Prints a line.
pub(crate) fn print_line(line: impl fmt::Display) -> anyhow::Result<()> {
    print(format_args!("{line}\n"))
}

/// Shows how far the work is; whoever does not look is told by what is printed next.
pub(crate) fn show_progress(text: impl fmt::Display) {
    let _ = print(text);
}

/// Whether progress is looked at by a person, and may be written over.
pub(crate) fn is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Says a line on standard error; there is nowhere to say that it could not be said.
pub(crate) fn complain(line: impl fmt::Display) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// What it means that standard output takes no more.
pub(crate) fn failure(error: io::Error) -> anyhow::Error {
    match error.kind() {
        io::ErrorKind::BrokenPipe => ReaderLeft.into(),
        _ => anyhow::Error::new(error).context("cannot print"),
    }
}
