//! Long work of set-up: a program whose lines are reported and that dies with us.
//!
//! Reads a [`Command`]; returns once it ended, or its last lines when it failed.
//! Invariant: a half-made folder is owed to the janitor until it gets its final name.

use std::collections::VecDeque;
use std::fs;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::daemon::start_gated;
use crate::janitor::{Janitor, fresh_name};
use crate::run::line;
use crate::setup::SetupError;

#[cfg(test)]
mod tests;

/// How many lines tell why a program failed.
const LAST_WORDS: usize = 25;

/// Receives the lines a program prints.
pub(super) type Lines<'a> = &'a mut dyn FnMut(&str);

/// Runs a program to its end, reporting each line it prints.
pub(super) fn perform(
    janitor: &Janitor,
    command: &Command,
    lines: Lines<'_>,
) -> Result<(), SetupError> {
    let name = line(command);
    let unread = |source| SetupError::Read { command: name.clone(), source };
    let (reader, writer) = io::pipe().map_err(unread)?;
    let second = writer.try_clone().map_err(unread)?;
    let started = start_gated(janitor, command, writer.into(), second.into());
    let mut child = started.map_err(|error| error.named(&name))?;
    let mut words = VecDeque::new();
    for text in BufReader::new(reader).split(b'\n') {
        let text = String::from_utf8_lossy(&text.map_err(unread)?).trim_end().to_owned();
        lines(&text);
        words.push_back(text);
        if words.len() > LAST_WORDS {
            words.pop_front();
        }
    }
    if child.wait().map_err(unread)?.success() {
        return Ok(());
    }
    Err(SetupError::Failed { command: name, words: Vec::from(words).join("\n") })
}

/// A folder in the making, beside the place it is made for.
#[derive(Debug)]
pub(super) struct Draft {
    folder: PathBuf,
    target: PathBuf,
    janitor: Janitor,
}

impl Draft {
    /// Begins a folder for `target`, clearing what an earlier run may have left of it.
    ///
    /// The caller holds the lock, so nobody else works on this target. The name is fresh all the
    /// same: the janitor of a run that was killed may still be at work on that run's folder.
    /// `mounts` are paths inside at which the work may mount something.
    pub(super) fn begin(target: PathBuf, mounts: &[&str]) -> Result<Self, SetupError> {
        for stale in drafts_of(&target) {
            drop(owe(&stale, mounts)?);
        }
        let folder = target.with_extension(format!("{}.part", fresh_name()));
        let janitor = owe(&folder, mounts)?;
        let made = fs::create_dir_all(&folder);
        made.map_err(|source| SetupError::Place { path: folder.clone(), source })?;
        Ok(Self { folder, target, janitor })
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn janitor(&self) -> &Janitor {
        &self.janitor
    }

    /// Gives the finished folder its final name.
    pub(super) fn finish(self) -> Result<(), SetupError> {
        let moved = fs::rename(&self.folder, &self.target);
        moved.map_err(|source| SetupError::Place { path: self.target.clone(), source })
    }
}

/// A janitor that will remove the folder and unmount what may be mounted in it.
fn owe(folder: &Path, mounts: &[&str]) -> Result<Janitor, SetupError> {
    let janitor = Janitor::hire()?;
    janitor.owe_folder(folder)?;
    for mount in mounts {
        janitor.owe_mount(&folder.join(mount))?;
    }
    Ok(janitor)
}

/// The unfinished folders beside a target.
fn drafts_of(target: &Path) -> Vec<PathBuf> {
    let entries = target.parent().and_then(|parent| fs::read_dir(parent).ok());
    let paths = entries.into_iter().flatten().flatten().map(|entry| entry.path());
    let is_draft = |path: &PathBuf| {
        path.extension().is_some_and(|extension| extension == "part")
            && path
                .file_stem()
                .is_some_and(|stem| Path::new(stem).file_stem() == target.file_name())
    };
    paths.filter(is_draft).collect()
}
