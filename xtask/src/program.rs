//! A test program: which crate it tests, and what it is called there.
//!
//! Reads what cargo says while it builds; returns a [`Program`] for each executable.
//! Invariant: executables are told apart by the hash in their name, never by the name alone.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;

use crate::workspace::Workspace;

/// The program that stands for the tests inside `src/`: those of the library and of all binaries.
pub(crate) const UNIT: &str = "unit";
/// The program that stands for the examples in doc comments.
pub(crate) const DOCS: &str = "docs";

/// One test program.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Program {
    /// The crate.
    pub(crate) owner: String,
    /// `unit`, `docs`, or the name of an integration test program, which is its shelf.
    pub(crate) name: String,
}

impl Program {
    pub(crate) fn new(owner: &str, name: &str) -> Self {
        Self { owner: owner.to_owned(), name: name.to_owned() }
    }
}

impl fmt::Display for Program {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {}", self.owner, self.name)
    }
}

/// Every test executable of a build.
#[derive(Debug, Default)]
pub(crate) struct Programs {
    /// By file name, which ends in cargo's hash.
    by_file: BTreeMap<String, Program>,
    /// Where each lies.
    paths: Vec<(String, Program)>,
    /// Crates by the name their library has in Rust.
    crates: BTreeMap<String, String>,
}

impl Programs {
    /// No executable yet; doc tests are known by the libraries of the workspace.
    pub(crate) fn new(workspace: &Workspace) -> Self {
        let libraries = workspace.targets("lib").into_iter();
        let crates = libraries.map(|(owner, library)| (library.replace('-', "_"), owner.into()));
        Self { crates: crates.collect(), ..Self::default() }
    }

    /// Takes in one line of `--message-format=json`; other lines say nothing here.
    pub(crate) fn line(&mut self, workspace: &Workspace, line: &str) {
        let Ok(message) = serde_json::from_str::<Message>(line) else { return };
        let Some(path) = message.executable.filter(|_| message.profile.test) else { return };
        let owner = workspace.members.iter().find(|member| member.id == message.package_id);
        let Some(owner) = owner else { return };
        let is_test = message.target.kind.iter().any(|kind| kind == "test");
        let name = if is_test { message.target.name.as_str() } else { UNIT };
        self.add(&path, Program::new(&owner.name, name));
    }

    pub(crate) fn add(&mut self, path: &str, program: Program) {
        self.by_file.insert(file_name(path).to_owned(), program.clone());
        self.paths.push((path.to_owned(), program));
    }

    /// The program of an executable; one that was not built here is known by its name alone.
    pub(crate) fn of_executable(&self, path: &str) -> Program {
        let file = file_name(path);
        let unknown = || Program::new("?", file.rsplit_once('-').map_or(file, |(name, _)| name));
        self.by_file.get(file).cloned().unwrap_or_else(unknown)
    }

    /// Every executable with its program.
    pub(crate) fn all(&self) -> &[(String, Program)] {
        &self.paths
    }

    /// The doc tests of a library.
    pub(crate) fn of_docs(&self, library: &str) -> Program {
        Program::new(self.crates.get(library).map_or(library, String::as_str), DOCS)
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The part of cargo's `compiler-artifact` message that is read here.
#[derive(Deserialize)]
struct Message {
    package_id: String,
    target: MessageTarget,
    profile: MessageProfile,
    executable: Option<String>,
}

#[derive(Deserialize)]
struct MessageTarget {
    name: String,
    kind: Vec<String>,
}

#[derive(Deserialize)]
struct MessageProfile {
    test: bool,
}

#[cfg(test)]
mod tests;
