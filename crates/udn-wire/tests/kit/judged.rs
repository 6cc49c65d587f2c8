//! What our own judge says to a question of the table.
//!
//! Reads a catalog; returns an [`Answer`]. Invariant: what must stand before the request is judged
//! first, by the same catalog.

use kube_schema::{Catalog, Operation, Request};

use crate::answer::Answer;
use crate::questions::{Question, Verb};

/// The judge's answer. What should stand and is refused makes the answer that refusal.
pub(crate) fn judge(catalog: &Catalog, question: &Question) -> Answer {
    let old = match question.standing.clone().map(|it| catalog.create(it)) {
        Some(made) if !made.is_accepted() => return Answer::of(made.status().as_ref()),
        Some(made) => Some(made.object),
        None => None,
    };
    let operation = match (question.verb, &old) {
        (Verb::Update, Some(old)) => Operation::Update { old },
        (Verb::UpdateStatus, Some(old)) => Operation::UpdateStatus { old },
        _ => Operation::Create,
    };
    let verdict = catalog.judge(Request::new(question.object.clone(), operation), &mut |_| {});
    Answer::of(verdict.status().as_ref())
}
