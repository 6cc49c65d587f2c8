//! Which real servers the programs of a shelf started, as the lab wrote it down.
//!
//! Reads the lines that `udn-lab` appends to the file named by [`VARIABLE`]; returns the servers by
//! crate. Invariant: a server that nobody wrote down did not run.

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The variable by which the lab learns where to write.
pub(crate) const VARIABLE: &str = "UDN_REAL_PARTS";

/// The servers by the crate whose tests started them.
pub(crate) type Servers = BTreeMap<String, BTreeSet<String>>;

/// An empty file for one shelf.
pub(crate) fn begin(folder: &Path, shelf: &str) -> Result<PathBuf> {
    let path = folder.join(format!("real-parts-{shelf}"));
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(&path, ""))
        .with_context(|| format!("writing {}", path.display()))?;
    Ok(path)
}

/// What was written since.
pub(crate) fn read(path: &Path) -> Result<Servers> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(parse(&text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Servers::new()),
        Err(error) => Err(error).with_context(|| format!("reading {}", path.display())),
    }
}

/// Lines of server, crate and the program that started it, with tabs between.
fn parse(text: &str) -> Servers {
    let mut servers = Servers::new();
    for line in text.lines() {
        let mut words = line.split('\t');
        let (Some(server), Some(owner)) = (words.next(), words.next()) else { continue };
        servers.entry(owner.to_owned()).or_default().insert(server.to_owned());
    }
    servers
}

#[cfg(test)]
mod tests;
