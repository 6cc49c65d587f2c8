//! All automation of the workspace: `cargo xtask <command>`.
//!
//! Reads the command line, loads the workspace once, and hands it to the command's module.
//! Invariant: a command that found something wrong ends with a non-zero exit code.

use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;

use crate::args::{Args, Command};
use crate::verdict::Verdict;
use crate::workspace::Workspace;

mod args;
mod bench;
mod ci;
mod dist;
mod external;
mod r#gen;
mod image;
mod module_tree;
mod program;
mod requirements;
mod setup;
mod shelf;
mod soak;
mod table;
mod test;
mod text_file;
mod tidy;
mod tree;
mod verdict;
mod workspace;

fn main() -> ExitCode {
    match run(Args::parse()) {
        Ok(verdict) => verdict.into(),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: Args) -> Result<Verdict> {
    let workspace = Workspace::load()?;
    match args.command {
        Command::Setup => setup::run(&workspace),
        Command::Test(request) => test::run(&workspace, &request),
        Command::Soak(request) => soak::run(&workspace, &request),
        Command::Ci => ci::run(&workspace),
        Command::Dist => dist::run(&workspace),
        Command::Image(request) => image::run(&workspace, &request),
        Command::Tidy => tidy::run(&workspace),
        Command::Requirements(request) => requirements::run(&workspace, &request),
        Command::Gen(request) => r#gen::run(&workspace, &request),
        Command::Bench(request) => bench::run(&workspace, &request),
    }
}
