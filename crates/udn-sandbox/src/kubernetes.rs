//! A real Kubernetes on this machine whose networks are ours: kubelets start its pods.
//!
//! Where [`crate::sandbox`] stands in for kubelets and runs our controllers in its own process,
//! here everything is what a cluster has: the programs of Kubernetes, containerd and Multus, `udn
//! controller`, and `udn node` on each node.
//!
//! Reads directories of manifests; returns what came of them.
//! Invariant: whatever it makes is removed with it, however it ends.

use std::collections::BTreeMap;
use std::fs;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use udn_cluster::Problem;
use udn_control::zone::Listing;
use udn_lab::janitor::Janitor;
use udn_lab::node::Node;
use udn_lab::ovn_root::OvnRoot;
use udn_lab::progress::Progress;
use udn_lab::real_cluster::{RealCluster, RealNode};
use udn_model::{ClusterSettings, Family};
use udn_wire::Kind;

use crate::applier::Applier;
use crate::folder::take_over;
use crate::inventory::Inventory;
use crate::lab::introduce;
use crate::manifests::{Manifest, Manifests};
use crate::matrix::{Host, Matrix, Reach, probes};
use crate::pings::Pods;
use crate::server::{ApiServer, KUBECONFIG};
use crate::settled::Settled;
use crate::{drawing, tools};

mod accounts;
mod error;
mod network_programs;
mod places;
mod program_files;
mod readiness;

pub use error::KubernetesError;
pub use network_programs::NetworkPrograms;
pub use program_files::{PLUGIN, ProgramFiles, cluster_settings};
pub use readiness::{Readiness, Share};

/// How long to rest between two looks at how far the cluster has come.
const PAUSE: Duration = Duration::from_millis(300);

/// What is applied, as people read it while it lasts.
const WAITING: &str = "networks and pods Ready";

/// How a real cluster is set up.
#[derive(Debug, Clone)]
pub struct KubernetesSettings {
    /// Where it keeps what other terminals need; made anew, and removed with it.
    pub folder: PathBuf,
    pub nodes: usize,
    pub cluster: ClusterSettings,
    pub files: ProgramFiles,
}

/// A running cluster. The fields are dropped from top to bottom: who acts before what is acted on.
#[derive(Debug)]
pub struct KubernetesSandbox {
    applier: Applier,
    server: ApiServer,
    machines: Machines,
    settings: ClusterSettings,
}

/// What runs, and where.
#[derive(Debug)]
struct Machines {
    programs: NetworkPrograms,
    cluster: RealCluster,
    root: OvnRoot,
    folder: PathBuf,
    /// Dropped last: it removes what the others could not.
    _janitor: Janitor,
}

impl KubernetesSandbox {
    /// Starts a cluster without pods; what an earlier one left behind in the same folder goes first.
    ///
    /// What is dropped meanwhile is removed as soon as the program that is being started stands.
    pub async fn open(
        settings: KubernetesSettings,
        progress: Arc<dyn Progress>,
    ) -> Result<Self, KubernetesError> {
        let cluster = settings.cluster.clone();
        let machines = tokio::task::spawn_blocking(move || Machines::start(settings, progress));
        let machines = machines.await.expect("starting does not panic")?;
        let server = ApiServer::attach(machines.cluster.kubeconfig()).await?;
        let applier = Applier::new(server.client());
        Ok(Self { applier, server, machines, settings: cluster })
    }

    /// Applies the manifests of a directory; returns what is wrong with them, and what was left out.
    pub async fn apply(&mut self, manifests: &Path) -> Result<Vec<Problem>, KubernetesError> {
        let mut manifests = Manifests::read(manifests)?;
        let mut problems = std::mem::take(&mut manifests.problems);
        let is_node = |it: &Manifest| Kind::find(&it.api_version, &it.kind) == Some(Kind::Node);
        problems.extend(manifests.objects.iter().filter(|it| is_node(it)).map(left_out));
        manifests.objects.retain(|it| !is_node(it));
        problems.extend(self.applier.apply(&manifests, &self.server).await?);
        Ok(problems)
    }

