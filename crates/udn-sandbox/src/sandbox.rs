//! The sandbox itself: a lab, both controllers, and an agent for every node.
//!
//! Reads directories of manifests; makes the cluster stand accordingly, as often as asked.
//! Invariant: applying the same manifests twice changes nothing the second time.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::try_join_all;
use ovsdb_net::client::ClientError;
use udn_cluster::Problem;
use udn_control::zone::{Batch, ConfirmError, PassError, ZonePass};
use udn_control::{ClusterController, Directory, Registry, RegistryError, cluster};
use udn_lab::janitor::{self, Janitor, JanitorError};
use udn_lab::namespaces::{Namespace, NamespaceError};
use udn_lab::node::NodeError;
use udn_lab::ovn_root::{OvnRoot, OvnRootError};
use udn_model::{ClusterSettings, Findings, Grants, Intent, NodeName, ObjectName, Receipt};
use udn_node::HostError;

use crate::agent::Agent;
use crate::inventory::{Inventory, InventoryError};
use crate::lab::Lab;
use crate::layout;
use crate::matrix::{Host, Matrix, probes};
use crate::memory;
use crate::pings::{PingError, Pods};
use crate::places::Places;

/// Why a sandbox does not stand.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    #[error("a sandbox is running already (process {process}); end it there with Ctrl-C")]
    Running { process: u32 },
    #[error("could not prepare the folder {path}")]
    Folder { path: PathBuf, source: io::Error },
    #[error("could not remove what an earlier sandbox left behind")]
    Leftovers { source: JanitorError },
    #[error("could not prepare to clean up")]
    Janitor { source: JanitorError },
    #[error("OVN is not there")]
    Root {
        #[from]
        source: OvnRootError,
    },
    #[error("could not build the lab")]
    Lab {
        #[from]
        source: NodeError,
    },
    #[error("could not make a pod's namespace")]
    Pod {
        #[from]
        source: NamespaceError,
    },
    #[error("could not read or publish manifests")]
    Registry {
        #[from]
        source: RegistryError,
    },
    #[error("the manifests have no Node; add one for every node that the sandbox shall have")]
    NoNodes,
    #[error("{text} is no address of a database")]
    Remote { text: String },
    #[error("could not open the controller of {node}")]
    Controller { node: NodeName, source: ClientError },
    #[error("the turn of {node} failed")]
    Turn { node: NodeName, source: PassError },
    #[error("could not bring the host of {node} up to date")]
    Host { node: NodeName, source: Box<HostError> },
    #[error("OVN on {node} did not say that it is done")]
    Confirm { node: NodeName, source: ConfirmError },
    #[error("could not write down what was made")]
    Inventory {
        #[from]
        source: InventoryError,
    },
    #[error("could not ping")]
    Ping {
        #[from]
        source: PingError,
    },
}

impl SandboxError {
    pub(crate) fn host(node: &NodeName, source: HostError) -> Self {
        Self::Host { node: node.clone(), source: Box::new(source) }
    }
}

/// How a sandbox is set up.
#[derive(Debug, Clone)]
pub struct SandboxSettings {
    /// Where it keeps its state; made anew, and removed with it.
    pub folder: PathBuf,
    pub cluster: ClusterSettings,
}

/// What a sandbox is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    Lab,
    Settle,
    Provider,
    Unplug,
    Commit,
    Hosts,
    Matrix,
}

impl Stage {
    /// What people read while it lasts.
    pub fn title(self) -> &'static str {
        match self {
            Self::Lab => "start nodes with OVN, and the host outside",
            Self::Settle => "read manifests, grant numbers, publish them",
            Self::Provider => "wire nodes to the provider's network",
            Self::Unplug => "unplug pods and networks that left",
            Self::Commit => "draw and commit OVN rows on every node",
            Self::Hosts => "build hosts and pods, wait until ports are up",
            Self::Matrix => "ping",
        }
    }
}

/// Hears what a sandbox does.
pub trait Watch {
    fn begun(&mut self, stage: Stage);
    fn done(&mut self, stage: Stage, took: Duration);
}

/// What came of applying manifests.
#[derive(Debug, Clone)]
pub struct Applied {
    pub intent: Intent,
    pub grants: Grants,
    /// How many objects were published.
    pub published: usize,
    pub receipt: Receipt,
    pub host_changes: usize,
    /// The plans that were committed on each node, as people read them.
    pub plans: Vec<(NodeName, Batch, String)>,
    pub findings: Findings,
    pub problems: Vec<Problem>,
}

impl Applied {
    /// Whether nothing had to be done.
    pub fn is_empty(&self) -> bool {
        self.published == 0 && self.receipt.is_empty() && self.host_changes == 0
    }
}

