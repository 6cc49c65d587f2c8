//! `cargo xtask tidy`: checks the project's rules and lists every breach at once.
//!
//! Gathers values (crates, files, dependency trees) and hands them to the checks.
//! Invariant: a check is a function of values; only this file touches disk and programs.

use std::thread;

use anyhow::{Context, Result, ensure};

use self::problem::Problem;
use self::purity::Tree;
use crate::requirements::Evidence;
use crate::requirements::register::Requirement;
use crate::table::count;
use crate::text_file::{self, TextFile};
use crate::verdict::Verdict;
use crate::workspace::Workspace;

mod arrows;
mod crates;
mod cycles;
mod dependencies;
mod functions;
mod hosts;
mod layout;
mod problem;
mod proofs;
mod purity;
mod seeds;
mod shelves;
mod soak_marks;
mod source;
mod waits;

/// Runs `cargo xtask tidy`.
pub(crate) fn run(workspace: &Workspace) -> Result<Verdict> {
    let files = text_file::read_all(&workspace.root)?;
    let mut problems = thread::scope(|scope| {
        let syntax = scope.spawn(|| check_syntax(&files)); // takes as long as all the others
        let found = check(workspace, &files, &pure_trees(workspace)?)?;
        let syntax = syntax.join().expect("no check panics, whatever the files hold");
        anyhow::Ok([found, syntax].concat())
    })?;
    problems.sort();
    problems.dedup();
    for problem in &problems {
        println!("{problem}");
    }
    println!("{}", closing_line(&problems, &files));
    Ok(Verdict::from_good(problems.is_empty()))
}

/// The checks that read syntax trees.
fn check_syntax(files: &[TextFile]) -> Vec<Problem> {
    let (sources, unreadable) = source::parse_all(files);
    [unreadable, cycles::check(&sources), functions::check(&sources)].concat()
}

/// Every other check, in the order of their modules.
fn check(workspace: &Workspace, files: &[TextFile], trees: &[Tree]) -> Result<Vec<Problem>> {
    let (members, test_targets) = (&workspace.members, workspace.targets("test"));
    let deny = workspace.read(dependencies::DENY)?;
    let lock = workspace.read(dependencies::LOCK)?;
    let found = [
        arrows::check(members),
        purity::check_trees(trees),
        purity::check_lints(members, files),
        layout::check(files),
        proofs::check(files),
        dependencies::check(members, &deny, &lock)?,
        hosts::check(files),
        seeds::check(files),
        shelves::check(&test_targets),
        soak_marks::check(files),
        waits::check(files),
    ];
    Ok(found.concat())
}

/// What each pure crate needs, as cargo resolves it for that crate alone.
fn pure_trees(workspace: &Workspace) -> Result<Vec<Tree>> {
    let pure = workspace.members.iter().filter(|member| crates::is_pure(&member.name));
    pure.map(|member| tree(workspace, &member.name)).collect()
}

fn tree(workspace: &Workspace, name: &str) -> Result<Tree> {
    let words = ["tree", "--package", name, "--edges", "normal,no-proc-macro"];
    let shape = ["--prefix", "depth", "--format", "{p}"];
    let mut command = workspace.cargo(&[words.as_slice(), &shape].concat());
    let output = command.output().context("starting cargo tree")?;
    ensure!(
        output.status.success(),
        "cargo tree failed for {name}:\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(Tree::parse(name, &String::from_utf8_lossy(&output.stdout)))
}

fn closing_line(problems: &[Problem], files: &[TextFile]) -> String {
    let checked = format!("tidy looked at {}", count(files.len(), "file"));
    let marked = match Evidence::read(files) {
        Ok(Evidence { register, proofs, .. }) => {
            let is_marked = |row: &&Requirement| proofs.iter().any(|proof| proof.id == row.id);
            let marked = register.iter().filter(is_marked).count();
            format!("{marked}/{} requirements marked", register.len())
        }
        Err(_) => "the register or a mark cannot be read".to_owned(), // a problem above says why
    };
    match problems.len() {
        0 => format!("{checked}: all in order; {marked}"),
        number => format!("\n{checked}: {}; {marked}", count(number, "problem")),
    }
}
