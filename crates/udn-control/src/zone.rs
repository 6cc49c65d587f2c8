//! The zone controller: one on each node; turns networks into rows of that node's OVN.
//!
//! It learns of networks only from NADs and annotations, and grants nothing.
//! Invariant: networks are planned and committed apart, so that one cannot hold up another.

use std::sync::Arc;

use ovn::Rules;
use ovsdb::session::SessionSettings;
use ovsdb_net::client::ClientError;
use ovsdb_net::{Client, ClientSettings, Remote};
use udn_model::{ClusterSettings, NodeName};

use crate::registry::Registry;

pub mod commit;
mod confirm;
pub mod plan;
mod turn;

pub use commit::CommitError;
pub use confirm::{ConfirmError, confirm};
pub use plan::{Batch, Content, batches};
pub use turn::{Outcome, PassError, Watch, ZonePass, commit_batches, pass_watched, turn};

/// The controller and its connections.
#[derive(Debug)]
pub struct ZoneController<R> {
    pub node: NodeName,
    pub registry: R,
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

impl<R: Registry> ZoneController<R> {
    /// Opens the controller of a node; must be called inside a tokio runtime.
    pub fn open(
        node: NodeName,
        registry: R,
        settings: Arc<ClusterSettings>,
        remotes: Remotes,
    ) -> Result<Self, ClientError> {
        let northbound =
            Database::connect(remotes.northbound, udn_blueprint::owners::northbound(&node))?;
        let southbound =
            Database::connect(remotes.southbound, udn_blueprint::owners::southbound())?;
        Ok(Self { node, registry, settings, northbound, southbound })
    }
}

/// Where the zone's databases listen.
#[derive(Debug, Clone)]
pub struct Remotes {
    pub northbound: Remote,
    pub southbound: Remote,
}