/// A running sandbox. The fields are dropped from top to bottom: who acts before what is acted on.
#[derive(Debug)]
pub struct Sandbox {
    agents: BTreeMap<NodeName, Agent>,
    places: Places,
    lab: Lab,
    controller: ClusterController<Directory>,
    settings: Arc<ClusterSettings>,
    folder: PathBuf,
}

impl Sandbox {
    /// Makes an empty sandbox; what an earlier one left behind in the same folder goes first.
    pub fn open(settings: SandboxSettings) -> Result<Self, SandboxError> {
        let SandboxSettings { folder, cluster } = settings;
        let janitor = take_over(&folder)?;
        let lab = Lab::start(OvnRoot::find()?, janitor)?;
        let directory = Directory::new(folder.join("none")).with_state(folder.join("state"));
        let controller = ClusterController::new(directory, cluster.clone());
        let settings = Arc::new(cluster);
        let (agents, places) = (BTreeMap::new(), Places::default());
        Ok(Self { agents, places, lab, controller, settings, folder })
    }

    /// Makes the cluster stand as the manifests in `manifests` say.
    pub async fn apply(
        &mut self,
        manifests: &Path,
        watch: &mut dyn Watch,
    ) -> Result<Applied, SandboxError> {
        let directory = self.controller.registry.with_manifests(manifests);
        directory.prune()?;
        timed(Stage::Lab, watch, self.keep_lab(&directory)).await?;
        let settled = timed(Stage::Settle, watch, self.settle(&directory)).await?;
        timed(Stage::Provider, watch, async {
            Ok(tokio::task::block_in_place(|| self.lab.keep_provider(&settled.intent))?)
        })
        .await?;
        let unplugged = timed(Stage::Unplug, watch, self.unplug(&settled.intent)).await?;
        let committed = timed(Stage::Commit, watch, self.commit()).await?;
        let turns: BTreeMap<&NodeName, &ZonePass> =
            committed.iter().map(|(node, turn, _)| (node, turn)).collect();
        let built =
            timed(Stage::Hosts, watch, self.build(&directory, &settled.intent, &turns)).await?;
        self.inventory().write(&self.folder)?;
        Ok(report(settled, committed, unplugged + built))
    }

    /// Pings everybody from everybody.
    pub async fn probe(
        &self,
        applied: &Applied,
        watch: &mut dyn Watch,
    ) -> Result<Matrix, SandboxError> {
        let probes = probes(&applied.intent, &applied.grants, &self.hosts());
        let hosts = self.lab.host_namespaces().into_iter();
        let hosts = hosts.map(|(name, namespace)| (name, namespace.entrance())).collect();
        let root = self.lab.root.clone();
        let pods = Pods { root, entrances: self.places.entrances(), hosts };
        let matrix = timed(Stage::Matrix, watch, async {
            Ok::<_, SandboxError>(pods.probe(&probes).await?)
        });
        matrix.await
    }

    /// The hosts that are no pods.
    pub fn hosts(&self) -> Vec<Host> {
        self.lab.hosts()
    }

    /// How much memory the programs of each node use, in KiB.
    pub fn memory(&self) -> BTreeMap<NodeName, u64> {
        let nodes = self.lab.nodes.iter();
        let used = nodes.map(|(name, node)| {
            let pids = node.namespace().pids().unwrap_or_default();
            (name.clone(), memory::kibibytes(&pids))
        });
        used.collect()
    }

    /// The namespace of a pod.
    pub fn pod(&self, pod: &ObjectName) -> Option<&Namespace> {
        self.places.namespace(pod)
    }

    /// A node of the lab.
    pub fn node(&self, node: &NodeName) -> Option<&udn_lab::node::Node> {
        self.lab.nodes.get(node)
    }

    /// The namespace of a host that is no pod, by its name.
    pub fn host(&self, name: &str) -> Option<&Namespace> {
        self.lab.host_namespaces().remove(name)
    }

    /// Where grants are published.
    pub fn state_folder(&self) -> PathBuf {
        self.folder.join("state")
    }

    async fn keep_lab(&mut self, directory: &Directory) -> Result<(), SandboxError> {
        let nodes: Vec<NodeName> = directory.read()?.world.nodes.keys().cloned().collect();
        if nodes.is_empty() {
            return Err(SandboxError::NoNodes);
        }
        self.agents.retain(|name, _| nodes.contains(name));
        tokio::task::block_in_place(|| self.lab.keep_nodes(&nodes))?;
        for (name, node) in &self.lab.nodes {
            if !self.agents.contains_key(name) {
                let agent = Agent::start(name, node, directory, &self.settings).await?;
                self.agents.insert(name.clone(), agent);
            }
        }
        let reports = self.lab.nodes.values().map(|node| layout::report(node.settings()));
        let told: Vec<_> = reports.map(|report| layout::publication(&report)).collect();
        Ok(directory.publish(&told).await?)
    }

