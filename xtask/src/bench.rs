//! `cargo xtask bench`: runs one bench, or lists them all, and keeps the figures when asked.
//!
//! Reads the bench targets of the workspace and what a bench prints; with `--record` writes
//! `docs/bench/<name>.json`. Invariant: a bench that fails leaves the kept figures as they were.

use std::process::Command;

use anyhow::{Context, Result, anyhow, bail, ensure};

use crate::args::BenchRequest;
use crate::external;
use crate::requirements::figures::{self, Figure, Figures, Standing};
use crate::setup;
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
    let mut lines = Vec::new();
    let verdict = external::stream_answers(workspace.cargo(&words), |line| {
        println!("{line}");
        lines.push(line.to_owned());
    })?;
    if request.record && !verdict.is_fail() {
        record(workspace, name, &lines)?;
    }
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

fn record(workspace: &Workspace, name: &str, lines: &[String]) -> Result<()> {
    let figures = figures(lines)?;
    ensure!(!figures.is_empty(), "the bench printed no `figure: …`, so there is nothing to record");
    let cores = std::thread::available_parallelism().context("counting the cores")?.get();
    let (date, rustc) = (answer("date", &["-u", "+%F"])?, answer("rustc", &["--version"])?);
    let figures = Figures { date, cores, rustc, figures };
    let path = figures::path(name);
    let text = serde_json::to_string_pretty(&figures).context("writing the figures")?;
    std::fs::create_dir_all(workspace.root.join(figures::FOLDER))
        .and_then(|()| std::fs::write(workspace.root.join(&path), text + "\n"))
        .with_context(|| format!("writing {path}"))?;
    println!("{}", closing_line(&path, figures.standing()));
    Ok(())
}

fn figures(lines: &[String]) -> Result<Vec<Figure>> {
    let figures = lines.iter().filter_map(|line| Figure::parse(line));
    figures.map(|figure| figure.map_err(|reason| anyhow!(reason))).collect()
}

fn closing_line(path: &str, standing: Standing) -> String {
    match standing {
        Standing::Met => format!("recorded in {path}; every goal is met"),
        Standing::Missed => format!("recorded in {path}; a goal is MISSED, so it proves nothing"),
        Standing::Absent => {
            format!("recorded in {path}; no figure has a goal, so it proves nothing")
        }
    }
}

/// The one line that a program answers.
fn answer(program: &str, words: &[&str]) -> Result<String> {
    let output = Command::new(program).args(words).output();
    let output = output.with_context(|| format!("starting {program}"))?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[cfg(test)]
mod tests;
