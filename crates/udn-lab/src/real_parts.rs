//! Writes down which real servers a test program started, for whoever asks by a variable.
//!
//! Reads `UDN_REAL_PARTS`, the name of a file; appends one line for each server: the server, the
//! crate whose tests cargo runs, and the program that started it, with tabs between.
//! Invariant: a line is written in one piece, so that programs side by side do not mix theirs.

use std::env;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

#[cfg(test)]
mod tests;

/// The variable that names the file.
const VARIABLE: &str = "UDN_REAL_PARTS";

/// Writes down that `daemon` was started; its first word is the server.
pub(crate) fn note(daemon: &str) -> io::Result<()> {
    let Some(path) = env::var_os(VARIABLE) else { return Ok(()) };
    // Cargo tells it to the tests it runs, and they hand it on to the programs they start.
    let owner = env::var("CARGO_PKG_NAME").unwrap_or_default();
    append(Path::new(&path), daemon, &owner, &env::current_exe()?)
}

fn append(path: &Path, daemon: &str, owner: &str, program: &Path) -> io::Result<()> {
    let server = daemon.split(' ').next().unwrap_or(daemon);
    let line = format!("{server}\t{owner}\t{}\n", program.display());
    File::options().create(true).append(true).open(path)?.write_all(line.as_bytes())
}
