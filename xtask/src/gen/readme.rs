//! Writes the line of the README that tells how many requirements are proven.
//!
//! Reads the register, the proofs and the README; returns the README with that line renewed.
//! Invariant: nothing outside the two markers changes.

use anyhow::{Context, Result, ensure};

use super::GeneratedFile;
use crate::requirements::Evidence;
use crate::text_file;
use crate::workspace::Workspace;

const README: &str = "README.md";
const START: &str = "<!-- requirements -->";
const END: &str = "<!-- /requirements -->";

/// The README with the counter renewed.
pub(crate) fn write(workspace: &Workspace) -> Result<Vec<GeneratedFile>> {
    let evidence = Evidence::read(&text_file::read_all(&workspace.root)?)?;
    let text = renew(&workspace.read(README)?, evidence.score())?;
    Ok(vec![GeneratedFile { path: README.to_owned(), text }])
}

fn renew(readme: &str, (proven, total): (usize, usize)) -> Result<String> {
    let (before, rest) = readme
        .split_once(START)
        .with_context(|| format!("{README} has no {START} … {END} to hold the counter"))?;
    let (_, after) = rest.split_once(END).with_context(|| format!("{README} lacks {END}"))?;
    ensure!(!after.contains(START), "{README} has the marker {START} twice");
    Ok(format!("{before}{START}{proven}/{total}{END}{after}"))
}

#[cfg(test)]
mod tests;
