//! Joins register, proofs and the last run: where each requirement stands.
//!
//! Takes values; returns one [`Standing`] for each row of the register, in its order.
//! Invariant: a requirement is proven only by a test that passed in a recorded complete run, on a
//! shelf of the demanded kind, with the real server of that shelf.

use super::Evidence;
use super::figures;
use super::mark::Extent;
use super::proof::{Proof, Subject};
use super::register::Requirement;
use crate::module_tree::Place;
use crate::shelf::Shelf;
use crate::test::ran::{Ran, Seen};

/// How far a requirement is proven.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Grade {
    /// A mark on it counts.
    Proven,
    /// All but what a mark says is missing.
    Half,
    /// Only tests on shelves of another kind passed.
    Partly,
    /// A test that carries it failed, and none speaks for it.
    Failed,
    /// It is marked, and nothing that counts has run.
    Marked,
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
    pub(crate) finding: Finding,
}

/// What a mark comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Finding {
    Passed,
    Failed,
    Ignored,
    NotRun,
    /// It ran only in a run that left something out.
    Partial,
    /// No test program holds the file.
    NoProgram,
    /// It passed, and its program started none of the servers that make the shelf.
    NoRealServer,
    /// It may have passed, and the bench that belongs to it has no figures with a goal.
    NoFigures,
    GoalMissed,
}

impl Finding {
    /// For people.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "FAILED",
            Self::Ignored => "ignored",
            Self::NotRun => "not run",
            Self::Partial => "partial run",
            Self::NoProgram => "in no program",
            Self::NoRealServer => "no real server",
            Self::NoFigures => "no figures",
            Self::GoalMissed => "goal missed",
        }
    }
}

/// Where every requirement stands.
pub(crate) fn judge<'a>(evidence: &'a Evidence, ran: &Ran) -> Vec<Standing<'a>> {
    let standing = |requirement: &'a Requirement| {
        let mine = evidence.proofs.iter().filter(|proof| proof.id == requirement.id);
        let witness = |proof| Witness { proof, finding: find(evidence, proof, ran) };
        let witnesses: Vec<Witness<'a>> = mine.map(witness).collect();
        Standing { requirement, grade: grade(requirement, &witnesses), witnesses }
    };
    evidence.register.iter().map(standing).collect()
}

/// How many have this grade.
pub(crate) fn number(standings: &[Standing<'_>], grade: Grade) -> usize {
    standings.iter().filter(|standing| standing.grade == grade).count()
}

fn grade(requirement: &Requirement, witnesses: &[Witness<'_>]) -> Grade {
    let is_fit = |witness: &&Witness<'_>| witness.proof.shelf.satisfies(requirement.shelf);
    let is_half = |witness: &Witness<'_>| matches!(witness.proof.extent, Extent::Half(_));
    let passed = || witnesses.iter().filter(|witness| witness.finding == Finding::Passed);
    if passed().filter(is_fit).any(|witness| !is_half(witness)) {
        Grade::Proven
    } else if passed().any(|witness| is_fit(&witness)) {
        Grade::Half
    } else if passed().next().is_some() {
        Grade::Partly
    } else if witnesses.iter().any(|witness| witness.finding == Finding::Failed) {
        Grade::Failed
    } else if witnesses.is_empty() {
        Grade::Unproven
    } else {
        Grade::Marked
    }
}

fn find(evidence: &Evidence, proof: &Proof, ran: &Ran) -> Finding {
    let finding = match proof.subject {
        Subject::Bench => of_figures(evidence, &proof.test),
        Subject::Test | Subject::Scene => of_run(evidence, proof, ran),
    };
    match &proof.extent {
        Extent::WithBench(bench) if finding == Finding::Passed => of_figures(evidence, bench),
        Extent::WithBench(_) | Extent::Whole | Extent::Half(_) => finding,
    }
}

fn of_figures(evidence: &Evidence, bench: &str) -> Finding {
    match evidence.figures.get(bench) {
        Some(figures::Standing::Met) => Finding::Passed,
        Some(figures::Standing::Missed) => Finding::GoalMissed,
        Some(figures::Standing::Absent) | None => Finding::NoFigures,
    }
}

fn of_run(evidence: &Evidence, proof: &Proof, ran: &Ran) -> Finding {
    let places = evidence.places.get(&proof.path).map(Vec::as_slice).unwrap_or_default();
    let mut findings = places
        .iter()
        .filter(|place| Some(&place.program) == proof.program().as_ref())
        .map(|place| {
            let seen = ran.look(&place.program, |test| is_played_by(proof, place, test));
            of_seen(proof.shelf, seen)
        })
        .collect::<Vec<_>>();
    findings.sort_by_key(|finding| *finding != Finding::Failed); // a failure is never hidden
    findings.into_iter().next().unwrap_or(Finding::NoProgram)
}

fn of_seen(shelf: Shelf, seen: Seen<'_>) -> Finding {
    match seen {
        Seen::NotRun => Finding::NotRun,
        Seen::InPartialRun => Finding::Partial,
        Seen::Ignored => Finding::Ignored,
        Seen::Failed => Finding::Failed,
        Seen::Passed(servers) => {
            let needed = shelf.real_parts();
            let is_there = |start: &&str| servers.iter().any(|server| server.starts_with(*start));
            if needed.is_empty() || needed.iter().any(is_there) {
                Finding::Passed
            } else {
                Finding::NoRealServer
            }
        }
    }
}

/// Whether the recorded test is the marked one, or plays the marked scene on a real server.
fn is_played_by(proof: &Proof, place: &Place, test: &str) -> bool {
    let inside = |start: &[String]| -> Vec<String> {
        let parts = start.iter().chain(&proof.inline).chain([&proof.test]);
        parts.cloned().collect()
    };
    match proof.subject {
        Subject::Bench => false,
        Subject::Test => inside(&place.module).join("::") == test,
        Subject::Scene => {
            let file = place.module.last().cloned().unwrap_or_default();
            let end = inside(&["real".to_owned(), file]);
            let parts: Vec<&str> = test.split("::").collect();
            parts.ends_with(&end.iter().map(String::as_str).collect::<Vec<_>>())
                && !parts.contains(&"embedded")
        }
    }
}

#[cfg(test)]
mod tests;
