//! Our programs as a real cluster has them: which files they are, and with which flags they start.
//!
//! Reads settings; returns commands.
//! Invariant: controller and agents are told the same of networks, and are started as people start
//! them.

use std::path::{Path, PathBuf};
use std::process::Command;

use udn_lab::real_cluster::{RealNode, SERVICE_RANGES};
use udn_model::{ClusterSettings, Family, GatewayMode, Subnet};

#[cfg(test)]
mod tests;

/// The name under which container runtimes find the plugin.
pub const PLUGIN: &str = "ovn-k8s-cni-overlay";

/// The files of our programs.
#[derive(Debug, Clone)]
pub struct ProgramFiles {
    pub udn: PathBuf,
    pub plugin: PathBuf,
}

/// What a real cluster is told of networks: the default one is ours.
pub fn cluster_settings(families: &[Family], gateway_mode: GatewayMode) -> ClusterSettings {
    let mut settings = ClusterSettings {
        gateway_mode,
        builds_default_network: true,
        families: families.iter().copied().collect(),
        ..ClusterSettings::default()
    };
    settings.cluster_subnets.retain(|it| families.contains(&it.subnet.family()));
    let services = SERVICE_RANGES.split(',').map(|it| Subnet::parse(it).expect("well written"));
    settings.service_subnets = services.filter(|it| families.contains(&it.family())).collect();
    settings
}

impl ProgramFiles {
    /// The program and the plugin that was built beside it.
    pub fn beside(udn: &Path) -> Self {
        Self { udn: udn.to_owned(), plugin: udn.with_file_name(PLUGIN) }
    }

    /// The program itself.
    pub fn udn(&self) -> Command {
        Command::new(&self.udn)
    }

    /// The cluster controller, with the rights of a kubeconfig.
    pub fn controller(&self, kubeconfig: &Path, settings: &ClusterSettings) -> Command {
        let mut command = self.udn();
        command.arg("controller").args(flags(settings)).arg("--kubeconfig").arg(kubeconfig);
        command
    }

    /// The agent of a node, to be run on it, with the rights of a kubeconfig.
    pub fn agent(&self, node: &RealNode, kubeconfig: &Path, settings: &ClusterSettings) -> Command {
        let mut command = self.udn();
        // As the DaemonSet has it.
        command.env("MALLOC_ARENA_MAX", "1");
        command.arg("node").args(flags(settings));
        command.args(["--node", node.name()]).arg("--kubeconfig").arg(kubeconfig);
        command.args(["--kubelet-cgroup", &node.kubelet_group()]);
        if !settings.builds_default_network {
            // As the manifests have it; what it writes there must leave the other plugin alone.
            command.args(["--cni-conf-dir", "/etc/cni/net.d"]);
        }
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
}

/// What controller and agents are told alike.
fn flags(settings: &ClusterSettings) -> Vec<String> {
    let pods = settings.cluster_subnets.iter();
    let pods = pods.map(|it| format!("{}/{}", it.subnet, it.host_prefix_len));
    let services = settings.service_subnets.iter().map(Subnet::to_string);
    let gateway_mode = match settings.gateway_mode {
        GatewayMode::Shared => "shared",
        GatewayMode::Local => "local",
    };
    let default_network = if settings.builds_default_network { "udn" } else { "foreign" };
    let pairs = [
        ("--default-network", default_network.to_owned()),
        ("--cluster-subnets", pods.collect::<Vec<_>>().join(",")),
        ("--service-cidrs", services.collect::<Vec<_>>().join(",")),
        ("--gateway-mode", gateway_mode.to_owned()),
    ];
    pairs.into_iter().flat_map(|(flag, value)| [flag.to_owned(), value]).collect()
}
