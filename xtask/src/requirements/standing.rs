//! Joins register, proofs and the last run: where each requirement stands.
//!
//! Takes values; returns one [`Standing`] for each row of the register, in its order.
//! Invariant: whether a requirement is proven depends on the sources alone, never on the last run.

use super::proof::Proof;
use super::register::Requirement;
use crate::shelf::Shelf;
use crate::test::libtest::Outcome;
use crate::test::ran::Ran;

/// How far a requirement is proven.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Grade {
    /// A test on the demanded shelf, or a higher one, carries it.
    Proven,
    /// Only tests on lower shelves carry it.
    Partly,
    Unproven,
}

/// A requirement with everything that speaks for it.
#[derive(Debug)]
pub(crate) struct Standing<'a> {
    pub(crate) requirement: &'a Requirement,
    pub(crate) grade: Grade,
    pub(crate) witnesses: Vec<Witness<'a>>,
}

/// A test that speaks for a requirement.
#[derive(Debug)]
pub(crate) struct Witness<'a> {
    pub(crate) proof: &'a Proof,
    /// What it last came to; `None` when it has not run since.
    pub(crate) outcome: Option<Outcome>,
}

/// Where every requirement stands.
pub(crate) fn judge<'a>(
    register: &'a [Requirement],
    proofs: &'a [Proof],
    ran: &Ran,
) -> Vec<Standing<'a>> {
    let standing = |requirement: &'a Requirement| {
        let mine = proofs.iter().filter(|proof| proof.id == requirement.id);
        let witnesses: Vec<Witness<'a>> =
            mine.map(|proof| Witness { proof, outcome: outcome(proof, ran) }).collect();
        Standing { requirement, grade: grade(requirement, &witnesses), witnesses }
    };
    register.iter().map(standing).collect()
}

/// How many are proven.
pub(crate) fn proven(standings: &[Standing<'_>]) -> usize {
    standings.iter().filter(|standing| standing.grade == Grade::Proven).count()
}

fn grade(requirement: &Requirement, witnesses: &[Witness<'_>]) -> Grade {
    if witnesses.iter().any(|witness| witness.proof.shelf.satisfies(requirement.shelf)) {
        Grade::Proven
    } else if witnesses.is_empty() {
        Grade::Unproven
    } else {
        Grade::Partly
    }
}

fn outcome(proof: &Proof, ran: &Ran) -> Option<Outcome> {
    let Place { target, module } = place(proof)?;
    let is_mine = |name: &str| match name.rsplit_once("::") {
        Some((path, last)) => last == proof.test && is_within(path, &module),
        None => name == proof.test && module.is_empty(),
    };
    ran.outcome(&target, is_mine)
}

fn is_within(path: &str, module: &str) -> bool {
    module.is_empty()
        || path.strip_prefix(module).is_some_and(|r| r.is_empty() || r.starts_with(':'))
}

/// Where a test's outcome is found: its program, and the module path its name begins with.
struct Place {
    target: String,
    module: String,
}

fn place(proof: &Proof) -> Option<Place> {
    let parts: Vec<&str> = proof.path.trim_end_matches(".rs").split('/').collect();
    let folder = parts.iter().position(|part| matches!(*part, "src" | "tests" | "benches"))?;
    let inside = parts.get(folder + 1..)?;
    match proof.shelf {
        Shelf::Bench => {
            Some(Place { target: format!("{} (bench)", inside[0]), module: String::new() })
        }
        Shelf::Unit => {
            let target = parts.get(folder.checked_sub(1)?)?.replace('-', "_");
            let module = if matches!(inside, ["lib" | "main"]) { &[] } else { inside };
            Some(Place { target, module: module.join("::") })
        }
        _ => Some(Place { target: inside.first()?.to_string(), module: String::new() }),
    }
}

#[cfg(test)]
mod tests;
