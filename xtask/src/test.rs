//! `cargo xtask test`: sets up, runs every shelf the machine allows, and tells the outcome.
//!
//! Reads the request; returns whether all that ran passed, and records each test's outcome.
//! Invariant: what did not run is named with its reason.

use std::io::IsTerminal;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;

use self::libtest::{Reader, Tally};
use self::machine::Machine;
use self::plan::{Plan, ShelfRun};
use self::ran::{Circumstances, Ran};
use crate::args::TestRequest;
use crate::external;
use crate::program::Programs;
use crate::setup::{self, Readiness};
use crate::shelf::Shelf;
use crate::table::{Table, count, human};
use crate::text_file;
use crate::tree;
use crate::verdict::Verdict;
use crate::workspace::Workspace;

mod checkout;
pub(crate) mod libtest;
pub(crate) mod machine;
mod partial;
mod plan;
pub(crate) mod ran;
pub(crate) mod real_parts;

/// What one shelf came to.
struct ShelfOutcome {
    shelf: Shelf,
    tally: Tally,
    time: Duration,
}

/// One run: what was asked for, what was built, and what it may count for.
struct Run<'a> {
    workspace: &'a Workspace,
    request: &'a TestRequest,
    programs: Programs,
    /// The tree as it was before the build.
    tree: String,
    /// Why it counts for no requirement; `None` when it does.
    partial: Option<String>,
}

/// Runs `cargo xtask test`.
pub(crate) fn run(workspace: &Workspace, request: &TestRequest) -> Result<Verdict> {
    let machine = Machine::look(&workspace.root, prepare(workspace, request)?);
    let files = text_file::read_all(&workspace.root)?;
    let plan = Plan::new(request, &workspace.targets("test"), &files, &machine);
    let tree = tree::state(&workspace.root)?;

    println!("building the tests");
    let Some(programs) = build(workspace)? else {
        println!("\nthe tests do not compile; nothing was run");
        return Ok(Verdict::Fail);
    };
    let partial = partial::reason(request, |name| std::env::var_os(name).is_some());
    let run = Run { workspace, request, programs, tree, partial };
    let mut outcomes = Vec::new();
    for shelf_run in &plan.runs {
        outcomes.push(run_shelf(&run, shelf_run)?);
    }
    record_skips(workspace, &plan)?;
    print_summary(&run, &plan, &outcomes);
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

/// Builds every test program and learns which executable is which; `None` when that fails.
pub(crate) fn build(workspace: &Workspace) -> Result<Option<Programs>> {
    checkout::take_over(workspace)?;
    let format = "--message-format=json-render-diagnostics";
    let mut programs = Programs::new(workspace);
    let command = workspace.cargo(&["test", "--workspace", "--no-run", format]);
    let verdict = external::stream_answers(command, |line| programs.line(workspace, line))?;
    Ok((!verdict.is_fail()).then_some(programs))
}

fn run_shelf(run: &Run<'_>, shelf_run: &ShelfRun) -> Result<ShelfOutcome> {
    let shelf = shelf_run.shelf;
    println!("\n── {} ──", shelf.name());
    let start = Instant::now();
    let real_parts = real_parts::begin(&run.workspace.record_folder(), shelf.name())?;
    let mut reader = Reader::new(&run.programs);
    let mut verdict = Verdict::Pass;
    for call in &shelf_run.calls {
        let words = words(run.request, call, std::io::stdout().is_terminal());
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut command = run.workspace.cargo(&words);
        command.env(real_parts::VARIABLE, &real_parts);
        command.env("RUST_TEST_THREADS", threads(shelf).to_string());
        let passed = external::stream(command, |line| {
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
    record(run, &tally, &real_parts)?;
    Ok(ShelfOutcome { shelf, tally, time: start.elapsed() })
}

/// How many tests run at once: more than there are cores where they mostly wait for a server.
fn threads(shelf: Shelf) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    if shelf == Shelf::Api { cores * 2 } else { cores }
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
fn record(run: &Run<'_>, tally: &Tally, real_parts: &Path) -> Result<()> {
    let now = tree::state(&run.workspace.root)?;
    let tree = if now == run.tree { now } else { "it changed during the run".to_owned() };
    let is_partial = run.partial.is_some();
    let servers = real_parts::read(real_parts)?;
    let path = run.workspace.ran_file();
    let mut ran = Ran::load(&path)?;
    ran.absorb(tally, &Circumstances { tree, is_partial, servers });
    ran.save(&path)
}

fn record_skips(workspace: &Workspace, plan: &Plan) -> Result<()> {
    let path = workspace.ran_file();
    let mut ran = Ran::load(&path)?;
    for run in &plan.runs {
        ran.absorb_skip(run.shelf, None);
    }
    for skip in &plan.skips {
        ran.absorb_skip(skip.shelf, Some(&skip.reason));
    }
    ran.save(&path)
}

fn print_summary(run: &Run<'_>, plan: &Plan, outcomes: &[ShelfOutcome]) {
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
    if let Some(filter) = run.request.filter.as_ref().filter(|_| ran_nothing(outcomes)) {
        println!("no test that can run here has `{filter}` in its name");
    }
    let sum = |part: fn(&Tally) -> usize| outcomes.iter().map(|o| part(&o.tally)).sum::<usize>();
    let skipped = sum(|tally| tally.ignored) + plan.skipped_tests();
    println!(
        "{} passed, {} failed, {skipped} skipped",
        sum(|tally| tally.passed),
        sum(|tally| tally.failed)
    );
    if let Some(reason) = &run.partial {
        println!("a partial run ({reason}): nothing of it counts for the register");
    }
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
