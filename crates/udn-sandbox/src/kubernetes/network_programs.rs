//! Our programs in a real cluster: one controller, and on each node an agent and the plugin.
//!
//! Reads a [`RealCluster`] without a network; returns once its nodes are Ready for pods.
//! Invariant: only the programs that people install act here, installed as the README says, and each
//! with the rights of its own account.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use udn_lab::daemon::Daemon;
use udn_lab::progress::{Progress, told};
use udn_lab::real_cluster::{RealCluster, RealNode};
use udn_lab::run::run;
use udn_model::ClusterSettings;

use super::accounts;
use super::error::KubernetesError;
use super::program_files::{PLUGIN, ProgramFiles};

/// What Multus gives each pod first, host ports included; the result is told in this version, and
/// Debian's containerd knows none later.
const DEFAULT_CONF: &str = r#"{"cniVersion":"1.0.0","name":"ovn-kubernetes","plugins":[
{"type":"ovn-k8s-cni-overlay"},
{"type":"portmap","capabilities":{"portMappings":true},"backend":"nftables"}]}"#;

/// The namespace of the default NAD.
const NAMESPACE: &str = "ovn-kubernetes";

/// The running controller and agents; dropping them ends them, and leaves networks as they are.
#[derive(Debug)]
pub struct NetworkPrograms {
    agents: BTreeMap<String, Daemon>,
    controller: Daemon,
    files: ProgramFiles,
    settings: ClusterSettings,
}

impl NetworkPrograms {
    /// Installs and starts everything, and waits until the nodes are Ready.
    pub fn start(
        files: ProgramFiles,
        settings: ClusterSettings,
        cluster: &RealCluster,
        progress: &dyn Progress,
    ) -> Result<Self, KubernetesError> {
        told(progress, "CRDs, policies, roles, the default NAD", || {
            install_kinds(&files, cluster)
        })?;
        let controller = start_controller(&files, &settings, cluster)?;
        let mut programs = Self { agents: BTreeMap::new(), controller, files, settings };
        told(progress, "udn controller, udn node, Multus; nodes Ready", || {
            for node in cluster.nodes() {
                node.install_multus(&default_conf(node, &programs.settings)?)?;
                node.install_plugin(PLUGIN, &programs.files.plugin)?;
                accounts::write(cluster, accounts::AGENT, Some(node), &agent_kubeconfig(node))?;
                programs.start_agent(node)?;
            }
            Ok::<_, KubernetesError>(cluster.wait_ready()?)
        })?;
        Ok(programs)
    }

    /// Starts the agent of a node, instead of one that ran before.
    pub fn start_agent(&mut self, node: &RealNode) -> Result<(), KubernetesError> {
        let command = self.files.agent(node, &agent_kubeconfig(node), &self.settings);
        self.start_program(node, &command)
    }

    /// The same, with a namespace of control groups of its own, as an agent in a container has it.
    pub fn start_contained_agent(&mut self, node: &RealNode) -> Result<(), KubernetesError> {
        let command = self.files.agent(node, &agent_kubeconfig(node), &self.settings);
        let contained = node.contain(&command)?;
        self.start_program(node, contained.as_ref().unwrap_or(&command))
    }

    fn start_program(&mut self, node: &RealNode, command: &Command) -> Result<(), KubernetesError> {
        self.agents.remove(node.name());
        let log = node.folder().join("udn-node.log");
        let agent = Daemon::start(node.janitor(), "udn node", &node.enter(command), &log)?;
        self.agents.insert(node.name().to_owned(), agent);
        Ok(())
    }

    /// Ends an agent as a crash would.
    pub fn kill_agent(&mut self, node: &str) -> Result<(), KubernetesError> {
        self.agent(node).map(Daemon::kill)
    }

    /// Ends an agent as systemd and kubelets do.
    pub fn stop_agent(&mut self, node: &str) -> Result<(), KubernetesError> {
        self.agent(node).map(Daemon::stop)
    }

    /// Where each program tells what it does, by the node's name, or `controller`.
    pub fn logs(&self) -> impl Iterator<Item = (&str, &Path)> {
        let agents = self.agents.iter().map(|(name, agent)| (name.as_str(), agent.log()));
        agents.chain([("controller", self.controller.log())])
    }

    fn agent(&mut self, node: &str) -> Result<&mut Daemon, KubernetesError> {
        let missing = || KubernetesError::NoSuchNode { node: node.to_owned() };
        self.agents.get_mut(node).ok_or_else(missing)
    }
}

/// What Multus gives each pod first: our plugin, or what its own installation would find on the node.
fn default_conf(node: &RealNode, settings: &ClusterSettings) -> Result<String, KubernetesError> {
    if settings.builds_default_network {
        return Ok(DEFAULT_CONF.to_owned());
    }
    let folder = node.cni_conf_folder();
    let first = || {
        let paths: io::Result<Vec<_>> = fs::read_dir(&folder)?.map(|it| Ok(it?.path())).collect();
        let first = paths?.into_iter().min();
        fs::read_to_string(first.ok_or(io::ErrorKind::NotFound)?)
    };
    first().map_err(|source| KubernetesError::Read { path: folder.clone(), source })
}

/// Where a node's agent finds its token; the path is the same on the node.
fn agent_kubeconfig(node: &RealNode) -> PathBuf {
    node.folder().join("udn-node.kubeconfig")
}

fn install_kinds(files: &ProgramFiles, cluster: &RealCluster) -> Result<(), KubernetesError> {
    let kubectl = |arguments: &[&str]| {
        let said = run(cluster.kubectl().args(arguments));
        said.map_err(|source| KubernetesError::Install { source })
    };
    kubectl(&["create", "namespace", NAMESPACE])?;
    for part in ["crds", "policies", "rbac", "default-network"] {
        let manifests = run(files.udn().args(["crds", "--only", part]));
        let manifests = manifests.map_err(|source| KubernetesError::Install { source })?;
        let path = cluster.control_plane().folder().join(format!("{part}.yaml"));
        let written = fs::write(&path, manifests);
        written.map_err(|source| KubernetesError::Write { path: path.clone(), source })?;
        kubectl(&["apply", "--server-side", "-f", &path.to_string_lossy()])?;
        if part == "crds" {
            kubectl(&["wait", "--for=condition=Established", "--timeout=90s", "crd", "--all"])?;
        }
    }
    Ok(())
}

fn start_controller(
    files: &ProgramFiles,
    settings: &ClusterSettings,
    cluster: &RealCluster,
) -> Result<Daemon, KubernetesError> {
    let in_folder = |name| cluster.control_plane().folder().join(name);
    let (log, kubeconfig) = (in_folder("controller.log"), in_folder("controller.kubeconfig"));
    accounts::write(cluster, accounts::CONTROLLER, None, &kubeconfig)?;
    let command = files.controller(&kubeconfig, settings);
    // It lives as long as the nodes do, whose janitor cares for it too.
    let janitor = cluster.fabric().janitor();
    Ok(Daemon::start(janitor, "udn controller", &command, &log)?)
}
