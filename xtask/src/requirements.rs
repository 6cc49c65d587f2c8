//! `cargo xtask requirements`: which requirements are proven, by which tests, and how they fared.
//!
//! Reads the register, the sources, the record of the last test run and the benches' figures;
//! prints, or compares the README's number, or writes it.
//! Invariant: the README's number comes from a complete run of the very tree it stands in.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use self::mark::Extent;
use self::proof::Proof;
use self::register::Requirement;
use self::standing::{Grade, Standing, Witness};
use crate::args::{Output, RequirementsRequest};
use crate::module_tree::{self, Places};
use crate::program::Program;
use crate::test::ran::{Gap, Ran};
use crate::text_file::{self, TextFile};
use crate::tree;
use crate::verdict::Verdict;
use crate::workspace::Workspace;

pub(crate) mod figures;
pub(crate) mod mark;
pub(crate) mod proof;
mod readme;
pub(crate) mod register;
pub(crate) mod standing;

/// Everything that the tree itself says about requirements.
#[derive(Debug)]
pub(crate) struct Evidence {
    pub(crate) register: Vec<Requirement>,
    pub(crate) proofs: Vec<Proof>,
    /// Where the marked files stand in their programs.
    pub(crate) places: Places,
    /// Whether the kept figures of each bench meet their goals.
    pub(crate) figures: BTreeMap<String, figures::Standing>,
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
        let places = places(files, &proofs);
        Ok(Self { register, proofs, places, figures: figures::standings(files) })
    }
}

/// Where the marked files stand in the programs that should run them.
pub(crate) fn places(files: &[TextFile], proofs: &[Proof]) -> Places {
    let programs: BTreeSet<Program> = proofs.iter().filter_map(Proof::program).collect();
    module_tree::places(files, &programs)
}

/// Runs `cargo xtask requirements`.
pub(crate) fn run(workspace: &Workspace, request: &RequirementsRequest) -> Result<Verdict> {
    let evidence = Evidence::read(&text_file::read_all(&workspace.root)?)?;
    let ran = Ran::load(&workspace.ran_file())?;
    let standings = standing::judge(&evidence, &ran);
    let tree = tree::state(&workspace.root)?;
    if request.check || request.write {
        let gap = ran.gap(&workspace.programs(), &tree);
        return if request.check {
            check(&workspace.read(readme::README)?, &standings, gap)
        } else {
            write(workspace, &standings, gap)
        };
    }
    let is_shown = |standing: &&Standing<'_>| !request.unproven || standing.grade != Grade::Proven;
    let shown: Vec<&Standing<'_>> = standings.iter().filter(is_shown).collect();
    match request.output {
        Output::Text => {
            print!("{}{}", render_all(&shown), closing_line(&standings));
            print!("{}", caution(&ran, &tree));
        }
        Output::Json => {
            let values: Vec<Value> = shown.iter().map(|standing| to_json(standing)).collect();
            println!("{:#}", Value::Array(values));
        }
    }
    Ok(Verdict::Pass)
}

/// Compares the README's number with what the run of this tree shows.
pub(crate) fn check(readme: &str, standings: &[Standing<'_>], gap: Option<Gap>) -> Result<Verdict> {
    let (told, shown) = (readme::told(readme)?, score(standings));
    let mend = "`cargo xtask requirements --write`";
    match gap {
        Some(Gap::Skipped(reason)) => {
            println!("the README's number was NOT checked: a shelf was skipped here, {reason}");
            Ok(Verdict::Unchecked)
        }
        Some(Gap::NotWhole(reason)) => {
            println!("the README's number cannot be checked: {reason}; run `cargo xtask test`");
            Ok(Verdict::Fail)
        }
        None if told == shown => {
            println!("the README says {told}, as the run of this tree shows");
            Ok(Verdict::Pass)
        }
        None => {
            println!("the README says {told}, the run of this tree shows {shown}; run {mend}");
            Ok(Verdict::Fail)
        }
    }
}

/// Writes the README's number, if the run of this tree is whole.
fn write(workspace: &Workspace, standings: &[Standing<'_>], gap: Option<Gap>) -> Result<Verdict> {
    let reason = match gap {
        None => {
            let text = readme::renew(&workspace.read(readme::README)?, &score(standings))?;
            let path = workspace.root.join(readme::README);
            std::fs::write(path, text).context("writing the README")?;
            println!("the README says {} now", score(standings));
            return Ok(Verdict::Pass);
        }
        Some(Gap::Skipped(reason)) => format!("a shelf was skipped here, {reason}"),
        Some(Gap::NotWhole(reason)) => format!("{reason}; run `cargo xtask test`"),
    };
    println!("the README was left as it is: {reason}");
    Ok(Verdict::Fail)
}

/// What the README should say.
fn score(standings: &[Standing<'_>]) -> String {
    format!("{}/{}", standing::number(standings, Grade::Proven), standings.len())
}

/// What a reader has to know of the run behind the outcomes.
fn caution(ran: &Ran, tree: &str) -> &'static str {
    if ran.is_empty() {
        "no run is recorded; `cargo xtask test` makes one\n"
    } else if ran.is_of_another_tree(tree) {
        "the run was of another tree: what changed since is not in these outcomes\n"
    } else {
        ""
    }
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
    let Witness { proof, finding } = witness;
    let (shelf, finding) = (proof.shelf.name(), finding.words());
    let more = match &proof.extent {
        Extent::Whole => String::new(),
        Extent::Half(missing) => format!("  half: {missing}"),
        Extent::WithBench(bench) => format!("  with bench {bench}"),
    };
    let place = format!("{}:{} {}", proof.path, proof.line, proof.test);
    format!("      ↳ {shelf:<8}  {finding:<7}  {place}{more}\n")
}

fn closing_line(standings: &[Standing<'_>]) -> String {
    let number = |grade| standing::number(standings, grade);
    let failed = match number(Grade::Failed) {
        0 => String::new(),
        failed => format!("{failed} FAILED, "),
    };
    format!(
        "\n{} proven, {} half, {} partly, {failed}{} marked but not run, {} unproven, of {}\n",
        number(Grade::Proven),
        number(Grade::Half),
        number(Grade::Partly),
        number(Grade::Marked),
        number(Grade::Unproven),
        standings.len()
    )
}

fn to_json(standing: &Standing<'_>) -> Value {
    let witness = |witness: &Witness<'_>| {
        let missing = match &witness.proof.extent {
            Extent::Half(missing) => Some(missing),
            Extent::Whole | Extent::WithBench(_) => None,
        };
        json!({
            "shelf": witness.proof.shelf,
            "path": witness.proof.path,
            "line": witness.proof.line,
            "test": witness.proof.test,
            "missing": missing,
            "outcome": witness.finding.words(),
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
        Grade::Half => "half",
        Grade::Partly => "partly",
        Grade::Failed => "FAILED",
        Grade::Marked => "not run",
        Grade::Unproven => "unproven",
    }
}

#[cfg(test)]
mod tests;
