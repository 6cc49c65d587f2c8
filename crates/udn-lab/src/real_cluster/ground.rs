//! What a node's programs stand on: the machine, its folder, the real parts and who cares for it.
//!
//! Reads nothing; returns commands that run on the node and daemons that were started there.
//! Invariant: every program of the node is started here, and so known to the janitor.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, iter};

use crate::cni_plugins::CniPlugins;
use crate::container_runtime::ContainerRuntime;
use crate::daemon::{Daemon, DaemonError};
use crate::janitor::Janitor;
use crate::kubernetes::programs::NodePrograms;
use crate::machine::Machine;
use crate::namespaces::Entrance;
use crate::node::Addresses;
use crate::ovn_root::OvnRoot;
use crate::real_cluster::RealClusterError;

/// Programs of the OVN root that a real node would have in its `PATH`.
const TOOLS: &[&str] = &[
    "ethtool",
    "nc",
    "nft",
    "ovn-appctl",
    "ovn-controller",
    "ovn-nbctl",
    "ovn-sbctl",
    "ovs-appctl",
    "ovs-ofctl",
    "ovs-vsctl",
    "ping",
    "tcpdump",
];

/// The real parts that every node uses.
#[derive(Debug, Clone)]
pub(super) struct Parts {
    pub(super) root: OvnRoot,
    pub(super) runtime: ContainerRuntime,
    pub(super) programs: NodePrograms,
    pub(super) plugins: CniPlugins,
}

impl Parts {
    pub(super) fn find() -> Result<Self, RealClusterError> {
        Ok(Self {
            root: OvnRoot::find()?,
            runtime: ContainerRuntime::find()?,
            programs: NodePrograms::find()?,
            plugins: CniPlugins::find()?,
        })
    }
}

/// What the programs of one node stand on.
#[derive(Debug)]
pub(super) struct Ground {
    pub(super) machine: Machine,
    pub(super) network: Entrance,
    pub(super) name: String,
    pub(super) addresses: Addresses,
    pub(super) folder: PathBuf,
    pub(super) cgroup: String,
    pub(super) parts: Parts,
    pub(super) janitor: Janitor,
}

impl Ground {
    /// The same command, run on the node.
    pub(super) fn enter(&self, command: &Command) -> Command {
        let mut outer = self.machine.enter(command);
        if !command.get_envs().any(|(name, _)| name == "PATH") {
            outer.env("PATH", self.path());
        }
        outer
    }

    /// Starts a program on the node, logging into the node's folder.
    pub(super) fn start(&self, program: &str, command: &Command) -> Result<Daemon, DaemonError> {
        let log = self.folder.join(format!("{program}.log"));
        let name = format!("{program} {}", self.name);
        Daemon::start(&self.janitor, &name, &self.enter(command), &log)
    }

    /// Makes the node's tools: small scripts, because programs of the OVN root need its loader.
    pub(super) fn make_tools(&self) -> Result<(), RealClusterError> {
        let folder = self.tools();
        let failed = |source| RealClusterError::Write { path: self.tools(), source };
        fs::create_dir_all(&folder).map_err(failed)?;
        for tool in TOOLS.iter().filter(|tool| self.parts.root.holds(tool)) {
            let path = folder.join(tool);
            fs::write(&path, script(&self.parts.root.command(tool))).map_err(failed)?;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).map_err(failed)?;
        }
        Ok(())
    }

    fn tools(&self) -> PathBuf {
        self.folder.join("bin")
    }

    fn path(&self) -> OsString {
        let host = env::var_os("PATH").unwrap_or_default();
        let own = iter::once(self.tools()).chain(self.parts.runtime.folders());
        let system = ["/usr/sbin", "/usr/bin", "/sbin", "/bin"].map(PathBuf::from);
        let all = own.chain(env::split_paths(&host)).chain(system);
        env::join_paths(all).expect("no folder of a path holds a colon")
    }
}

/// A script that runs a command with whatever arguments it is given.
fn script(command: &Command) -> String {
    let quoted =
        |text: &std::ffi::OsStr| format!("'{}'", text.to_string_lossy().replace('\'', "'\\''"));
    let mut text = String::from("#!/bin/sh\n");
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            text += &format!("export {}={}\n", name.to_string_lossy(), quoted(value));
        }
    }
    let words = iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<String> = words.map(quoted).collect();
    text + &format!("exec {} \"$@\"\n", words.join(" "))
}

/// Writes a file of the node.
pub(super) fn write(path: &Path, text: &str) -> Result<(), RealClusterError> {
    fs::write(path, text)
        .map_err(|source| RealClusterError::Write { path: path.to_owned(), source })
}
