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

mod ended;
mod example;
mod kubernetes;
mod ping;
mod prepare;
mod progress;
mod room;
mod steps;
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

/// This program as it was called, which is rarely by its bare name before it is installed.
fn own_name() -> String {
    std::env::args().next().unwrap_or_else(|| "udn".to_owned())
}

fn run_in_pod(request: &ExecRequest) -> Result<ExitCode> {
    let folder = folder();
    let inventory = Inventory::read(&folder)?;
    let [program, arguments @ ..] = request.command.as_slice() else {
        bail!("there is no command to run");
    };
    if inventory.has_kubelets {
        return run_on_node(&inventory, &folder, request);
    }
    let mut command = Command::new(program);
    command.args(arguments).env("PATH", tools::search_path(&folder));
    let error = Entrance::at(inventory.find(&request.pod)?).enter(&command).exec();
    Err(error).context("could not run nsenter")
}

/// Where kubelets run the pods, kubectl leads into them, and this onto nodes.
fn run_on_node(inventory: &Inventory, folder: &Path, request: &ExecRequest) -> Result<ExitCode> {
    if !inventory.nodes.contains_key(&request.pod) {
        let nodes = inventory.nodes.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
        let words = request.command.join(" ");
        bail!(
            "there is no node {}, only {nodes}; pods are run by kubelets here: {} exec -n NAMESPACE \
             POD -- {words}",
            request.pod,
            tools::kubectl(folder).display()
        );
    }
    let error = Command::new(tools::on_node(folder, &request.pod)).args(&request.command).exec();
    Err(error).context("could not run the way onto the node")
}

/// Refuses what a sandbox with kubelets leaves to kubectl.
fn refuse_kubelets(folder: &Path, instead: &str) -> Result<()> {
    match Inventory::read(folder) {
        Ok(inventory) if inventory.has_kubelets => {
            bail!(
                "this sandbox is a real Kubernetes, so kubectl does that: {} {instead}",
                tools::kubectl(folder).display()
            )
        }
        Ok(_) | Err(_) => Ok(()),
    }
}

fn apply_to_running(request: &ApplyRequest) -> Result<ExitCode> {
    let manifests = absolute(&request.manifests)?;
    refuse_kubelets(&folder(), &format!("apply -f {}", manifests.display()))?;
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
