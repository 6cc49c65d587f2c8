//! The zone controller: one on each node; makes networks rows of that node's OVN.
//!
//! Watches the API server, and learns of networks only from NADs and annotations; where nodes have
//! subnets of their own, it grants addresses to its node's pods and writes them down.
//! The decisions are those of [`udn_zone`].
//! Invariant: networks are drawn, compared and committed apart, so that one cannot hold up another.

use std::sync::Arc;
use std::time::Duration;

use kube::Client as KubeClient;
use ovn::{Plan, Rules};
use ovsdb::session::{SessionSettings, Wanted, WantedTable};
use ovsdb_net::client::ClientError;
use ovsdb_net::{Client, ClientSettings, Remote};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tracing::warn;
use udn_blueprint::owners;
use udn_model::{ClusterSettings, NodeName};
use udn_wire::Kind;
use udn_zone::{KINDS, WorkItem, Zone};

use crate::metrics::Metrics;
use crate::pages::Collection;
use crate::watcher::watch_all;

mod brain;
pub mod commit;
mod confirm;
mod driver;
mod dry_run;
mod handle;
mod listing;
mod metrics;
mod reporter;

pub use brain::ZoneBrain;
pub use commit::CommitError;
pub use confirm::{ConfirmError, Numbers, confirm};
use driver::{Channels, Driver, Publishing, record};
pub use dry_run::ZoneDryRun;
pub use handle::{Activity, Ended, HostNews, PodNews, Snapshot, ZoneHandle};
pub use listing::{ListError, Listing};
pub use metrics::ZoneMetrics;
pub use reporter::FIELD_MANAGER;

/// Pods that could have ports: they have a node, and they have not ended.
const PODS_THAT_RUN: &str = "spec.nodeName!=,status.phase!=Succeeded,status.phase!=Failed";

/// How many questions wait before those who ask have to wait.
const MOST_REQUESTS: usize = 16;

/// How a zone controller works.
#[derive(Debug, Clone)]
pub struct ZoneSettings {
    pub node: NodeName,
    pub cluster: Arc<ClusterSettings>,
    /// How often everything is compared, in case somebody's change was missed.
    pub full_pass: Duration,
}

impl ZoneSettings {
    pub fn new(node: NodeName, cluster: Arc<ClusterSettings>) -> Self {
        Self { node, cluster, full_pass: Duration::from_secs(300) }
    }
}

/// Sees every plan right before it is committed.
pub trait Observer: Send + 'static {
    /// A plan of a work item, which people know by its title.
    fn planned(&mut self, title: &str, plan: &Plan);
}

/// Nobody looks.
impl Observer for () {
    fn planned(&mut self, _: &str, _: &Plan) {}
}

/// A database of the zone, and who owns its rows.
#[derive(Debug, Clone)]
pub struct Database {
    pub client: Client,
    pub rules: Rules,
}

impl Database {
    /// Connects, and keeps a replica with the indexes that compare needs.
    pub fn connect(remote: Remote, rules: Rules) -> Result<Self, ClientError> {
        Self::connect_to(remote, rules, Wanted::Everything)
    }

    fn connect_to(remote: Remote, rules: Rules, tables: Wanted) -> Result<Self, ClientError> {
        let mut session = SessionSettings::new(rules.database.name);
        (session.indexes, session.tables) = (rules.indexes(), tables);
        let client = Client::connect(ClientSettings::new(vec![remote], session))?;
        Ok(Self { client, rules })
    }
}

/// The databases of a zone.
#[derive(Debug, Clone)]
pub struct Databases {
    pub northbound: Database,
    pub southbound: Database,
}

