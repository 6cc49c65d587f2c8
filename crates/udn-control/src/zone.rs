//! The zone controller: one on each node; makes networks rows of that node's OVN.
//!
//! Reads the API server; it learns of networks only from NADs and annotations, and grants nothing.
//! Invariant: networks are planned and committed apart, so that one cannot hold up another.

use std::fmt;
use std::sync::Arc;

use kube::Client as KubeClient;
use ovn::Rules;
use ovsdb::session::SessionSettings;
use ovsdb_net::client::ClientError;
use ovsdb_net::{Client, ClientSettings, Remote};
use tracing::warn;
use udn_model::{ClusterSettings, NodeName};

pub mod commit;
mod confirm;
mod dry_run;
mod listing;
mod pass;
pub mod plan;

pub use commit::CommitError;
pub use confirm::{ConfirmError, confirm};
pub use dry_run::ZoneDryRun;
pub use listing::{ListError, Listing};
pub use pass::{Outcome, PassError, Watch, ZonePass, commit_batches, pass};
pub use plan::{Batch, Content, batches};

/// The controller and its connections.
pub struct ZoneController {
    pub node: NodeName,
    pub client: KubeClient,
    pub settings: Arc<ClusterSettings>,
    pub northbound: Database,
    pub southbound: Database,
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
        let mut session = SessionSettings::new(rules.database.name);
        session.indexes = rules.indexes();
        let client = Client::connect(ClientSettings::new(vec![remote], session))?;
        Ok(Self { client, rules })
    }
}

impl ZoneController {
    /// Opens the controller of a node; must be called inside a tokio runtime.
    pub fn open(
        node: NodeName,
        client: KubeClient,
        settings: Arc<ClusterSettings>,
        remotes: Remotes,
    ) -> Result<Self, ClientError> {
        let northbound =
            Database::connect(remotes.northbound, udn_blueprint::owners::northbound(&node))?;
        let southbound =
            Database::connect(remotes.southbound, udn_blueprint::owners::southbound())?;
        if !settings.features.secondary_router_guard {
            warn!(%node, "the router guard is off on secondary networks and localnets");
        }
        Ok(Self { node, client, settings, northbound, southbound })
    }
}

impl fmt::Debug for ZoneController {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ZoneController").field("node", &self.node).finish_non_exhaustive()
    }
}

/// Where the zone's databases listen.
#[derive(Debug, Clone)]
pub struct Remotes {
    pub northbound: Remote,
    pub southbound: Remote,
}
