//! A whole Kubernetes on this machine: a control plane, and nodes with kubelet and containerd that
//! run pods.
//!
//! Reads what set-up made; returns a [`RealCluster`] whose nodes are registered. Each node is a
//! lab node (its own OVN and Open vSwitch) with processes, mounts and files of its own. Nodes
//! become Ready once somebody gives them a CNI configuration; nothing here does that by itself.
//! Invariant: nothing is installed, mounted or configured on the host, and two clusters share
//! nothing, not even a network.

use std::io;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use crate::cgroup::{Cgroup, CgroupError};
use crate::cni_plugins::CniPluginsError;
use crate::container_runtime::ContainerRuntimeError;
use crate::daemon::DaemonError;
use crate::end_to_end::EndToEndError;
use crate::host::Host;
use crate::janitor::JanitorError;
use crate::kubernetes::programs::ProgramsError;
use crate::kubernetes::{Client, Cluster, ClusterError, Place};
use crate::machine::MachineError;
use crate::node::{Fabric, NodeError};
use crate::ovn_root::OvnRootError;
use crate::run::{RunError, run};
use crate::wait::{TimedOut, wait_for};

mod builder;
mod cni;
mod containerd;
mod end_to_end;
mod ground;
mod kubelet;
mod layout;
mod node;

pub use crate::container_runtime::{BUSYBOX_IMAGE, PAUSE_IMAGE};
pub use builder::Builder;
pub use layout::SERVICE_RANGES;
pub use node::RealNode;

/// How long nodes may take to register or to become Ready: generous, for a machine that does much
/// else besides.
const NODE_LIMIT: Duration = Duration::from_secs(120);

/// Why there is no real cluster.
#[derive(Debug, thiserror::Error)]
pub enum RealClusterError {
    #[error("could not find the container runtime")]
    Runtime {
        #[from]
        source: ContainerRuntimeError,
    },
    #[error("could not find kubelet and scheduler")]
    Programs {
        #[from]
        source: ProgramsError,
    },
    #[error("could not find the CNI plugins")]
    Plugins {
        #[from]
        source: CniPluginsError,
    },
    #[error("could not find the end-to-end suite")]
    EndToEnd {
        #[from]
        source: EndToEndError,
    },
    #[error("could not find OVN")]
    OvnRoot {
        #[from]
        source: OvnRootError,
    },
    #[error("could not prepare a folder")]
    Janitor {
        #[from]
        source: JanitorError,
    },
    #[error("could not make the control groups")]
    Cgroup {
        #[from]
        source: CgroupError,
    },
    #[error("could not start the control plane")]
    ControlPlane {
        #[from]
        source: ClusterError,
    },
    #[error("could not start a node's network")]
    Node {
        #[from]
        source: NodeError,
    },
    #[error("could not start a node's machine")]
    Machine {
        #[from]
        source: MachineError,
    },
    #[error("could not start a node's program")]
    Daemon {
        #[from]
        source: DaemonError,
    },
    #[error("could not ask or tell a node")]
    Run {
        #[from]
        source: RunError,
    },
    #[error("could not write {path}")]
    Write { path: PathBuf, source: io::Error },
    #[error("the nodes did not come so far; the API server says\n{nodes}")]
    Late { nodes: String, source: TimedOut },
}

/// A running cluster; dropping it ends and removes everything.
///
/// The fields are dropped from top to bottom, so that no program outlives what it talks to.
#[derive(Debug)]
pub struct RealCluster {
    nodes: Vec<RealNode>,
    control_plane: Cluster,
    outside: Host,
    /// Where the control plane lives.
    _host: Host,
    cgroup: Cgroup,
    fabric: Arc<Fabric>,
}

impl RealCluster {
    /// Starts to describe a cluster.
    pub fn builder() -> Builder {
        Builder::new()
    }

    /// All nodes.
    pub fn nodes(&self) -> &[RealNode] {
        &self.nodes
    }

    /// All nodes, to stop and start what is on them.
    pub fn nodes_mut(&mut self) -> &mut [RealNode] {
        &mut self.nodes
    }

