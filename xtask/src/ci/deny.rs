//! The `deny` step: licences, banned crates and sources, judged by cargo-deny.
//!
//! Installs cargo-deny once into the cache; reads `deny.toml`.
//! Invariant: where cargo-deny cannot be had, the step says so and tidy's own checks stand.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};
use udn_lab::cache::Cache;

use crate::external;
use crate::verdict::Verdict;
use crate::workspace::Workspace;

const VERSION: &str = "0.20.2";

/// Runs cargo-deny over the workspace.
pub(crate) fn run(workspace: &Workspace) -> Result<Verdict> {
    let Some(program) = program(workspace)? else {
        println!("cargo-deny could not be installed, so licences were NOT checked;");
        println!("tidy's own checks of dependencies stand");
        return Ok(Verdict::Unchecked);
    };
    let mut command = Command::new(program);
    command.args(["--all-features", "check", "--hide-inclusion-graph"]);
    command.args(["licenses", "bans", "sources"]).current_dir(&workspace.root);
    external::run(command)
}

/// The installed program; `None` when it cannot be had.
fn program(workspace: &Workspace) -> Result<Option<PathBuf>> {
    let cache = Cache::find().context("looking for the cache folder")?;
    let folder = cache.folder().join(format!("cargo-deny-{VERSION}"));
    let program = folder.join("bin").join("cargo-deny");
    if program.is_file() {
        return Ok(Some(program));
    }
    println!("installing cargo-deny {VERSION} into {} (once, some minutes)", folder.display());
    let mut command = workspace.cargo(&["install", "--locked", "cargo-deny", "--version", VERSION]);
    command.arg("--root").arg(&folder).env_remove("CARGO_TARGET_DIR");
    let verdict = external::run(command)?;
    Ok((!verdict.is_fail()).then_some(program))
}
