//! The line of the README that tells how many requirements are proven.
//!
//! Takes the README's text; returns its number, or the text with that number renewed.
//! Invariant: nothing outside the two markers changes.

use anyhow::{Context, Result, ensure};

/// The file that tells it.
pub(crate) const README: &str = "README.md";

const START: &str = "<!-- requirements -->";
const END: &str = "<!-- /requirements -->";

/// What the README says now.
pub(crate) fn told(readme: &str) -> Result<&str> {
    Ok(parts(readme)?[1])
}

/// The README with another number.
pub(crate) fn renew(readme: &str, number: &str) -> Result<String> {
    let [before, _, after] = parts(readme)?;
    Ok(format!("{before}{START}{number}{END}{after}"))
}

/// What stands before the markers, between them and after.
fn parts(readme: &str) -> Result<[&str; 3]> {
    let (before, rest) = readme
        .split_once(START)
        .with_context(|| format!("{README} has no {START} … {END} to hold the counter"))?;
    let (told, after) = rest.split_once(END).with_context(|| format!("{README} lacks {END}"))?;
    ensure!(!after.contains(START), "{README} has the marker {START} twice");
    Ok([before, told, after])
}

#[cfg(test)]
mod tests;