    /// A kubectl for this cluster, to be completed with arguments.
    pub fn kubectl(&self) -> Command {
        self.control_plane.kubectl()
    }

    /// The kubeconfig of an administrator, for programs outside of the nodes, such as the test.
    pub fn kubeconfig(&self) -> &Path {
        self.control_plane.kubeconfig()
    }

    /// Writes a kubeconfig with a token.
    pub fn write_kubeconfig(
        &self,
        token: &str,
        place: Place,
        path: &Path,
    ) -> Result<(), RealClusterError> {
        Ok(self.control_plane.write_kubeconfig(Client::Bearer { token }, place, path)?)
    }

    /// The control plane.
    pub fn control_plane(&self) -> &Cluster {
        &self.control_plane
    }

    /// The network between nodes.
    pub fn fabric(&self) -> &Fabric {
        &self.fabric
    }

    /// A host on the fabric that is no node; it is every node's default gateway.
    pub fn outside(&self) -> &Host {
        &self.outside
    }

    /// The addresses of that host.
    pub fn outside_addresses(&self) -> impl Iterator<Item = IpAddr> {
        layout::outside().iter().collect::<Vec<_>>().into_iter()
    }

    /// The control group of all pods, below the root of each hierarchy.
    pub fn cgroup(&self) -> &str {
        self.cgroup.name()
    }

    /// Brings an image to all nodes, from a file such as [`crate::image::Image::pack`] makes.
    pub fn import_image(&self, image: &Path) -> Result<(), RealClusterError> {
        each(&self.nodes, |node| node.import_image(image)).map(drop)
    }

    /// A command that runs specs of Kubernetes' own end-to-end suite, to be completed with flags.
    ///
    /// `focus` is a regular expression; only specs about networks are built, and only agnhost,
    /// busybox and pause are there as images.
    pub fn end_to_end(&self, focus: &str) -> Result<Command, RealClusterError> {
        end_to_end::command(self, focus)
    }

    /// Waits until all nodes are Ready, which takes a CNI configuration on each.
    pub fn wait_ready(&self) -> Result<(), RealClusterError> {
        let status = r#"{.items[*].status.conditions[?(@.type=="Ready")].status}"#;
        self.wait_nodes("Ready nodes", status, "True")
    }

    fn wait_registered(&self) -> Result<(), RealClusterError> {
        let address = r#"{.items[*].status.addresses[?(@.type=="Hostname")].type}"#;
        self.wait_nodes("registered nodes", address, "Hostname")
    }

    /// Waits until what is told of the nodes is the same `word` for each.
    fn wait_nodes(&self, what: &str, path: &str, word: &str) -> Result<(), RealClusterError> {
        let are_there = || {
            let mut command = self.kubectl();
            command.args(["get", "nodes", "-o", &format!("jsonpath={path}")]);
            let text = run(&mut command).ok()?;
            let words: Vec<&str> = text.split_whitespace().collect();
            (words == vec![word; self.nodes.len()]).then_some(())
        };
        wait_for(what, NODE_LIMIT, are_there).map_err(|source| {
            let nodes = run(self.kubectl().args(["describe", "nodes"])).unwrap_or_default();
            RealClusterError::Late { nodes, source }
        })
    }
}

impl Drop for RealCluster {
    fn drop(&mut self) {
        // Ending a node takes a second or two, nearly all of it waiting for the kernel.
        std::thread::scope(|scope| {
            for node in self.nodes.drain(..) {
                scope.spawn(move || drop(node));
            }
        });
    }
}

/// Does the same for each thing at once, and returns the outcomes in order.
fn each<T: Sync, R: Send>(
    things: &[T],
    work: impl Fn(&T) -> Result<R, RealClusterError> + Sync,
) -> Result<Vec<R>, RealClusterError> {
    std::thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = things.iter().map(|thing| scope.spawn(move || work(thing))).collect();
        let outcomes = threads.into_iter().map(|thread| thread.join().expect("no panic inside"));
        outcomes.collect()
    })
}
