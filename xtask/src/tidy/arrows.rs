//! Checks which crates of ours use which others.
//!
//! Takes the crates as cargo sees them; returns a problem for every arrow the table lacks.
//! Invariant: a crate that the table does not know is a problem, so no room appears unplanned.

use super::problem::Problem;
use super::rooms::{self, Room};
use crate::workspace::{Dependency, DependencyKind, Member};

pub(crate) fn check(members: &[Member]) -> Vec<Problem> {
    members.iter().flat_map(check_member).collect()
}

fn check_member(member: &Member) -> Vec<Problem> {
    let manifest = rooms::manifest(&member.name);
    let Some(room) = rooms::find(&member.name) else {
        let text = format!(
            "`{}` is not a known room; give it a row in xtask/src/tidy/rooms.rs",
            member.name
        );
        return vec![Problem::in_file(manifest, text)];
    };
    let ours = member.dependencies.iter().filter(|dependency| dependency.path.is_some());
    ours.filter_map(|dependency| refusal(room, dependency))
        .map(|text| Problem::in_file(manifest.clone(), text))
        .collect()
}

fn refusal(room: &Room, dependency: &Dependency) -> Option<String> {
    let (name, other) = (room.name, dependency.name.as_str());
    match dependency.kind {
        DependencyKind::Normal if !room.may_use(other) => Some(format!(
            "{name} may not use {other}; move the code to a room that may \
             (CONTRIBUTING.md, \"Which room?\")"
        )),
        DependencyKind::Dev if !room.tests_may_use(other) => Some(format!(
            "the tests of {name} may not use {other}, only the lab and pure rooms; \
             move the test to a room that may"
        )),
        DependencyKind::Build => {
            Some(format!("{name} builds with {other}; generate with `cargo xtask gen` instead"))
        }
        DependencyKind::Normal | DependencyKind::Dev => None,
    }
}

#[cfg(test)]
mod tests;
