//! The agent of a node: its zone controller, its host, its pods, and what the node tells of itself.
//!
//! | file | what it is about |
//! |---|---|
//! | `host_loop`, `pass` | the host: when it is looked at, and what is done then |
//! | `kernel_watch`, `flow_watch`, `filter_watch` | what tells that something has changed |
//! | `isolation_task`, `kubelet_watch` | who of the host's programs reaches locked pods |
//! | `losses` | what a switch that begins anew loses for a moment |
//! | `pods` | what the zone controller knows of pods, for the CNI server |
//! | `pod_watch` | pods whose cables somebody took |
//! | `probes` | whether the parts that answer questions still do |
//! | `plugin` | the files by which container runtimes find the CNI plugin |
//!
//! Invariant: the parts hear of each other only through values; each goes on while another waits.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kube::Client;
use ovsdb_net::Remote;
use ovsdb_net::client::ClientError;
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tracing::error;
use udn_control::ZoneController;
use udn_control::health::Shown;
use udn_control::heartbeat::{self, HeartbeatSettings, Watchdog};
use udn_control::zone::{Remotes, ZoneHandle, ZoneMetrics, ZoneSettings};
use udn_host::chassis::{ChassisSettings, OwnFacts};
use udn_model::{ClusterSettings, NodeName};

use crate::cni::CniMetrics;
use crate::host::{Host, HostError, HostSettings};
use crate::program::Program;
use crate::publish::Publisher;

mod cni_task;
mod filter_watch;
mod flow_watch;
mod host_loop;
mod inside;
mod isolation_task;
mod kernel_watch;
mod kubelet_watch;
mod losses;
mod pass;
mod plugin;
mod pod_watch;
mod pods;
mod probes;

use filter_watch::FilterWatch;
use host_loop::HostLoop;
use isolation_task::IsolationTask;
use kernel_watch::KernelWatch;
pub use kubelet_watch::KubeletSettings;
use pass::Done;
pub use plugin::{CONFIGURATION, PluginError, PluginFiles};

/// The file of the network namespace that this process is in.
pub const OWN_NAMESPACE: &str = "/proc/self/ns/net";

/// How an agent works.
#[derive(Debug, Clone)]
pub struct AgentSettings {
    /// Who the node is, and which bridges it has.
    pub chassis: ChassisSettings,
    pub cluster: Arc<ClusterSettings>,
    pub northbound: Remote,
    pub southbound: Remote,
    pub open_vswitch: Vec<Remote>,
    /// The node's network namespace, by its file.
    pub namespace: PathBuf,
    pub ofctl: Program,
    pub ethtool: Program,
    /// Where the node's kubelet is, which reaches pods that nobody else does.
    pub kubelet: KubeletSettings,
    /// Where container runtimes ask; nowhere where pods are wired by somebody else.
    pub cni: Option<CniPlaces>,
}

/// Where the CNI server listens, and where runtimes look for the plugin.
#[derive(Debug, Clone)]
pub struct CniPlaces {
    pub socket: PathBuf,
    pub plugin: PluginFiles,
}

/// Why an agent could not start.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    #[error("could not serve the node's host")]
    Host {
        #[from]
        source: HostError,
    },
    #[error("could not listen to the kernel in the network namespace {namespace}")]
    Kernel { namespace: PathBuf, source: std::io::Error },
    #[error("could not start the zone controller")]
    Zone { source: ClientError },
}

/// How far the host is.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HostState {
    /// The revision of what the zone controller knows that the host was last looked at with.
    pub revision: Option<u64>,
    /// Nothing of that is still to be made: every link, route and flow stands.
    pub is_whole: bool,
    /// Why the host could not be brought in order when that was last tried.
    pub failure: Option<String>,
    /// What the node knows of itself.
    pub own: Option<OwnFacts>,
    /// How often the host was looked at; that alone is no news.
    pub looks: u64,
}

