//! A real node: a lab node's network, and a machine in it with containerd and kubelet.
//!
//! Reads a [`Place`]; returns a [`RealNode`] whose kubelet is up. It is Ready once somebody writes
//! a CNI configuration.
//! Invariant: whatever runs on the node, pods included, ends with its machine.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use crate::cgroup;
use crate::daemon::Daemon;
use crate::janitor::Janitor;
use crate::machine::Machine;
use crate::namespaces::Namespace;
use crate::node::{Fabric, Installed, Node, NodeSettings};
use crate::real_cluster::ground::{Ground, Parts};
use crate::real_cluster::{RealClusterError, cni, containerd, kubelet};
use crate::run::run;

/// The name of the administrator's kubeconfig in the node's folder.
pub(super) const KUBECONFIG: &str = "kubeconfig";

/// Where a host's Open vSwitch has its sockets.
const SWITCH_FOLDER: &str = "/run/openvswitch";

/// Where a node is made, and of what.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) fabric: Arc<Fabric>,
    pub(super) parts: Parts,
    pub(super) settings: NodeSettings,
    /// The control group for its pods.
    pub(super) cgroup: String,
}

/// A node that runs pods.
///
/// The fields are dropped from top to bottom, so that no program outlives what it talks to.
#[derive(Debug)]
pub struct RealNode {
    kubelet: Option<Daemon>,
    containerd: Option<Daemon>,
    ground: Ground,
    lab: Node,
    fabric: Arc<Fabric>,
}

impl RealNode {
    /// Boots a node up to its container runtime; its kubelet needs an API server first.
    pub(super) fn boot(place: Place) -> Result<Self, RealClusterError> {
        let Place { fabric, parts, settings, cgroup } = place;
        let janitor = fabric.janitor().clone();
        let lab = Node::start_with(&parts.root, &fabric, settings)?;
        let folder = janitor.folder()?;
        let name = lab.name().to_owned();
        let machine = boot(&janitor, &lab, &folder)?;
        let addresses = lab.settings().addresses;
        let network = lab.namespace().entrance();
        let ground = Ground { machine, network, name, addresses, folder, cgroup, parts, janitor };
        ground.make_tools()?;
        let containerd = Some(containerd::start(&ground)?);
        for image in ground.parts.runtime.images() {
            containerd::import(&ground, &image)?;
        }
        Ok(Self { kubelet: None, containerd, ground, lab, fabric })
    }

    /// The node's name.
    pub fn name(&self) -> &str {
        &self.ground.name
    }

    /// The node's network namespace.
    pub fn namespace(&self) -> &Namespace {
        self.lab.namespace()
    }

    /// The node's OVN and Open vSwitch.
    pub fn lab_node(&self) -> &Node {
        &self.lab
    }

    /// The same, to restart its programs.
    pub fn lab_node_mut(&mut self) -> &mut Node {
        &mut self.lab
    }

    /// The node's addresses, IPv4 first.
    pub fn addresses(&self) -> impl Iterator<Item = IpAddr> {
        self.ground.addresses.iter()
    }

    /// The node's folder, which has the same path on the node and also holds its logs.
    pub fn folder(&self) -> &Path {
        &self.ground.folder
    }

    /// What the node knows as `/etc/cni/net.d`.
    pub fn cni_conf_folder(&self) -> PathBuf {
        self.folder().join("cni-conf")
    }

    /// What the node knows as `/opt/cni/bin`.
    pub fn cni_bin_folder(&self) -> PathBuf {
        self.folder().join("cni-bin")
    }

    /// The kubeconfig of an administrator, for programs on the node; it has the same path there.
    pub fn kubeconfig(&self) -> PathBuf {
        self.folder().join(KUBECONFIG)
    }

    /// Where the node's own files, such as `/run/netns`, are seen from outside; a reboot moves it.
    pub fn root(&self) -> PathBuf {
        self.ground.machine.root()
    }

    /// The same command, run on the node: in its network, with its mounts, among its programs.
    ///
    /// It finds nft, ethtool, ping and the tools of OVN and Open vSwitch by their names.
    pub fn enter(&self, command: &Command) -> Command {
        self.ground.enter(command)
    }

