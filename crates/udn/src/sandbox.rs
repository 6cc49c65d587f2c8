//! `udn sandbox`: a whole cluster on this machine.
//!
//! Invariant: what is missing is said in one sentence, with what can be done without it.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};
use udn_lab::namespaces::Entrance;
use udn_sandbox::remote::{Request, ask};
use udn_sandbox::{Inventory, tools};

use crate::args::{ApplyRequest, ExecRequest, SandboxCommand, SandboxRequest};
use crate::output;

mod example;
mod ping;
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
        Some(SandboxCommand::Ping(request)) => ping::run(request, &folder()),
        Some(SandboxCommand::Apply(apply)) => apply_to_running(apply),
    }
}

/// The folder of the sandbox; another one lets two of them run side by side.
fn folder() -> PathBuf {
    std::env::var_os("UDN_SANDBOX").map_or_else(|| FOLDER.into(), PathBuf::from)
}

fn run_in_pod(request: &ExecRequest) -> Result<ExitCode> {
    let folder = folder();
    let inventory = Inventory::read(&folder)?;
    let [program, arguments @ ..] = request.command.as_slice() else {
        bail!("there is no command to run");
    };
    let mut command = Command::new(program);
    command.args(arguments).env("PATH", tools::search_path(&folder));
    let error = Entrance::at(inventory.find(&request.pod)?).enter(&command).exec();
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