    /// Waits until networks and pods are Ready, for a while; returns how far they came.
    pub async fn wait_ready(
        &self,
        limit: Duration,
        progress: &dyn Progress,
    ) -> Result<Readiness, KubernetesError> {
        progress.begun(WAITING);
        let begun = Instant::now();
        loop {
            let readiness = Readiness::read(&self.server.client()).await?;
            if readiness.is_whole() {
                progress.done(WAITING, begun.elapsed());
                return Ok(readiness);
            }
            if begun.elapsed() >= limit {
                return Ok(readiness);
            }
            progress.reached(WAITING, &readiness.to_string());
            // waits: several controllers have their say, and none of them tells when it is done
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// What the cluster complained of last, about pods that are not ready.
    pub async fn complaints(&self) -> Result<Vec<String>, KubernetesError> {
        readiness::complaints(&self.server.client()).await
    }

    /// Draws what stands, and pings everybody from everybody.
    pub async fn survey(&self) -> Result<(String, Matrix), KubernetesError> {
        let listing = Listing::read(&self.server.client(), &Kind::ALL).await?;
        let settled = Settled::of(listing, &self.settings);
        let hosts = self.machines.hosts();
        let drawing = drawing::draw(&settled.intent, &settled.grants, &hosts);
        let pods = tokio::task::block_in_place(|| self.machines.pods())?;
        let mut probes = probes(&settled.intent, &settled.grants, &hosts);
        // Pods that run on the host's own network, or do not run yet, have no place of their own.
        probes.retain(|it| pods.has_all(it));
        Ok((drawing, pods.probe(&probes).await?))
    }

    /// Where kubectl finds how to reach the API server.
    pub fn kubeconfig(&self) -> PathBuf {
        self.machines.folder.join(KUBECONFIG)
    }

    /// A kubectl of the cluster's own version, which needs no flags to find it.
    pub fn kubectl(&self) -> PathBuf {
        tools::kubectl(&self.machines.folder)
    }

    /// The names of the nodes.
    pub fn nodes(&self) -> impl Iterator<Item = &str> {
        self.machines.cluster.nodes().iter().map(RealNode::name)
    }

    /// Where the programs of ours tell what they do.
    pub fn logs(&self) -> impl Iterator<Item = (&str, &Path)> {
        self.machines.programs.logs()
    }
}

impl Machines {
    fn start(
        settings: KubernetesSettings,
        progress: Arc<dyn Progress>,
    ) -> Result<Self, KubernetesError> {
        let KubernetesSettings { folder, nodes, cluster: network, files } = settings;
        let janitor = take_over(&folder).map_err(Box::new)?;
        let root = OvnRoot::find()?;
        let builder = RealCluster::builder().nodes(nodes).janitor(janitor.clone());
        let cluster = builder.progress(Arc::clone(&progress)).start()?;
        let programs = NetworkPrograms::start(files, network, &cluster, &*progress)?;
        let machines = Self { programs, cluster, root, folder, _janitor: janitor };
        machines.tell_others()?;
        Ok(machines)
    }

    /// Leaves in the folder what other terminals need.
    fn tell_others(&self) -> Result<(), KubernetesError> {
        let written = |path: &Path, command: &Command| {
            let failed = |source| KubernetesError::Write { path: path.to_owned(), source };
            tools::write_script(path, command).map_err(failed)
        };
        let kubeconfig = self.folder.join(KUBECONFIG);
        let copied = fs::copy(self.cluster.kubeconfig(), &kubeconfig);
        copied.map_err(|source| KubernetesError::Write { path: kubeconfig.clone(), source })?;
        written(&tools::kubectl(&self.folder), &self.cluster.kubectl())?;
        for node in self.cluster.nodes() {
            let path = tools::on_node(&self.folder, node.name());
            written(&path, &node.enter(&anything(node.lab_node())))?;
        }
        let nodes = self.cluster.nodes().iter();
        let inventory = Inventory {
            process: std::process::id(),
            kubeconfig,
            nodes: nodes.map(|it| (it.name().to_owned(), it.namespace().path().into())).collect(),
            has_kubelets: true,
            ..Inventory::default()
        };
        Ok(inventory.write(&self.folder)?)
    }

    /// The host that is neither pod nor node.
    fn hosts(&self) -> Vec<Host> {
        let alone = |ip: IpAddr| {
            let text = format!("{ip}/{}", Family::of(ip).longest_prefix());
            text.parse().expect("an address with the length of its family")
        };
        let addresses = self.cluster.outside_addresses().map(alone).collect();
        vec![Host { name: "outside".to_owned(), addresses, reach: Reach::Outside }]
    }

    /// Where pods and hosts are, with nodes that know each other.
    fn pods(&self) -> Result<Pods, KubernetesError> {
        introduce(self.cluster.nodes().iter().map(RealNode::lab_node))
            .map_err(|source| KubernetesError::Introduce { source })?;
        let mut entrances = BTreeMap::new();
        for node in self.cluster.nodes() {
            entrances.extend(places::pods(node)?);
        }
        let outside = self.cluster.outside().namespace().entrance();
        let hosts = [("outside".to_owned(), outside)].into();
        Ok(Pods { root: self.root.clone(), entrances, hosts })
    }
}

/// A command that runs its arguments, and tells tools where the node's OVN and Open vSwitch are.
fn anything(node: &Node) -> Command {
    let mut command = Command::new("env");
    for (name, value) in node.ofctl().get_envs() {
        value.map(|value| command.env(name, value));
    }
    command.env("OVN_NB_DB", node.northbound().remote());
    command.env("OVN_SB_DB", node.southbound().remote());
    command
}

fn left_out(node: &Manifest) -> Problem {
    let name = node.name();
    node.problem(&[], format!("Node {name} is left out: kubelets make the nodes here"))
}
