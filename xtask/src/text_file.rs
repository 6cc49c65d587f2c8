//! The text files of the tree, as values: a path below the root and its content.
//!
//! Reads what git tracks or would track; returns [`TextFile`]s sorted by path.
//! Invariant: everything that judges files takes these values and touches no disk.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

/// One text file of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TextFile {
    /// Path below the root, with `/`.
    pub(crate) path: String,
    pub(crate) text: String,
}

impl TextFile {
    pub(crate) fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self { path: path.into(), text: text.into() }
    }

    /// Lines with their numbers, counted from one.
    pub(crate) fn numbered_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(index, line)| (index + 1, line))
    }

    pub(crate) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// The last part of the path.
    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// Whether the file holds nothing but tests: `tests.rs`, or anything below a `tests/`.
    pub(crate) fn is_test_code(&self) -> bool {
        self.name() == "tests.rs" || self.folders().any(|folder| folder == "tests")
    }

    /// Whether `cargo xtask gen` writes the file.
    pub(crate) fn is_generated(&self) -> bool {
        self.path.starts_with("crates/")
            && self.folders().any(|folder| folder == "generated" || folder == "gen")
    }

    /// The folders of the path, outermost first.
    pub(crate) fn folders(&self) -> impl Iterator<Item = &str> {
        let folders = self.path.rsplit_once('/').map_or("", |(folders, _)| folders);
        folders.split('/').filter(|folder| !folder.is_empty())
    }
}

/// Reads every text file that git tracks or would track; binary files are left out.
pub(crate) fn read_all(root: &Path) -> Result<Vec<TextFile>> {
    let mut files = Vec::new();
    for path in list(root)? {
        let full = root.join(&path);
        if !full.is_file() {
            continue; // deleted but still in the index, or a symbolic link to a folder
        }
        let bytes = std::fs::read(&full).with_context(|| format!("reading {path}"))?;
        if let Ok(text) = String::from_utf8(bytes) {
            files.push(TextFile::new(path, text));
        }
    }
    files.sort_by(|left, right| left.path.cmp(&right.path));
    files.dedup();
    Ok(files)
}

/// The path of every file that git tracks or would track.
pub(crate) fn list(root: &Path) -> Result<Vec<String>> {
    let output = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .context("starting git to list the files of the tree")?;
    ensure!(
        output.status.success(),
        "git could not list the files of the tree: {}",
        String::from_utf8_lossy(&output.stderr).trim()
    );
    let paths = String::from_utf8(output.stdout).context("a file name is not UTF-8")?;
    Ok(paths.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect())
}