    async fn settle(
        &mut self,
        directory: &Directory,
    ) -> Result<cluster::ClusterPass, SandboxError> {
        self.controller.registry = directory.clone();
        self.agents.values_mut().for_each(|agent| agent.follow(directory));
        Ok(cluster::turn(&mut self.controller).await?)
    }

    async fn unplug(&mut self, intent: &Intent) -> Result<usize, SandboxError> {
        let unplugs = self.agents.values_mut().map(|agent| agent.unplug(intent));
        Ok(try_join_all(unplugs).await?.into_iter().sum())
    }

    async fn commit(&self) -> Result<Committed, SandboxError> {
        let turns = self.agents.iter().map(|(name, agent)| async move {
            let (turn, plans) = agent.commit().await?;
            Ok((name.clone(), turn, plans))
        });
        try_join_all(turns).await
    }

    async fn build(
        &mut self,
        directory: &Directory,
        intent: &Intent,
        turns: &BTreeMap<&NodeName, &ZonePass>,
    ) -> Result<usize, SandboxError> {
        self.places.add(intent, &self.lab.janitor)?;
        let (world, places) = (directory.read()?.world, self.places.all());
        let builds = self.agents.iter_mut().filter_map(|(name, agent)| {
            let turn = turns.get(name)?;
            Some(agent.build(turn, &world, &places))
        });
        let changes = try_join_all(builds).await?;
        tokio::task::block_in_place(|| self.lab.introduce_nodes())?;
        self.places.remove_gone(intent);
        Ok(changes.into_iter().sum())
    }

    fn inventory(&self) -> Inventory {
        let path = |namespace: &Namespace| namespace.path().to_owned();
        let nodes = self.lab.nodes.iter();
        Inventory {
            process: std::process::id(),
            nodes: nodes.map(|(name, node)| (name.to_string(), path(node.namespace()))).collect(),
            pods: self
                .places
                .all()
                .into_iter()
                .map(|(pod, place)| (pod.to_string(), place.namespace))
                .collect(),
            hosts: self
                .lab
                .host_namespaces()
                .into_iter()
                .map(|(name, namespace)| (name, path(namespace)))
                .collect(),
        }
    }
}

type Committed = Vec<(NodeName, ZonePass, Vec<(Batch, String)>)>;

/// Makes the folder ours: nobody else runs in it, and nothing of an earlier sandbox is left.
fn take_over(folder: &Path) -> Result<Janitor, SandboxError> {
    if let Ok(Inventory { process, .. }) = Inventory::read(folder)
        && is_alive(process)
    {
        return Err(SandboxError::Running { process });
    }
    let book = folder.join("book");
    janitor::settle(&book).map_err(|source| SandboxError::Leftovers { source })?;
    let failed = |source| SandboxError::Folder { path: folder.to_owned(), source };
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(failed)?;
    }
    fs::create_dir_all(folder).map_err(failed)?;
    let refused = |source| SandboxError::Janitor { source };
    let janitor = Janitor::hire_with_book(&book).map_err(refused)?;
    janitor.owe_folder(folder).map_err(refused)?;
    let inventory = Inventory { process: std::process::id(), ..Inventory::default() };
    inventory.write(folder)?;
    Ok(janitor)
}

fn is_alive(process: u32) -> bool {
    process != std::process::id() && Path::new(&format!("/proc/{process}")).exists()
}

async fn timed<T>(
    stage: Stage,
    watch: &mut dyn Watch,
    work: impl Future<Output = Result<T, SandboxError>>,
) -> Result<T, SandboxError> {
    watch.begun(stage);
    let start = Instant::now();
    let outcome = work.await?;
    watch.done(stage, start.elapsed());
    Ok(outcome)
}

fn report(settled: cluster::ClusterPass, committed: Committed, host_changes: usize) -> Applied {
    let mut applied = Applied {
        intent: settled.intent,
        grants: settled.grants,
        published: settled.published,
        receipt: Receipt::default(),
        host_changes,
        plans: Vec::new(),
        findings: settled.findings,
        problems: settled.problems,
    };
    for (node, turn, plans) in committed {
        applied.receipt = applied.receipt.plus(turn.report.receipt);
        for finding in turn.report.findings {
            // Every node reads the same manifests and says the same about them.
            if !applied.findings.contains(&finding) {
                applied.findings.push(finding);
            }
        }
        applied.plans.extend(plans.into_iter().map(|(batch, plan)| (node.clone(), batch, plan)));
    }
    applied
}
