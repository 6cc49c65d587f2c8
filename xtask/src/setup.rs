//! `cargo xtask setup`: gets the real parts, with progress for people.
//!
//! Drives the lab's own set-up; returns a [`Readiness`] that says what is missing and why.
//! Invariant: a part this machine cannot have is told and is no failure; a part that could have
//! been made and was not is one.

use std::io::IsTerminal;

use anyhow::{Context, Result};
use udn_lab::setup::{Part, Setup, SetupError, State};

use self::progress::ProgressLine;
use crate::verdict::Verdict;
use crate::workspace::Workspace;

mod progress;

/// What can be used after set-up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Readiness {
    /// Why there is no OVN; `None` when there is.
    pub(crate) ovn: Option<String>,
    /// Why there is no Kubernetes; `None` when there is.
    pub(crate) kubernetes: Option<String>,
    /// Why there are no nodes for Kubernetes; `None` when there are.
    pub(crate) node: Option<String>,
    /// Whether making a part was tried and failed.
    pub(crate) is_broken: bool,
}

/// Why a part is not ready.
#[derive(Debug, PartialEq, Eq)]
enum Gap {
    Impossible(String),
    Failed(String),
}

impl Readiness {
    pub(crate) fn verdict(&self) -> Verdict {
        Verdict::from_good(!self.is_broken)
    }

    fn new(gaps: &[(Part, Gap)]) -> Self {
        let mut readiness = Self::default();
        for (part, gap) in gaps {
            let reason = Some(gap.reason().to_owned());
            match part {
                Part::HostPackages => {} // a part that needs them says so itself
                Part::OvnRoot => readiness.ovn = reason,
                Part::Kubernetes => readiness.kubernetes = reason,
                Part::ContainerRuntime
                | Part::NodePrograms
                | Part::CniPlugins
                | Part::EndToEnd
                | Part::ImageBase
                | Part::Helm => {
                    readiness.node = Some(format!("no {part}: {}", gap.reason()));
                }
            }
            readiness.is_broken |= matches!(gap, Gap::Failed(_));
        }
        readiness
    }
}

impl Gap {
    /// What keeps the part from being ready; `None` when it is.
    fn find(outcome: Result<State, SetupError>) -> Option<Self> {
        match outcome {
            Ok(State::Ready) => None,
            Ok(State::Impossible { reason }) => Some(Self::Impossible(reason)),
            Ok(State::Missing) => Some(Self::Failed("it is still missing afterwards".to_owned())),
            Err(error) => Some(Self::Failed(format!("{:#}", anyhow::Error::new(error)))),
        }
    }

    fn reason(&self) -> &str {
        match self {
            Self::Impossible(reason) | Self::Failed(reason) => reason,
        }
    }

    fn sentence(&self, part: Part) -> String {
        match self {
            Self::Impossible(reason) => format!("set-up: {part} cannot be had here: {reason}"),
            Self::Failed(reason) => format!("set-up: {part} FAILED: {reason}"),
        }
    }
}

/// Runs `cargo xtask setup`.
pub(crate) fn run(workspace: &Workspace) -> Result<Verdict> {
    Ok(prepare(workspace)?.verdict())
}

/// Gets every part that is not there yet.
pub(crate) fn prepare(workspace: &Workspace) -> Result<Readiness> {
    let setup = Setup::new(&workspace.root).context("preparing set-up")?;
    let line = ProgressLine::new(std::io::stdout().is_terminal());
    let outcomes = setup.make_all(&mut |progress| line.show(progress));
    drop(line); // it must be gone before ours come
    let gaps: Vec<(Part, Gap)> = outcomes
        .into_iter()
        .filter_map(|(part, outcome)| Gap::find(outcome).map(|gap| (part, gap)))
        .collect();
    for (part, gap) in &gaps {
        println!("{}", gap.sentence(*part));
    }
    if gaps.is_empty() {
        println!("set-up: everything is ready");
    }
    Ok(Readiness::new(&gaps))
}

#[cfg(test)]
mod tests;