    /// The same command, with a control group and a namespace of control groups of its own, as container runtimes
    /// have it; `None` where there is no version 2 of them.
    pub fn contain(&self, command: &Command) -> Result<Option<Command>, RealClusterError> {
        let group = cgroup::renew(&format!("{}-contained", self.ground.cgroup))?;
        let contained =
            |folder: PathBuf| cgroup::begun_in(&folder, command, &["unshare", "--cgroup"]);
        Ok(group.map(contained))
    }

    /// Who takes away what is made on the node, for programs that a test starts there.
    pub fn janitor(&self) -> &Janitor {
        &self.ground.janitor
    }

    /// Brings an image in, from a file such as [`crate::image::Image::pack`] makes.
    pub fn import_image(&self, image: &Path) -> Result<(), RealClusterError> {
        containerd::import(&self.ground, image)
    }

    /// Puts the reference plugins into the node's plugin folder.
    pub fn install_plugins(&self) -> Result<(), RealClusterError> {
        cni::install_plugins(self)
    }

    /// Makes a Linux bridge of the node its pods' network, by the reference plugins.
    pub fn install_bridge(&self, subnet: &str) -> Result<(), RealClusterError> {
        cni::install_bridge(self, subnet)
    }

    /// Puts Multus before the plugin of `default_conf`, the text of a CNI configuration or list.
    pub fn install_multus(&self, default_conf: &str) -> Result<(), RealClusterError> {
        cni::install_multus(self, default_conf)
    }

    /// Writes a file of the node's CNI configuration folder, by a rename.
    pub fn write_cni_conf(&self, name: &str, text: &str) -> Result<(), RealClusterError> {
        cni::write_conf(self, name, text)
    }

    /// Puts a program into the node's plugin folder under a name.
    pub fn install_plugin(&self, name: &str, program: &Path) -> Result<(), RealClusterError> {
        cni::install(self, name, program)
    }

    /// Starts kubelet unless it runs.
    pub fn start_kubelet(&mut self) -> Result<(), RealClusterError> {
        if self.kubelet.as_mut().is_some_and(Daemon::is_running) {
            return Ok(());
        }
        self.kubelet = Some(kubelet::start(&self.ground)?);
        Ok(())
    }

    /// Ends kubelet as a crash would; pods go on. Its control group goes with it.
    pub fn stop_kubelet(&mut self) {
        self.kubelet = None;
        cgroup::leave(&kubelet::group(&self.ground));
    }

    /// The control group that kubelet runs in, from the root of the hierarchy of version 2 on; each start
    /// makes it anew.
    pub fn kubelet_group(&self) -> String {
        kubelet::group(&self.ground)
    }

    /// Crashes containerd and starts it again; pods go on.
    pub fn restart_containerd(&mut self) -> Result<(), RealClusterError> {
        self.containerd = None;
        self.containerd = Some(containerd::start(&self.ground)?);
        Ok(())
    }

    /// Cuts the power and boots again: all programs, pods, links and rules are gone, the disk stays.
    ///
    /// Programs that a test started on the node are ended too, and are not started again.
    pub fn reboot(&mut self) -> Result<(), RealClusterError> {
        self.kubelet = None;
        self.containerd = None;
        self.ground.machine.kill();
        // A kernel that boots knows none; kubelet would take them for containers that run.
        cgroup::clear(&self.ground.cgroup)?;
        self.lab.reboot(&self.fabric)?;
        self.ground.machine = boot(&self.ground.janitor, &self.lab, &self.ground.folder)?;
        self.containerd = Some(containerd::start(&self.ground)?);
        self.start_kubelet()
    }

    pub(super) fn parts(&self) -> &Parts {
        &self.ground.parts
    }
}

/// Boots a node's machine, with the switch where a host's package has it.
fn boot(janitor: &Janitor, lab: &Node, folder: &Path) -> Result<Machine, RealClusterError> {
    let machine = Machine::boot(janitor, lab.namespace(), lab.name(), folder)?;
    if lab.settings().installed == Installed::Switch {
        run(&mut machine.enter(Command::new("mkdir").arg(SWITCH_FOLDER)))?;
        let mut mount = Command::new("mount");
        mount.arg("--bind").arg(&lab.workplace().folder).arg(SWITCH_FOLDER);
        run(&mut machine.enter(&mount))?;
    }
    Ok(machine)
}
