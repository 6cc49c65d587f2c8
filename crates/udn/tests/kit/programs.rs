//! How tests and benches start the controller and the agents of a real cluster.
//!
//! Invariant: they are started as people start them, by the same binary and flags.

use std::path::{Path, PathBuf};
use std::process::Command;

use udn_lab::real_cluster::{RealCluster, RealNode, SERVICE_RANGES};

pub(crate) fn udn() -> Command {
    Command::new(env!("CARGO_BIN_EXE_udn"))
}

/// The plugin, which is built beside the binary.
pub(crate) fn plugin() -> PathBuf {
    Path::new(env!("CARGO_BIN_EXE_udn")).with_file_name("ovn-k8s-cni-overlay")
}

pub(crate) fn controller(cluster: &RealCluster) -> Command {
    let mut command = udn();
    command.args(["controller", "--no-leader-election", "--default-network", "udn"]);
    command.args(["--service-cidrs", SERVICE_RANGES]);
    command.arg("--kubeconfig").arg(cluster.kubeconfig());
    command
}

/// The agent of a node, to be run on it.
pub(crate) fn agent(node: &RealNode) -> Command {
    let mut command = udn();
    command.args(["node", "--default-network", "udn", "--service-cidrs", SERVICE_RANGES]);
    command.args(["--node", node.name()]).arg("--kubeconfig").arg(node.kubeconfig());
    for (flag, remote) in [
        ("--northbound", node.lab_node().northbound().remote()),
        ("--southbound", node.lab_node().southbound().remote()),
        ("--open-vswitch", node.lab_node().open_vswitch().remote()),
    ] {
        command.args([flag, &remote]);
    }
    // The lab's switches have a folder each, where a machine's has `/run/openvswitch`.
    for (name, value) in node.lab_node().ofctl().get_envs() {
        value.map(|value| command.env(name, value));
    }
    command
}
