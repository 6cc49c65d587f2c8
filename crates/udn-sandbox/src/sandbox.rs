//! The sandbox itself: an API server, a lab, both controllers, and an agent for every node.
//!
//! Reads directories of manifests; makes the cluster stand accordingly, as often as asked.
//! Invariant: applying the same manifests twice changes nothing the second time.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::future::try_join_all;
use kube::Client;
use udn_control::zone::Listing;
use udn_lab::namespaces::Namespace;
use udn_lab::ovn_root::OvnRoot;
use udn_model::{ClusterSettings, NodeName, ObjectName, Receipt};
use udn_wire::object::Pod;
use udn_wire::{Kind, Target};
use udn_zone::KINDS;

use crate::agent::Agent;
use crate::applied::{Applied, Zones, add, changed};
use crate::applier::Applier;
use crate::controller::Controller;
use crate::error::SandboxError;
use crate::folder::take_over;
use crate::inventory::{Inventory, PodAttachment};
use crate::lab::Lab;
use crate::leaving::Leaving;
use crate::manifests::Manifests;
use crate::matrix::{Endpoint, Host, Matrix, Source, endpoints, probes};
use crate::pings::Pods;
use crate::places::Places;
use crate::server::{ApiServer, ApiSource, service_subnets};
use crate::settled::Settled;
use crate::stage::{Stage, Watch, timed};
use crate::warnings::{Warning, warnings};
use crate::{kubelet, layout, memory, node_report, tools};

/// How a sandbox is set up.
#[derive(Debug, Clone)]
pub struct SandboxSettings {
    /// Where it keeps what other terminals need; made anew, and removed with it.
    pub folder: PathBuf,
    /// Where services live is the API server's to say.
    pub cluster: ClusterSettings,
    pub api: ApiSource,
}

impl SandboxSettings {
    /// A sandbox with an API server of its own.
    pub fn new(folder: PathBuf, cluster: ClusterSettings) -> Self {
        Self { folder, cluster, api: ApiSource::Own }
    }
}

/// A running sandbox. The fields are dropped from top to bottom: who acts before what is acted on.
#[derive(Debug)]
pub struct Sandbox {
    agents: BTreeMap<NodeName, Agent>,
    places: Places,
    lab: Lab,
    controller: Controller,
    applier: Applier,
    server: ApiServer,
    settings: Arc<ClusterSettings>,
    folder: PathBuf,
}

impl Sandbox {
    /// Makes an empty sandbox; what an earlier one left behind in the same folder goes first.
    pub async fn open(settings: SandboxSettings) -> Result<Self, SandboxError> {
        let SandboxSettings { folder, mut cluster, api } = settings;
        let lab = tokio::task::block_in_place(|| {
            let (janitor, root) = (take_over(&folder)?, OvnRoot::find()?);
            tools::install(&root, &folder).map_err(|source| SandboxError::Tools { source })?;
            Ok::<_, SandboxError>(Lab::start(root, janitor)?)
        })?;
        cluster.service_subnets = service_subnets();
        let server = ApiServer::open(&api, &folder).await?;
        let controller = Controller::start(server.client(), cluster.clone());
        let applier = Applier::new(server.client());
        let settings = Arc::new(cluster);
        let (agents, places) = (BTreeMap::new(), Places::default());
        Ok(Self { agents, places, lab, controller, applier, server, settings, folder })
    }

    /// Makes the cluster stand as the manifests in `manifests` say.
    pub async fn apply(
        &mut self,
        manifests: &Path,
        watch: &mut dyn Watch,
    ) -> Result<Applied, SandboxError> {
        let before = Listing::read(&self.client(), &Kind::ALL).await?;
        let manifests = Manifests::read(manifests)?;
        let leaving = self.applier.leaving(&manifests);
        let unplugged = timed(Stage::Unplug, watch, async {
            Ok::<_, SandboxError>(self.unplug(&leaving).await? + self.end_leaving_pods().await?)
        });
        let unplugged = unplugged.await?;
        let written = timed(Stage::Apply, watch, self.write(manifests)).await?;
        self.bring_up(before, unplugged, written, watch).await
    }

    /// Waits until somebody has changed the API since the last time.
    pub async fn changed(&mut self) {
        self.controller.changed().await;
    }

    /// Makes nodes and pods stand as the API says, whoever wrote there.
    pub async fn follow(&mut self, watch: &mut dyn Watch) -> Result<Applied, SandboxError> {
        let before = Listing::read(&self.client(), &Kind::ALL).await?;
        let unplugged = timed(Stage::Unplug, watch, self.end_leaving_pods()).await?;
        self.bring_up(before, unplugged, Written::default(), watch).await
    }

