//! Our programs for a real cluster: this one, and the CNI plugin, which is a program of its own.
//!
//! Reads where this program lies; returns files, after having built the plugin if need be.
//! Invariant: a plugin that is there is used as it is.

use std::env;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use udn_sandbox::kubernetes::{PLUGIN, ProgramFiles};

use crate::output;

/// The package of the plugin.
const PACKAGE: &str = "udn-cni";

/// Finds this program and the plugin beside it; `cargo run` builds the one without the other.
pub(super) fn find() -> Result<ProgramFiles> {
    let program = env::current_exe().context("could not find this program's own file")?;
    let files = ProgramFiles::beside(&program);
    if files.plugin.is_file() {
        return Ok(files);
    }
    let beside = program.parent().unwrap_or(&program);
    match workspace().filter(|it| is_built_by_cargo(beside, it)) {
        Some(workspace) => build(&workspace, beside)?,
        None => bail!(
            "the sandbox needs the CNI plugin {PLUGIN} beside {}; copy it there from where this \
             program was built",
            program.display()
        ),
    }
    if !files.plugin.is_file() {
        bail!("{PLUGIN} was built, and yet it is not in {}", beside.display());
    }
    Ok(files)
}

/// The sources of this program, if they are still where they were when it was built.
fn workspace() -> Option<PathBuf> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let workspace = own.ancestors().nth(2).expect("this crate lies two folders deep");
    workspace.join("Cargo.toml").is_file().then(|| workspace.to_owned())
}

/// Whether a folder is one into which cargo builds.
fn is_built_by_cargo(folder: &Path, workspace: &Path) -> bool {
    let above = folder.parent().unwrap_or(folder);
    above.starts_with(workspace) || fs::exists(above.join("CACHEDIR.TAG")).unwrap_or(false)
}

fn build(workspace: &Path, folder: &Path) -> Result<()> {
    let begun = Instant::now();
    output::show_progress(format_args!("set-up: {PLUGIN} (only the first time)\n"));
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(["build", "--package", PACKAGE, "--bin", PLUGIN]).current_dir(workspace);
    command.arg("--target-dir").arg(folder.parent().unwrap_or(folder));
    if folder.file_name().is_some_and(|name| name == "release") {
        command.arg("--release");
    }
    let failed = || format!("could not build {PLUGIN} with cargo");
    let mut child = command.stderr(Stdio::piped()).spawn().with_context(failed)?;
    let mut words = Vec::new();
    for line in BufReader::new(child.stderr.take().expect("piped")).lines() {
        words.push(line.with_context(failed)?);
    }
    if !child.wait().with_context(failed)?.success() {
        bail!("{}:\n{}", failed(), words.join("\n"));
    }
    let took = begun.elapsed().as_secs_f32();
    output::show_progress(format_args!("  {PLUGIN} ready after {took:.0} s\n"));
    Ok(())
}
