//! Every constraint of the CRDs is shown by the table of verdicts: without it, an answer changes.
//!
//! Reads `deploy/crds` and `tests/verdicts`; breaks one constraint after another in memory, and asks
//! our judge. Invariant: a constraint that no case shows is named, so that none can be dropped,
//! moved by one or added unnoticed.

#![allow(clippy::disallowed_macros, reason = "the test says how much it asked")]

use kube_schema::Catalog;
use serde_json::Value;
use udn_manifest::manifest::documents;
use udn_wire::deploy::CRDS;

use crate::answer::Answer;
use crate::judged::judge;
use crate::questions::{self, Question};

mod breaks;

use breaks::{Break, breaks};

/// The manifests of our CRDs.
fn definitions() -> Vec<Value> {
    let objects = CRDS.iter().flat_map(|it| documents(it.text)).flat_map(|it| it.objects());
    objects.flatten().map(|it| it.value).collect()
}

/// A question with the text that tells which constraints it is likely to show.
struct Asked<'a> {
    question: &'a Question,
    text: String,
}

impl<'a> Asked<'a> {
    fn new(question: &'a Question) -> Self {
        let text = match &question.answer {
            Answer::Accepted => question.object.to_string(),
            refused => refused.to_string(),
        };
        Self { question, text }
    }

    /// Whether it speaks of the field; such questions are asked first.
    fn is_likely(&self, broken: &Break) -> bool {
        let is_accepted = self.question.answer == Answer::Accepted;
        is_accepted == broken.is_tighter && self.text.contains(broken.field())
    }

    fn is_answered_otherwise(&self, catalog: &Catalog) -> bool {
        judge(catalog, self.question) != self.question.answer
    }
}

/// Whether an answer of the table is another one once the constraint is broken.
fn is_shown(definition: &Value, broken: &Break, asked: &[Asked<'_>]) -> bool {
    let Ok(catalog) = Catalog::read([broken.applied(definition)]) else {
        println!("no server takes the definition with {broken}");
        return true;
    };
    let mut likely: Vec<&Asked<'_>> = asked.iter().collect();
    likely.sort_by_key(|it| !it.is_likely(broken));
    likely.iter().any(|it| it.is_answered_otherwise(&catalog))
}

#[test]
fn breaking_any_one_constraint_changes_an_answer() {
    let questions =
        questions::files().iter().flat_map(|it| questions::questions(it)).collect::<Vec<_>>();
    let (mut count, mut hidden) = (0_usize, Vec::new());
    for definition in definitions() {
        let kind = &definition["spec"]["names"]["kind"];
        let of_kind = questions.iter().filter(|it| it.object["kind"] == *kind);
        let asked: Vec<Asked<'_>> = of_kind.map(Asked::new).collect();
        let whole = Catalog::read([definition.clone()]).expect("our own definition is whole");
        for it in &asked {
            assert!(!it.is_answered_otherwise(&whole), "nothing is broken: {}", it.question.title);
        }
        for broken in breaks(&definition) {
            count += 1;
            if !is_shown(&definition, &broken, &asked) {
                hidden.push(broken.to_string());
            }
        }
    }
    println!("{count} ways to break a constraint");
    assert!(count > 500, "only {count} ways were found");
    assert!(hidden.is_empty(), "no case shows these:\n{}", hidden.join("\n"));
}
