//! Checks that the register can be read, that every proof names a requirement of it, and that a
//! test program holds every marked test.
//!
//! Takes files; returns problems. Invariant: an id that no longer exists does not linger in a test.

use super::problem::Problem;
use crate::requirements;
use crate::requirements::proof::{self, Proof};
use crate::requirements::register::{self, REGISTER};
use crate::text_file::TextFile;

pub(crate) fn check(files: &[TextFile]) -> Vec<Problem> {
    let Some(page) = files.iter().find(|file| file.path == REGISTER) else {
        return vec![Problem::in_file(REGISTER, "missing; it is the register of requirements")];
    };
    let (register, bad_rows) = register::parse(&page.text);
    let (proofs, bad_marks) = proof::find(files);

    let rows = bad_rows.iter().map(|row| Problem::at(page, row.line, &row.reason));
    let marks = bad_marks.iter().map(|mark| {
        let text = format!("this `proves` mark proves nothing: {}", mark.reason);
        Problem::at_place(&mark.path, mark.line, text)
    });
    let is_known = |proof: &&Proof| register.iter().any(|row| row.id == proof.id);
    let unknown = proofs.iter().filter(|proof| !is_known(proof)).map(|proof| {
        let text = format!("{} is not in {REGISTER}; mend the id or remove the mark", proof.id);
        Problem::at_place(&proof.path, proof.line, text)
    });
    rows.chain(marks).chain(unknown).chain(lost(files, &proofs)).collect()
}

/// Marks in files that the compiler never sees.
fn lost(files: &[TextFile], proofs: &[Proof]) -> Vec<Problem> {
    let places = requirements::places(files, proofs);
    let is_lost = |proof: &&Proof| proof.program().is_some() && !places.contains_key(&proof.path);
    let problem = |proof: &Proof| {
        let text = "no test program holds this file; declare it as a module of one";
        Problem::at_place(&proof.path, proof.line, text)
    };
    proofs.iter().filter(is_lost).map(problem).collect()
}

#[cfg(test)]
mod tests;
