//! From what was asked on the command line to settings.
//!
//! Invariant: a flag counts more than what the cluster says of itself, and that more than a default.

use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

use kube::Client;
use udn_control::lease::{LeaseSettings, Timing};
use udn_model::ClusterSettings;

use crate::args::ControllerRequest;
use crate::settings;

#[cfg(test)]
mod tests;

/// The settings of the options.
pub(super) async fn settings(client: &Client, request: &ControllerRequest) -> ClusterSettings {
    settings::of_cluster(client, &request.settings, &request.networks).await
}

/// The lease to lead with, unless none is wanted.
pub(super) fn lease(request: &ControllerRequest) -> Option<LeaseSettings> {
    let lease = &request.lease;
    (!lease.no_leader_election).then(|| LeaseSettings {
        namespace: lease.lease_namespace.clone(),
        name: lease.lease_name.clone(),
        identity: lease.identity.clone().unwrap_or_else(own_name),
        timing: Timing::default(),
    })
}

/// A name that no other program has: in a pod, the host's name is the pod's.
fn own_name() -> String {
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{}_{:x}-{:x}", host.trim(), std::process::id(), since.as_nanos())
}
