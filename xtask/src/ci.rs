//! `cargo xtask ci`: everything that has to be green before a commit, in order.
//!
//! Runs each step, timed and named, and stops at the first that fails.
//! Invariant: what could not be checked is said, never passed over.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::args::{GenRequest, RequirementsRequest, TestRequest};
use crate::external;
use crate::r#gen;
use crate::requirements;
use crate::setup;
use crate::table::{Table, human};
use crate::test;
use crate::tidy;
use crate::verdict::Verdict;
use crate::workspace::Workspace;

mod deny;

/// One check, by name.
struct Step {
    name: &'static str,
    run: fn(&Workspace) -> Result<Verdict>,
}

/// How a step ended.
struct Timed {
    name: &'static str,
    verdict: Verdict,
    time: Duration,
}

/// The quick checks first, so that a slip is told within seconds.
const STEPS: &[Step] = &[
    Step { name: "fmt", run: fmt },
    Step { name: "clippy", run: clippy },
    Step { name: "doc", run: doc },
    Step { name: "setup", run: setup::run }, // generators read the OVN root
    Step {
        name: "gen",
        run: |workspace| r#gen::run(workspace, &GenRequest { check: true, schemas: false }),
    },
    Step { name: "tidy", run: tidy::run },
    Step { name: "deny", run: deny::run },
    Step { name: "test", run: |workspace| test::run(workspace, &TestRequest::everything()) },
    Step {
        name: "requirements", // the README's number, from the run just recorded
        run: |workspace| requirements::run(workspace, &RequirementsRequest::check()),
    },
];

/// Runs `cargo xtask ci`.
pub(crate) fn run(workspace: &Workspace) -> Result<Verdict> {
    let mut done: Vec<Timed> = Vec::new();
    for step in STEPS {
        println!("━━ {} ━━", step.name);
        let start = Instant::now();
        let verdict = (step.run)(workspace).unwrap_or_else(|error| {
            println!("error: {error:#}");
            Verdict::Fail
        });
        done.push(Timed { name: step.name, verdict, time: start.elapsed() });
        if verdict.is_fail() {
            break;
        }
        println!();
    }
    print!("{}", summary(&done));
    Ok(Verdict::from_good(!done.iter().any(|step| step.verdict.is_fail())))
}

fn fmt(workspace: &Workspace) -> Result<Verdict> {
    // rustfmt colours its differences even into a file, unless it is told not to.
    let colour = if std::io::stdout().is_terminal() { "auto" } else { "never" };
    let words = ["fmt", "--all", "--check", "--", "--color", colour];
    let verdict = external::run(workspace.cargo(&words))?;
    if verdict.is_fail() {
        println!("\nrun `cargo fmt --all`");
    }
    Ok(verdict)
}

fn clippy(workspace: &Workspace) -> Result<Verdict> {
    let words = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
    external::run(workspace.cargo(&words))
}

/// Private items too: most headers link to names that only their own crate sees.
fn doc(workspace: &Workspace) -> Result<Verdict> {
    let mut command =
        workspace.cargo(&["doc", "--workspace", "--no-deps", "--document-private-items"]);
    command.env("RUSTDOCFLAGS", "-D warnings");
    external::run(command)
}

fn summary(done: &[Timed]) -> String {
    let mut table = Table::new(["step", "verdict", "time"]);
    for step in done {
        let verdict = match step.verdict {
            Verdict::Pass => "pass",
            Verdict::Unchecked => "NOT CHECKED",
            Verdict::Fail => "FAIL",
        };
        table.row([step.name.to_owned(), verdict.to_owned(), human(step.time)]);
    }
    for left in STEPS.iter().skip(done.len()) {
        table.row([left.name.to_owned(), "not run".to_owned(), String::new()]);
    }
    let total = human(done.iter().map(|step| step.time).sum());
    let closing = match done.iter().find(|step| step.verdict.is_fail()) {
        Some(failed) => format!("ci failed at {} after {total}", failed.name),
        None => format!("ci passed in {total}"),
    };
    format!("\n{}\n{closing}\n", table.render())
}

#[cfg(test)]
mod tests;
