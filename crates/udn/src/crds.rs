//! `udn crds`: prints what a cluster needs before its first network.
//!
//! Invariant: what is printed are the files of `deploy/`, as one stream of YAML documents.

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::{Context, Result};
use udn_wire::deploy::{self, Manifest};

use crate::args::{CrdsRequest, DeployPart};

/// Runs `udn crds`.
pub(crate) fn run(request: &CrdsRequest) -> Result<ExitCode> {
    let mut out = io::stdout().lock();
    match out.write_all(stream(request.only).as_bytes()).and_then(|()| out.flush()) {
        // Whoever reads has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
        outcome => outcome.context("cannot print the manifests").map(|()| ExitCode::SUCCESS),
    }
}

fn stream(only: Option<DeployPart>) -> String {
    let manifests: Vec<&Manifest> = match only {
        Some(DeployPart::Crds) => deploy::CRDS.iter().collect(),
        Some(DeployPart::Policies) => deploy::POLICIES.iter().collect(),
        Some(DeployPart::Rbac) => deploy::ROLES.iter().collect(),
        Some(DeployPart::DefaultNetwork) => vec![&deploy::DEFAULT_NETWORK],
        // kubectl takes no object together with the CRD of its kind.
        None => deploy::CRDS.iter().chain(deploy::POLICIES).collect(),
    };
    manifests.iter().map(|it| format!("---\n{}\n", it.text.trim_end())).collect()
}