impl HostState {
    /// Takes in what a look came to; returns whether that is news.
    fn take_in(&mut self, done: &Done, failure: Option<String>) -> bool {
        let Done { revision, is_whole, own, .. } = done;
        let (revision, own) = (*revision, own.clone());
        let is_whole = *is_whole && failure.is_none();
        let looks = self.looks;
        let state = Self { revision, is_whole, failure, own, looks };
        let is_news = *self != state;
        *self = Self { looks: looks + 1, ..state };
        is_news
    }

    /// Nothing could be looked at; returns whether that is news.
    fn fail(&mut self, text: &str) -> bool {
        let is_news = self.failure.as_deref() != Some(text);
        self.failure = Some(text.to_owned());
        is_news
    }

    /// Whether the host was looked at with everything that the zone controller had listed.
    pub fn is_ready(&self) -> bool {
        self.revision.is_some() && self.failure.is_none()
    }
}

/// The agent of one node; it works in the background until it is stopped or dropped.
#[derive(Debug)]
pub struct NodeAgent {
    zone: ZoneController,
    host: Host,
    state: watch::Receiver<HostState>,
    cni: watch::Receiver<Option<Arc<CniMetrics>>>,
    stop: watch::Sender<bool>,
    tasks: JoinSet<&'static str>,
    watchdog: Watchdog,
    /// Lets the cluster know that the agent lives; it ends last.
    heart: Heart,
}

impl NodeAgent {
    /// Starts an agent; must be called inside a tokio runtime. What it needs may come later: databases,
    /// bridges, the API server's objects.
    pub async fn start(client: Client, settings: AgentSettings) -> Result<Self, AgentError> {
        let settings = Arc::new(settings);
        let AgentSettings { chassis, cluster, .. } = &*settings;
        let host = Host::new(host_settings(&settings)).await?;
        let (kernel, filter) = listen(&settings.namespace)?;
        let about = (client.clone(), chassis.node.clone());
        let isolation =
            IsolationTask::new(about, host.isolation().clone(), filter, &settings.kubelet);
        let zone = ZoneController::start(
            client.clone(),
            ZoneSettings::new(chassis.node.clone(), Arc::clone(cluster)),
            Remotes {
                northbound: settings.northbound.clone(),
                southbound: settings.southbound.clone(),
            },
            Box::new(()),
        );
        let zone = zone.map_err(|source| AgentError::Zone { source })?;
        let (stop, stopped) = watch::channel(false);
        let (tell_state, state) = watch::channel(HostState::default());
        let (tell_node, tellings) = watch::channel(None);
        let (tell_cni, cni) = watch::channel(None);
        let mut tasks = JoinSet::new();
        let watchdog = Watchdog::default();
        let heart = Heart::start(client.clone(), chassis.node.clone(), watchdog.clone());
        let asked = (zone.handle.clone(), host.kernel().clone());
        tasks.spawn(named("probes", probes::work(watchdog.clone(), asked, stopped.clone())));
        let publisher = Publisher::new(client, chassis.node.clone(), Arc::clone(cluster));
        tasks.spawn(named("publisher", publisher.work(tellings, watchdog.clone())));
        let host_loop = HostLoop::new(
            &settings,
            &zone.handle,
            host.clone(),
            Arc::clone(&kernel),
            (tell_state, tell_node),
            watchdog.clone(),
        );
        tasks.spawn(named("isolation", isolation.work(stopped.clone())));
        tasks.spawn(named("host loop", host_loop.work(stopped.clone())));
        if let Some(places) = settings.cni.clone() {
            let task = cni_task::CniTask {
                settings: Arc::clone(&settings),
                places,
                host: host.clone(),
                zone: zone.handle.clone(),
                kernel,
                state: state.clone(),
                metrics: tell_cni,
            };
            tasks.spawn(named("CNI server", task.work(stopped)));
        }
        Ok(Self { zone, host, state, cni, stop, tasks, watchdog, heart })
    }

