//! `udn sandbox ping`: whether one pod reaches another.
//!
//! Reads the inventory of the running sandbox; prints one line for each address.
//! Invariant: success means that every address that was meant has answered.

use std::fmt;
use std::net::IpAddr;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result};
use udn_lab::namespaces::Entrance;
use udn_lab::ovn_root::OvnRoot;
use udn_model::Family;
use udn_sandbox::Inventory;
use udn_sandbox::inventory::{Choice, SharedAddress};

use super::refuse_kubelets;
use crate::args::PingRequest;
use crate::output;

/// How long an answer is waited for, in seconds.
const PATIENCE: &str = "3";

/// Runs `udn sandbox ping`.
pub(super) fn run(request: &PingRequest, folder: &Path) -> Result<ExitCode> {
    refuse_kubelets(folder, "exec -n NAMESPACE POD -- ping ADDRESS")?;
    let inventory = Inventory::read(folder)?;
    let (from, namespace) = inventory.pod(&request.from)?;
    let (to, _) = inventory.pod(&request.to)?;
    let choice = Choice { network: request.network.as_deref(), family: family(request) };
    let shared = inventory.shared(from, to, choice)?;
    let (root, entrance) = (OvnRoot::find()?, Entrance::at(namespace));
    let mut is_answered = true;
    for SharedAddress { network, address } in shared {
        let outcome = ping(entrance.enter(&echo(&root, address)))?;
        is_answered &= matches!(outcome, Outcome::Answered { .. });
        output::print_line(format_args!("{from} → {to} {address} on {network}: {outcome}"))?;
    }
    Ok(if is_answered { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn family(request: &PingRequest) -> Option<Family> {
    match (request.ipv4, request.ipv6) {
        (true, _) => Some(Family::V4),
        (false, true) => Some(Family::V6),
        (false, false) => None,
    }
}

/// What came of a ping.
#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    Answered { after: String },
    Silence,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Answered { after } if after.is_empty() => f.write_str("answered"),
            Self::Answered { after } => write!(f, "answered after {after}"),
            Self::Silence => write!(f, "no answer within {PATIENCE} s"),
        }
    }
}

fn echo(root: &OvnRoot, address: IpAddr) -> Command {
    let mut command = root.command("ping");
    command.args(["-n", "-c", "1", "-W", PATIENCE, &address.to_string()]);
    command
}

fn ping(mut command: Command) -> Result<Outcome> {
    let output = command.stdin(Stdio::null()).output().context("could not run ping")?;
    if !output.status.success() {
        return Ok(Outcome::Silence);
    }
    let said = String::from_utf8_lossy(&output.stdout);
    let after = said.lines().find_map(|line| line.split_once(" time=")).map(|(_, time)| time);
    Ok(Outcome::Answered { after: after.unwrap_or_default().trim().to_owned() })
}
