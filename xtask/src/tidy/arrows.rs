//! Checks which crates of ours use which others.
//!
//! Takes the crates as cargo sees them; returns a problem for every arrow the table lacks.
//! Invariant: a crate that the table does not know is a problem, so none appears unplanned.

use super::crates::{self, Crate};
use super::problem::Problem;
use crate::workspace::{Dependency, DependencyKind, Member};

pub(crate) fn check(members: &[Member]) -> Vec<Problem> {
    members.iter().flat_map(check_member).collect()
}

fn check_member(member: &Member) -> Vec<Problem> {
    let manifest = crates::manifest(&member.name);
    let Some(entry) = crates::find(&member.name) else {
        let text = format!(
            "`{}` is not a known crate; give it a row in xtask/src/tidy/crates.rs",
            member.name
        );
        return vec![Problem::in_file(manifest, text)];
    };
    let ours = member.dependencies.iter().filter(|dependency| dependency.path.is_some());
    ours.filter_map(|dependency| refusal(entry, dependency))
        .map(|text| Problem::in_file(manifest.clone(), text))
        .collect()
}

fn refusal(entry: &Crate, dependency: &Dependency) -> Option<String> {
    let (name, other) = (entry.name, dependency.name.as_str());
    match dependency.kind {
        DependencyKind::Normal if !entry.may_use(other) => Some(format!(
            "{name} may not use {other}; move the code to a crate that may \
             (CONTRIBUTING.md, \"Which crate?\")"
        )),
        DependencyKind::Dev if !entry.tests_may_use(other) => Some(format!(
            "the tests of {name} may not use {other}, only the lab and pure crates; \
             move the test to a crate that may"
        )),
        DependencyKind::Build => {
            Some(format!("{name} builds with {other}; generate with `cargo xtask gen` instead"))
        }
        DependencyKind::Normal | DependencyKind::Dev => None,
    }
}

#[cfg(test)]
mod tests;
