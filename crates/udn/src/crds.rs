//! `udn crds`: prints what a cluster needs before its first network.
//!
//! Invariant: what is printed are the files of `deploy/`, as one stream of YAML documents.

use std::process::ExitCode;

use anyhow::Result;
use udn_wire::deploy::{self, Manifest};

use crate::args::{CrdsRequest, DeployPart};
use crate::output;

/// Runs `udn crds`.
pub(crate) fn run(request: &CrdsRequest) -> Result<ExitCode> {
    output::print(stream(request.only))?;
    Ok(ExitCode::SUCCESS)
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