impl Databases {
    /// Connects to the databases of a node; must be called inside a tokio runtime.
    pub fn connect(
        node: &NodeName,
        settings: &ClusterSettings,
        remotes: Remotes,
    ) -> Result<Self, ClientError> {
        // What northd writes there grows with all networks, and nobody here reads it.
        let tables = ["Chassis", "Encap"].map(WantedTable::whole);
        let southbound = Wanted::Tables(tables.into());
        Ok(Self {
            northbound: Database::connect(
                remotes.northbound,
                owners::northbound_of(node, settings),
            )?,
            southbound: Database::connect_to(remotes.southbound, owners::southbound(), southbound)?,
        })
    }

    fn of(&self, item: &WorkItem) -> &Database {
        match item {
            WorkItem::Southbound => &self.southbound,
            WorkItem::Shared | WorkItem::Network(_) => &self.northbound,
        }
    }
}

/// Where the zone's databases listen.
#[derive(Debug, Clone)]
pub struct Remotes {
    pub northbound: Remote,
    pub southbound: Remote,
}

/// A zone controller that runs in the background, until it is dropped.
#[derive(Debug)]
pub struct ZoneController {
    pub settings: ZoneSettings,
    pub databases: Databases,
    pub handle: ZoneHandle,
    pub metrics: Arc<ZoneMetrics>,
    stop: watch::Sender<bool>,
    tasks: JoinSet<()>,
}

impl ZoneController {
    /// Starts the controller of a node; must be called inside a tokio runtime.
    pub fn start(
        client: KubeClient,
        settings: ZoneSettings,
        remotes: Remotes,
        observer: Box<dyn Observer>,
    ) -> Result<Self, ClientError> {
        let brain = Zone::new(settings.node.clone(), Arc::clone(&settings.cluster));
        Self::start_with(brain, client, settings, remotes, observer)
    }

    /// The same with another brain.
    pub fn start_with(
        brain: impl ZoneBrain,
        client: KubeClient,
        settings: ZoneSettings,
        remotes: Remotes,
        observer: Box<dyn Observer>,
    ) -> Result<Self, ClientError> {
        if !settings.cluster.features.secondary_router_guard {
            let node = &settings.node;
            warn!(%node, "the router guard is off on secondary networks and localnets");
        }
        let databases = Databases::connect(&settings.node, &settings.cluster, remotes)?;
        let metrics = Arc::new(ZoneMetrics::default());
        let (mut tasks, heard) = watch_all(&client, &collections(), 0);
        let (ask, questions) = mpsc::channel(MOST_REQUESTS);
        let (tell_activity, activity) = watch::channel(Activity::default());
        let (tell, told) = watch::channel(reporter::Told::default());
        let (tell_host, host) = watch::channel(HostNews::default());
        let (written, reported) = watch::channel(<_>::default());
        let (stop, stopped) = watch::channel(false);
        let channels = Channels {
            heard,
            requests: questions,
            activity: tell_activity,
            told: tell,
            host: tell_host,
            stop: stopped,
        };
        let requests = Arc::new(Metrics::default());
        let (publishing, events) = Publishing::new(client.clone(), Arc::clone(&requests));
        let driver = Driver::new(
            brain,
            databases.clone(),
            settings.clone(),
            Arc::clone(&metrics),
            observer,
            publishing,
        );
        tasks.spawn(driver.work(channels));
        tasks.spawn(record((client.clone(), settings.node.clone()), requests, events));
        tasks.spawn(reporter::report(client, settings.node.clone(), told, written));
        let handle = ZoneHandle { activity, requests: ask, host, reported };
        Ok(Self { settings, databases, handle, metrics, stop, tasks })
    }

    /// Ends after what is under way; nothing is written afterwards.
    pub async fn stop(mut self) {
        self.stop.send_replace(true);
        self.handle.ended().await;
        self.tasks.shutdown().await;
    }
}

/// What a zone watches: of pods only those that could have ports.
fn collections() -> Vec<Collection> {
    let wanted = KINDS.map(|kind| match kind {
        Kind::Pod => Collection { kind, fields: PODS_THAT_RUN.to_owned() },
        kind => Collection::all(kind),
    });
    wanted.into()
}
