//! `cargo xtask requirements`: which requirements are proven, by which tests, and how they fared.
//!
//! Reads the register, the sources and the record of the last test run; prints.
//! Invariant: an unproven requirement is news, not a failure; a mark without its requirement is.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use self::proof::Proof;
use self::register::Requirement;
use self::standing::{Grade, Standing, Witness};
use crate::args::{Output, RequirementsRequest};
use crate::test::libtest::Outcome;
use crate::test::ran::Ran;
use crate::text_file::{self, TextFile};
use crate::verdict::Verdict;
use crate::workspace::Workspace;

pub(crate) mod proof;
pub(crate) mod register;
pub(crate) mod standing;

/// Register and proofs of the tree, read.
#[derive(Debug)]
pub(crate) struct Evidence {
    pub(crate) register: Vec<Requirement>,
    pub(crate) proofs: Vec<Proof>,
}

impl Evidence {
    /// Reads register and proofs; `cargo xtask tidy` tells what is wrong with either.
    pub(crate) fn read(files: &[TextFile]) -> Result<Self> {
        let page = files.iter().find(|file| file.path == register::REGISTER);
        let page = page.with_context(|| format!("there is no {}", register::REGISTER))?;
        let (register, bad_rows) = register::parse(&page.text);
        let (proofs, bad_marks) = proof::find(files);
        ensure!(
            bad_rows.is_empty() && bad_marks.is_empty(),
            "the register or its proofs cannot be read; `cargo xtask tidy` says where"
        );
        Ok(Self { register, proofs })
    }

    /// How many requirements are proven, and of how many.
    pub(crate) fn score(&self) -> (usize, usize) {
        let standings = standing::judge(&self.register, &self.proofs, &Ran::default());
        (standing::proven(&standings), self.register.len())
    }
}

/// Runs `cargo xtask requirements`.
pub(crate) fn run(workspace: &Workspace, request: &RequirementsRequest) -> Result<Verdict> {
    let evidence = Evidence::read(&text_file::read_all(&workspace.root)?)?;
    let ran = Ran::load(&workspace.ran_file())?;
    let standings = standing::judge(&evidence.register, &evidence.proofs, &ran);
    let is_shown = |standing: &&Standing<'_>| !request.unproven || standing.grade != Grade::Proven;
    let shown: Vec<&Standing<'_>> = standings.iter().filter(is_shown).collect();
    match request.output {
        Output::Text => print!("{}{}", render_all(&shown), closing_line(&standings)),
        Output::Json => {
            let values: Vec<Value> = shown.iter().map(|standing| to_json(standing)).collect();
            println!("{:#}", Value::Array(values));
        }
    }
    Ok(Verdict::Pass)
}

fn render_all(standings: &[&Standing<'_>]) -> String {
    standings.iter().map(|standing| render(standing)).collect()
}

fn render(standing: &Standing<'_>) -> String {
    let requirement = standing.requirement;
    let mut text = format!(
        "{}  {:<8}  {:<6}  {}\n",
        requirement.id,
        grade_word(standing.grade),
        requirement.shelf.name(),
        requirement.text
    );
    for witness in &standing.witnesses {
        text.push_str(&render_witness(witness));
    }
    text
}

fn render_witness(witness: &Witness<'_>) -> String {
    let proof = witness.proof;
    let (shelf, outcome) = (proof.shelf.name(), outcome_word(witness.outcome));
    format!("      ↳ {shelf:<8}  {outcome:<7}  {}:{} {}\n", proof.path, proof.line, proof.test)
}

fn closing_line(standings: &[Standing<'_>]) -> String {
    let number = |grade| standings.iter().filter(|standing| standing.grade == grade).count();
    format!(
        "\n{} proven, {} partly, {} unproven, of {}\n",
        number(Grade::Proven),
        number(Grade::Partly),
        number(Grade::Unproven),
        standings.len()
    )
}

fn to_json(standing: &Standing<'_>) -> Value {
    let witness = |witness: &Witness<'_>| {
        json!({
            "shelf": witness.proof.shelf,
            "path": witness.proof.path,
            "line": witness.proof.line,
            "test": witness.proof.test,
            "outcome": witness.outcome,
        })
    };
    json!({
        "id": standing.requirement.id.as_str(),
        "requirement": standing.requirement.text,
        "shelf": standing.requirement.shelf,
        "grade": standing.grade,
        "tests": standing.witnesses.iter().map(witness).collect::<Vec<_>>(),
    })
}

fn grade_word(grade: Grade) -> &'static str {
    match grade {
        Grade::Proven => "proven",
        Grade::Partly => "partly",
        Grade::Unproven => "unproven",
    }
}

fn outcome_word(outcome: Option<Outcome>) -> &'static str {
    match outcome {
        Some(Outcome::Passed) => "passed",
        Some(Outcome::Failed) => "FAILED",
        Some(Outcome::Ignored) => "ignored",
        None => "not run",
    }
}

#[cfg(test)]
mod tests;