    async fn bring_up(
        &mut self,
        before: Listing,
        unplugged: usize,
        (gone, problems): Written,
        watch: &mut dyn Watch,
    ) -> Result<Applied, SandboxError> {
        timed(Stage::Lab, watch, self.keep_lab()).await?;
        let settled = timed(Stage::Settle, watch, self.settle(&gone)).await?;
        timed(Stage::Provider, watch, async {
            tokio::task::block_in_place(|| self.lab.keep_provider(&settled.intent))
        })
        .await?;
        let (settled, zones) = timed(Stage::Commit, watch, self.commit(settled, &gone)).await?;
        let built = timed(Stage::Hosts, watch, self.build(&settled, &zones)).await?;
        // Whoever hears that a pod runs finds it there.
        self.inventory(&settled).write(&self.folder)?;
        let report = self.report(&settled.listing);
        let (after, warnings) = timed(Stage::Report, watch, report).await?;
        let mut applied = Applied {
            intent: settled.intent,
            grants: settled.grants,
            changed: changed(&before, &after),
            receipt: Receipt::default(),
            host_changes: unplugged + built,
            plans: Vec::new(),
            findings: Vec::new(),
            warnings,
            problems,
        };
        applied.take(zones);
        Ok(applied)
    }

    /// Ends the agents of all nodes at once, as if their programs died; they start anew when the
    /// cluster is made to stand the next time.
    pub fn end_agents(&mut self) {
        self.agents.clear();
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

    /// A client of the sandbox's API server that may do everything.
    pub fn client(&self) -> Client {
        self.server.client()
    }

    /// Where kubectl finds how to reach the API server.
    pub fn kubeconfig(&self) -> &Path {
        self.server.kubeconfig()
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

    /// Applies manifests to the API; returns at which versions objects went, and what is wrong.
    async fn write(&mut self, manifests: Manifests) -> Result<Written, SandboxError> {
        let gone = self.applier.prune(&manifests).await?;
        let refused = self.applier.apply(&manifests, &self.server).await?;
        Ok((gone, [manifests.problems, refused].concat()))
    }

    /// Starts and stops nodes as the API has them, and lets each tell of itself.
    async fn keep_lab(&mut self) -> Result<(), SandboxError> {
        let client = self.client();
        let listing = Listing::read(&client, &[Kind::Node]).await?;
        let nodes: Vec<NodeName> = listing.world.nodes.keys().cloned().collect();
        if nodes.is_empty() {
            return Err(SandboxError::NoNodes);
        }
        self.agents.retain(|name, _| nodes.contains(name));
        tokio::task::block_in_place(|| self.lab.keep_nodes(&nodes))?;
        for (name, node) in &self.lab.nodes {
            if !self.agents.contains_key(name) {
                let agent = Agent::start(name, node, client.clone(), &self.settings).await?;
                self.agents.insert(name.clone(), agent);
            }
            let report = layout::report(node.settings(), self.settings.gateway_mode);
            node_report::annotate(&client, &report).await?;
        }
        Ok(())
    }

    async fn settle(&mut self, gone: &BTreeMap<Kind, u64>) -> Result<Settled, SandboxError> {
        let listing = self.controller.settled(&self.server, gone).await?;
        Ok(Settled::of(listing, &self.settings))
    }

    async fn unplug(&mut self, leaving: &Leaving) -> Result<usize, SandboxError> {
        let unplugs = self.agents.values_mut().map(|agent| agent.unplug(leaving));
        Ok(try_join_all(unplugs).await?.into_iter().sum())
    }

    /// Ends the pods that are asked to go, as their kubelets would: unplugged first.
    async fn end_leaving_pods(&mut self) -> Result<usize, SandboxError> {
        let client = self.client();
        let pods = kubelet::leaving_pods(&client).await?;
        let leaving = Leaving { pods: pods.keys().cloned().collect(), ..Leaving::default() };
        let unplugged = self.unplug(&leaving).await?;
        kubelet::end_pods(&client, &pods).await?;
        Ok(unplugged)
    }

    /// Waits until every zone controller has done what the API says, and writes nothing more: on some
    /// networks zones give pods their addresses.
    async fn commit(
        &mut self,
        mut settled: Settled,
        gone: &BTreeMap<Kind, u64>,
    ) -> Result<(Settled, Zones), SandboxError> {
        let mut zones = Zones::new();
        loop {
            let wanted = newest_for_zones(&settled.listing);
            add(&mut zones, self.zones_settled(&wanted, gone).await?);
            settled = self.settle(gone).await?;
            if newest_for_zones(&settled.listing) == wanted {
                return Ok((settled, zones));
            }
        }
    }

    /// Waits until every zone controller has done what these versions ask for.
    async fn zones_settled(
        &mut self,
        newest: &BTreeMap<Kind, u64>,
        gone: &BTreeMap<Kind, u64>,
    ) -> Result<Zones, SandboxError> {
        let mut wanted = newest.clone();
        for (kind, version) in gone {
            if let Some(newest) = wanted.get_mut(kind) {
                *newest = version.max(newest).to_owned();
            }
        }
        let wanted = &wanted;
        let zones = self.agents.iter_mut().map(|(name, agent)| async move {
            Ok::<_, SandboxError>((name.clone(), agent.settled(wanted).await?))
        });
        Ok(try_join_all(zones).await?.into_iter().collect())
    }

    async fn build(&mut self, settled: &Settled, zones: &Zones) -> Result<usize, SandboxError> {
        self.places.add(&settled.intent, &self.lab.janitor)?;
        let (world, places) = (&settled.listing.world, self.places.all());
        let builds = self.agents.iter_mut().filter_map(|(name, agent)| {
            let (zone, _) = zones.get(name)?;
            Some(agent.build(zone, world, &places))
        });
        let changes = try_join_all(builds).await?;
        tokio::task::block_in_place(|| self.lab.introduce_nodes())?;
        self.places.remove_gone(&settled.intent);
        Ok(changes.into_iter().sum())
    }

    /// Lets nodes report, and the cluster controller take it in; returns what is there then, and
    /// what it warns of. Of pods that it does not warn of it is told that they run.
    async fn report(&mut self, listing: &Listing) -> Result<(Listing, Vec<Warning>), SandboxError> {
        let client = self.client();
        let nads = listing.newest().get(&Kind::Nad).copied();
        for (name, agent) in &mut self.agents {
            let Some(node) = listing.world.nodes.get(name) else { continue };
            let status = node_report::status(self.lab.physical_networks(name));
            node_report::publish(&client, name, &node.metadata.uid, &status).await?;
            if let Some(nads) = nads {
                agent.reported(nads).await?;
            }
        }
        let nobody = BTreeMap::new();
        let ready = self.controller.settled(&self.server, &nobody).await?;
        let warnings = warnings(&client, &ready).await;
        let warnings = warnings.map_err(|it| SandboxError::Events { source: Box::new(it) })?;
        let troubled = |pod: &ObjectName| warnings.iter().any(|it| it.about == Target::pod(pod));
        let pods = self.places.all().into_keys().filter(|pod| !troubled(pod)).collect();
        kubelet::tell_running(&client, &pods).await?;
        Ok((self.controller.settled(&self.server, &nobody).await?, warnings))
    }

    fn inventory(&self, settled: &Settled) -> Inventory {
        let path = |namespace: &Namespace| namespace.path().to_owned();
        let (nodes, pods) = (self.lab.nodes.iter(), self.places.all().into_iter());
        let hosts = self.lab.host_namespaces().into_iter();
        Inventory {
            process: std::process::id(),
            kubeconfig: self.kubeconfig().to_owned(),
            nodes: nodes.map(|(name, node)| (name.to_string(), path(node.namespace()))).collect(),
            pods: pods.map(|(pod, place)| (pod.to_string(), place.namespace)).collect(),
            attachments: attachments(settled),
            hosts: hosts.map(|(name, namespace)| (name, path(namespace))).collect(),
            has_kubelets: false,
        }
    }
}

/// The newest state of what zones watch, by kind.
fn newest_for_zones(listing: &Listing) -> BTreeMap<Kind, u64> {
    let mut newest = listing.newest();
    newest.retain(|kind, _| KINDS.contains(kind));
    let runs = |pod: &Pod| !pod.spec.node_name.is_empty() && !pod.is_completed();
    let pods = listing.world.pods.values().filter(|it| runs(it));
    // Pods that have no node, or have ended, are not watched.
    newest.insert(Kind::Pod, pods.map(|it| it.metadata.version()).max().unwrap_or(0));
    newest
}

/// The networks of pods, in the order of their names.
fn attachments(settled: &Settled) -> BTreeMap<String, Vec<PodAttachment>> {
    let mut attachments: BTreeMap<String, Vec<PodAttachment>> = BTreeMap::new();
    for endpoint in endpoints(&settled.intent, &settled.grants) {
        let Endpoint { source: Source { pod, network }, addresses, .. } = endpoint;
        let attachment = PodAttachment { network: network.to_string(), addresses };
        attachments.entry(pod.to_string()).or_default().push(attachment);
    }
    attachments
}

type Written = (BTreeMap<Kind, u64>, Vec<udn_cluster::Problem>);