    /// How far the host is.
    pub fn state(&self) -> watch::Receiver<HostState> {
        self.state.clone()
    }

    /// What the zone controller knows.
    pub fn zone(&self) -> &ZoneHandle {
        &self.zone.handle
    }

    /// The hands of the agent.
    pub fn host(&self) -> &Host {
        &self.host
    }

    /// What is counted, for whoever shows it to people.
    pub fn counters(&self) -> Counters {
        let (zone, watchdog) = (Arc::clone(&self.zone.metrics), self.watchdog.clone());
        Counters { zone, cni: self.cni.clone(), watchdog }
    }

    /// Waits until a part of the agent has ended by itself, which none should; returns its name.
    pub async fn ended(&mut self) -> &'static str {
        match self.tasks.join_next().await {
            Some(Ok(name)) => name,
            Some(Err(error)) => {
                error!(%error, "a part of the agent stumbled");
                "a part that stumbled"
            }
            None => "the agent",
        }
    }

    /// Ends after what is under way: requests of container runtimes are answered, writes are done.
    /// Networks and pods stay as they are.
    pub async fn stop(self) {
        let Self { zone, stop, mut tasks, heart, .. } = self;
        stop.send_replace(true);
        // The publisher ends with the host loop, which tells it.
        while tasks.join_next().await.is_some() {}
        zone.stop().await;
        heart.stop().await;
    }
}

/// What lets the cluster know that the agent lives.
#[derive(Debug)]
struct Heart {
    stop: watch::Sender<bool>,
    beating: JoinHandle<()>,
}

impl Heart {
    fn start(client: Client, node: NodeName, watchdog: Watchdog) -> Self {
        let (stop, stopped) = watch::channel(false);
        let settings = HeartbeatSettings { watchdog, ..HeartbeatSettings::new(node) };
        let beating = tokio::spawn(heartbeat::run(client, settings, stopped));
        Self { stop, beating }
    }

    /// Lets the cluster know that the agent ends.
    async fn stop(mut self) {
        self.stop.send_replace(true);
        // It never fails.
        let _ = (&mut self.beating).await;
    }
}

impl Drop for Heart {
    /// An agent that is dropped has crashed, as far as others can see.
    fn drop(&mut self) {
        self.beating.abort();
    }
}

/// What an agent counts.
#[derive(Debug, Clone)]
pub struct Counters {
    zone: Arc<ZoneMetrics>,
    cni: watch::Receiver<Option<Arc<CniMetrics>>>,
    watchdog: Watchdog,
}

impl Counters {
    /// Everything, as OpenMetrics text.
    pub fn render(&self) -> String {
        let cni = self.cni.borrow().as_ref().map(|it| it.render());
        // Each text ends with a mark, of which there may be but one.
        let zone = self.zone.render();
        match cni {
            Some(cni) => zone.trim_end().trim_end_matches("# EOF").to_owned() + &cni,
            None => zone,
        }
    }
}

impl Shown for Counters {
    fn render(&self) -> String {
        self.render()
    }

    fn is_stuck(&self, now: std::time::Instant) -> bool {
        !self.watchdog.stuck(now).is_empty()
    }
}

/// Begins to listen to what the kernel tells of a namespace.
fn listen(namespace: &Path) -> Result<(Arc<KernelWatch>, FilterWatch), AgentError> {
    let refused = |source| AgentError::Kernel { namespace: namespace.to_owned(), source };
    let kernel = KernelWatch::open(namespace).map_err(refused)?;
    Ok((Arc::new(kernel), FilterWatch::open(namespace).map_err(refused)?))
}

fn host_settings(settings: &AgentSettings) -> HostSettings {
    HostSettings {
        namespace: settings.namespace.clone(),
        open_vswitch: settings.open_vswitch.clone(),
        ofctl: settings.ofctl.clone(),
        ethtool: settings.ethtool.clone(),
    }
}

async fn named(name: &'static str, work: impl Future<Output = ()>) -> &'static str {
    work.await;
    name
}
