//! Checks that the top-level modules of a crate do not use each other in a circle.
//!
//! Takes parsed files; returns a problem for every group of modules that all reach each other.
//! A module uses another if its product code names it by a path from the crate's root, or names
//! what the root imports from it; `lib.rs` and `main.rs` are roots, no modules.
//! Invariant: within a crate without problems, modules can be read from the bottom up.

use self::graph::{Arrow, Component};
use super::problem::Problem;
use super::source::Source;

mod graph;
mod modules;
mod names;

/// Crates whose modules still go in circles. The list only ever gets shorter: no new crate comes
/// onto it, and a crate that has come right must leave it.
const STILL_CYCLIC: &[&str] =
    &["kube-embedded", "kube-schema", "ovn", "ovsdb", "udn-lab", "udn-ledger"];

pub(crate) fn check(sources: &[Source<'_>]) -> Vec<Problem> {
    check_but(sources, STILL_CYCLIC)
}

/// The check, with the crates that are let off.
fn check_but(sources: &[Source<'_>], let_off: &[&str]) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut cyclic = Vec::new();
    for (name, graph) in modules::graphs(sources) {
        let components = graph.components();
        if !components.is_empty() {
            cyclic.push(name);
        }
        if !let_off.contains(&name) {
            problems.extend(components.iter().map(|component| tell(name, component)));
        }
    }
    let came_right = let_off.iter().filter(|name| !cyclic.contains(name));
    problems.extend(came_right.map(|name| {
        let text = format!("the modules of {name} have no cycle; take it off STILL_CYCLIC");
        Problem::in_file("xtask/src/tidy/cycles.rs", text)
    }));
    problems
}

fn tell(name: &str, component: &Component) -> Problem {
    let arrows = component.cycle.iter().map(|Arrow { from, to, place }| {
        format!("{from} uses {to} at {}:{}", place.path, place.line)
    });
    let text = format!(
        "the modules {} use each other in a circle: {}; \
         move what both sides need into a module below them, or make one module of them",
        component.modules.join(", "),
        arrows.collect::<Vec<_>>().join(", "),
    );
    Problem::in_file(format!("crates/{name}"), text)
}

#[cfg(test)]
mod tests;
