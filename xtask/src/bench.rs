//! `cargo xtask bench`: runs one bench, or lists them all.
//!
//! Reads the bench targets of the workspace; records whether the bench ran to its end.
//! Invariant: a bench decides nothing here; its own exit code is the verdict.

use anyhow::{Context, Result, bail};

use crate::args::BenchRequest;
use crate::external;
use crate::setup;
use crate::test::libtest::Outcome;
use crate::test::ran::Ran;
use crate::verdict::Verdict;
use crate::workspace::Workspace;

/// Runs `cargo xtask bench`.
pub(crate) fn run(workspace: &Workspace, request: &BenchRequest) -> Result<Verdict> {
    let benches = workspace.targets("bench");
    let Some(name) = &request.name else {
        print!("{}", list(&benches));
        return Ok(Verdict::Pass);
    };
    let owner = find(&benches, name)?;
    setup::prepare(workspace)?;
    let mut words = vec!["bench", "--package", owner, "--bench", name, "--"];
    words.extend(request.passed_on.iter().map(String::as_str));
    let verdict = external::run(workspace.cargo(&words))?;
    record(workspace, name, verdict)?;
    Ok(verdict)
}

/// The crate that holds the bench.
fn find<'a>(benches: &[(&'a str, &str)], name: &str) -> Result<&'a str> {
    let mut owners = benches.iter().filter(|(_, bench)| *bench == name).map(|(owner, _)| *owner);
    let owner =
        owners.next().with_context(|| format!("there is no bench `{name}`\n{}", list(benches)))?;
    if let Some(second) = owners.next() {
        bail!("{owner} and {second} both have a bench `{name}`; rename one");
    }
    Ok(owner)
}

fn list(benches: &[(&str, &str)]) -> String {
    if benches.is_empty() {
        return "there are no benches yet (crates/*/benches/<name>.rs)\n".to_owned();
    }
    let mut lines: Vec<String> = benches
        .iter()
        .map(|(owner, bench)| format!("  cargo xtask bench {bench:<12}  (in {owner})\n"))
        .collect();
    lines.sort();
    lines.concat()
}

fn record(workspace: &Workspace, name: &str, verdict: Verdict) -> Result<()> {
    let path = workspace.ran_file();
    let mut ran = Ran::load(&path)?;
    ran.absorb_bench(name, if verdict.is_fail() { Outcome::Failed } else { Outcome::Passed });
    ran.save(&path)
}

#[cfg(test)]
mod tests;
