//! `cargo xtask test`: sets up, runs every shelf the machine allows, and tells the outcome.
//!
//! Reads the request; returns whether all that ran passed, and records each test's outcome.
//! Invariant: what did not run is named with its reason.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use anyhow::Result;

use self::libtest::{Reader, Tally};
use self::machine::Machine;
use self::plan::{Plan, ShelfRun};
use self::ran::Ran;
use crate::args::TestRequest;
use crate::external;
use crate::setup::{self, Readiness};
use crate::shelf::Shelf;
use crate::table::{Table, count, human};
use crate::text_file;
use crate::verdict::Verdict;
use crate::workspace::Workspace;

pub(crate) mod libtest;
mod machine;
mod plan;
pub(crate) mod ran;

/// What one shelf came to.
struct ShelfOutcome {
    shelf: Shelf,
    tally: Tally,
    time: Duration,
}

/// Runs `cargo xtask test`.
pub(crate) fn run(workspace: &Workspace, request: &TestRequest) -> Result<Verdict> {
    let machine = Machine::look(&workspace.root, prepare(workspace, request)?);
    let files = text_file::read_all(&workspace.root)?;
    let plan = Plan::new(request, &workspace.targets("test"), &files, &machine);

    println!("building the tests");
    if build(workspace)?.is_fail() {
        println!("\nthe tests do not compile; nothing was run");
        return Ok(Verdict::Fail);
    }
    let mut outcomes = Vec::new();
    for shelf_run in &plan.runs {
        outcomes.push(run_shelf(workspace, request, shelf_run)?);
    }
    print_summary(request, &plan, &outcomes);
    let all_passed = outcomes.iter().all(|outcome| outcome.tally.failed == 0);
    let found_something = request.filter.is_none() || !ran_nothing(&outcomes);
    Ok(Verdict::from_good(all_passed && found_something && !machine.readiness.is_broken))
}

/// Sets up, unless no shelf asked for needs it.
fn prepare(workspace: &Workspace, request: &TestRequest) -> Result<Readiness> {
    let needs_parts = [Shelf::Api, Shelf::Ovn, Shelf::Node, Shelf::Vm];
    if needs_parts.into_iter().any(|shelf| request.wants(shelf)) {
        setup::prepare(workspace)
    } else {
        println!("set-up: not needed for the shelves asked for");
        Ok(Readiness::default())
    }
}

fn build(workspace: &Workspace) -> Result<Verdict> {
    external::run(workspace.cargo(&["build", "--workspace", "--tests"]))
}

fn run_shelf(
    workspace: &Workspace,
    request: &TestRequest,
    shelf_run: &ShelfRun,
) -> Result<ShelfOutcome> {
    let shelf = shelf_run.shelf;
    println!("\n── {} ──", shelf.name());
    let start = Instant::now();
    let mut reader = Reader::default();
    let mut verdict = Verdict::Pass;
    for call in &shelf_run.calls {
        let words = words(request, call, std::io::stdout().is_terminal());
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let passed = external::stream(workspace.cargo(&words), |line| {
            println!("{line}");
            reader.line(line);
        })?;
        if passed.is_fail() {
            verdict = Verdict::Fail;
        }
    }
    let mut tally = reader.finish();
    if verdict.is_fail() && tally.failed == 0 {
        tally.failed = 1; // cargo itself failed: doc tests that do not compile, a missing program
    }
    record(workspace, request, shelf, &tally)?;
    Ok(ShelfOutcome { shelf, tally, time: start.elapsed() })
}

/// The words for cargo: targets first, then what goes to the test programs.
fn words(request: &TestRequest, targets: &[String], coloured: bool) -> Vec<String> {
    let colour = if coloured { "always" } else { "never" };
    let mut words: Vec<String> =
        ["test", "--workspace", "--no-fail-fast", "--color", colour].map(str::to_owned).into();
    words.extend(targets.iter().cloned());
    words.extend(["--", "--color", colour].map(str::to_owned));
    words.extend(request.filter.clone());
    words.extend(request.passed_on.iter().cloned());
    words
}

/// Keeps the outcomes after each shelf, so that an interrupted run is not lost.
fn record(workspace: &Workspace, request: &TestRequest, shelf: Shelf, tally: &Tally) -> Result<()> {
    let path = workspace.ran_file();
    let mut ran = Ran::load(&path)?;
    ran.absorb(shelf, tally, request.is_partial());
    ran.save(&path)
}

fn print_summary(request: &TestRequest, plan: &Plan, outcomes: &[ShelfOutcome]) {
    print_failures(outcomes);
    println!("\n{}", table(plan, outcomes).render());
    for skip in &plan.skips {
        let tests = count(skip.tests, "test");
        println!("skipped {} ({tests}): {}", skip.shelf.name(), skip.reason);
    }
    if !plan.empty.is_empty() {
        let names: Vec<&str> = plan.empty.iter().map(|shelf| shelf.name()).collect();
        println!("no tests yet on: {}", names.join(", "));
    }
    if let Some(filter) = request.filter.as_ref().filter(|_| ran_nothing(outcomes)) {
        println!("no test that can run here has `{filter}` in its name");
    }
    let sum = |part: fn(&Tally) -> usize| outcomes.iter().map(|o| part(&o.tally)).sum::<usize>();
    let skipped = sum(|tally| tally.ignored) + plan.skipped_tests();
    println!(
        "{} passed, {} failed, {skipped} skipped",
        sum(|tally| tally.passed),
        sum(|tally| tally.failed)
    );
}

fn ran_nothing(outcomes: &[ShelfOutcome]) -> bool {
    outcomes.iter().all(|outcome| outcome.tally.total() == 0)
}

fn print_failures(outcomes: &[ShelfOutcome]) {
    let failing = outcomes.iter().filter(|outcome| outcome.tally.failed > 0);
    for outcome in failing {
        println!("\nfailed on the {} shelf:", outcome.shelf.name());
        for failure in outcome.tally.failures() {
            println!("  {failure}");
        }
    }
}

fn table(plan: &Plan, outcomes: &[ShelfOutcome]) -> Table<6> {
    let mut table = Table::new(["shelf", "tests", "passed", "failed", "skipped", "time"]);
    for ShelfOutcome { shelf, tally, time } in outcomes {
        let numbers = [tally.total(), tally.passed, tally.failed, tally.ignored];
        let [tests, passed, failed, skipped] = numbers.map(|number| number.to_string());
        table.row([shelf.name().to_owned(), tests, passed, failed, skipped, human(*time)]);
    }
    for skip in &plan.skips {
        let [tests, skipped] = [skip.tests, skip.tests].map(|number| number.to_string());
        let [passed, failed, time] = ["–"; 3].map(str::to_owned);
        table.row([skip.shelf.name().to_owned(), tests, passed, failed, skipped, time]);
    }
    table
}

#[cfg(test)]
mod tests;
