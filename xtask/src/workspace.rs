//! The workspace as cargo sees it: where it is, and its own crates with their dependencies.
//!
//! Reads `cargo metadata --no-deps`, which needs no network; returns a [`Workspace`].
//! Invariant: `members` holds crates of ours only, sorted by name.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Deserializer};

use crate::program::{self, Program};

/// The workspace and its own crates.
#[derive(Debug)]
pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
    /// Where cargo builds.
    pub(crate) target: PathBuf,
    pub(crate) members: Vec<Member>,
}

/// A crate of ours.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Member {
    pub(crate) name: String,
    /// What cargo calls it in its messages.
    #[serde(default)]
    pub(crate) id: String,
    pub(crate) dependencies: Vec<Dependency>,
    pub(crate) targets: Vec<Target>,
}

/// A line in a crate's dependency tables.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    #[serde(deserialize_with = "null_is_normal")]
    pub(crate) kind: DependencyKind,
    /// Where the crate lies, when it is a crate of ours.
    pub(crate) path: Option<PathBuf>,
}

/// When a dependency is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum DependencyKind {
    Normal,
    Dev,
    Build,
}

/// Something cargo builds from a crate.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Target {
    pub(crate) name: String,
    pub(crate) kind: Vec<String>,
    /// Whether `cargo test` runs it.
    #[serde(default)]
    pub(crate) test: bool,
}

impl Workspace {
    /// Asks cargo about the workspace around the current folder.
    pub(crate) fn load() -> Result<Self> {
        let output = Command::new(cargo())
            .args(["metadata", "--format-version", "1", "--no-deps"])
            .output()
            .context("starting cargo metadata")?;
        ensure!(
            output.status.success(),
            "cargo metadata failed:\n{}",
            String::from_utf8_lossy(&output.stderr)
        );
        Self::parse(&output.stdout)
    }

    pub(crate) fn parse(metadata: &[u8]) -> Result<Self> {
        let metadata: Metadata =
            serde_json::from_slice(metadata).context("reading the answer of cargo metadata")?;
        let mut members = metadata.packages;
        members.sort_by(|left, right| left.name.cmp(&right.name));
        Ok(Self { root: metadata.workspace_root, target: metadata.target_directory, members })
    }

    /// Names of the targets of one kind (`test`, `bench`, `lib`), with the crate of each.
    pub(crate) fn targets(&self, kind: &str) -> Vec<(&str, &str)> {
        self.members
            .iter()
            .flat_map(|member| member.targets.iter().map(move |target| (member, target)))
            .filter(|(_, target)| target.kind.iter().any(|found| found == kind))
            .map(|(member, target)| (member.name.as_str(), target.name.as_str()))
            .collect()
    }

    /// Every test program there should be; one for all that is inside a crate's `src/`.
    pub(crate) fn programs(&self) -> BTreeSet<Program> {
        let all =
            self.members.iter().flat_map(|member| member.targets.iter().map(move |t| (member, t)));
        let tested = all.filter(|(_, target)| target.test);
        let program = |(member, target): (&Member, &Target)| {
            let is = |kind: &str| target.kind.iter().any(|found| found == kind);
            let name = if is("test") { target.name.as_str() } else { program::UNIT };
            (!is("bench")).then(|| Program::new(&member.name, name))
        };
        tested.filter_map(program).collect()
    }

    /// A `cargo` command that runs at the root.
    pub(crate) fn cargo(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(cargo());
        command.args(arguments).current_dir(&self.root);
        command
    }

    /// The file in which the outcome of every test is kept between commands.
    pub(crate) fn ran_file(&self) -> PathBuf {
        self.record_folder().join("ran.json")
    }

    /// Where commands keep what later ones read.
    pub(crate) fn record_folder(&self) -> PathBuf {
        self.target.join("udn")
    }

    /// Reads a file of the tree.
    pub(crate) fn read(&self, path: &str) -> Result<String> {
        std::fs::read_to_string(self.root.join(path)).with_context(|| format!("reading {path}"))
    }
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Member>,
    workspace_root: PathBuf,
    target_directory: PathBuf,
}

/// Cargo writes the kind of a normal dependency as `null`.
fn null_is_normal<'de, D: Deserializer<'de>>(kind: D) -> Result<DependencyKind, D::Error> {
    let kind = Option::<DependencyKind>::deserialize(kind)?;
    Ok(kind.unwrap_or(DependencyKind::Normal))
}

/// The cargo that started us, so that toolchain overrides carry through.
fn cargo() -> String {
    std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned())
}

#[cfg(test)]
mod tests;
