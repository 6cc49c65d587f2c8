//! Which tree this is: a number over all of its files.
//!
//! Reads every file that git tracks or would track; returns it as text.
//! Invariant: what is written from a recorded run (the README's count) or read beside it
//! (the benches' figures) is no part of the tree.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::Path;

use anyhow::{Context, Result};

use crate::requirements::figures;
use crate::text_file;

/// The number of the tree as it is now.
pub(crate) fn state(root: &Path) -> Result<String> {
    let mut paths = text_file::list(root)?;
    paths.sort();
    paths.dedup();
    let mut hasher = DefaultHasher::new();
    for path in paths.iter().filter(|path| is_part(path)) {
        let full = root.join(path);
        if full.is_file() {
            let bytes = std::fs::read(&full).with_context(|| format!("reading {path}"))?;
            (path, bytes).hash(&mut hasher);
        }
    }
    Ok(format!("{:016x}", hasher.finish()))
}

fn is_part(path: &str) -> bool {
    path != "README.md" && !path.starts_with(figures::FOLDER)
}

#[cfg(test)]
mod tests;
