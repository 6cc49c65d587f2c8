//! `udn sandbox`: a whole cluster on this machine.
//!
//! Invariant: what is missing is said in one sentence, with what can be done without it.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};
use udn_sandbox::Inventory;
use udn_sandbox::remote::{Request, ask};

use crate::args::{ApplyRequest, ExecRequest, SandboxCommand, SandboxRequest};
use crate::output;

mod example;
mod prepare;
mod progress;
mod up;

/// Where a sandbox keeps its state while it runs.
const FOLDER: &str = "/run/udn-sandbox";

/// Runs `udn sandbox`.
pub(crate) fn run(request: &SandboxRequest) -> Result<ExitCode> {
    match &request.command {
        None => up::run(&request.up),
        Some(SandboxCommand::Up(up)) => up::run(up),
        Some(SandboxCommand::Exec(exec)) => run_in_pod(exec),
        Some(SandboxCommand::Apply(apply)) => apply_to_running(apply),
    }
}

/// The folder of the sandbox; another one lets two of them run side by side.
fn folder() -> PathBuf {
    std::env::var_os("UDN_SANDBOX").map_or_else(|| FOLDER.into(), PathBuf::from)
}

fn run_in_pod(request: &ExecRequest) -> Result<ExitCode> {
    let inventory = Inventory::read(&folder())?;
    let namespace = inventory.find(&request.pod)?;
    let error = Command::new("nsenter")
        .arg(format!("--net={}", namespace.display()))
        .arg("--")
        .args(&request.command)
        .exec();
    Err(error).context("could not run nsenter")
}

fn apply_to_running(request: &ApplyRequest) -> Result<ExitCode> {
    let manifests = absolute(&request.manifests)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let request = Request::Apply(manifests);
    let mut printed = Ok(());
    let print = |line: &str| {
        if printed.is_ok() {
            printed = output::print_line(line);
        }
    };
    let is_good = runtime.block_on(ask(&folder(), &request, print))?;
    printed?;
    Ok(if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn absolute(path: &Path) -> Result<PathBuf> {
    match fs::canonicalize(path) {
        Ok(path) => Ok(path),
        Err(error) => bail!("could not find {}: {error}", path.display()),
    }
}
