//! The programs that benches start in a cluster of their own making.
//!
//! Invariant: they are started as the sandbox starts them for people, by the same binary and flags.

use std::path::{Path, PathBuf};
use std::process::Command;

use udn_lab::real_cluster::{RealCluster, RealNode};
use udn_model::{ClusterSettings, Family, GatewayMode};
use udn_sandbox::kubernetes::{ProgramFiles, cluster_settings};

pub(crate) fn udn() -> Command {
    files().udn()
}

/// The plugin, which is built beside the binary.
pub(crate) fn plugin() -> PathBuf {
    files().plugin
}

pub(crate) fn controller(cluster: &RealCluster) -> Command {
    let mut command = files().controller(cluster.kubeconfig(), &settings());
    command.arg("--no-leader-election");
    command
}

/// The agent of a node, to be run on it.
pub(crate) fn agent(node: &RealNode) -> Command {
    files().agent(node, &node.kubeconfig(), &settings())
}

fn files() -> ProgramFiles {
    ProgramFiles::beside(Path::new(env!("CARGO_BIN_EXE_udn")))
}

fn settings() -> ClusterSettings {
    cluster_settings(&Family::BOTH, GatewayMode::Shared)
}
