//! The two databases of a node, with whoever else works on them.
//!
//! Invariant: what they hold is read from the servers themselves, not from a replica.

use std::path::PathBuf;
use std::sync::Arc;

use ovn::Rules;
use ovsdb::engine::Engine;
use ovsdb::op::Operation;
use ovsdb::service::{Service, ServiceLimits};
use ovsdb::session::{Outcome, SessionSettings, Wanted, WantedTable};
use ovsdb::{Cache, Uuid};
use ovsdb_net::{Client, ClientSettings, Remote, Server};
use tempfile::TempDir;
use tokio::sync::OnceCell;
use udn_blueprint::owners;
use udn_model::NodeName;

use super::northd::Northd;

/// One of the two databases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Side {
    Northbound,
    Southbound,
}

impl Side {
    pub(crate) fn rules(self, node: &NodeName) -> Rules {
        match self {
            Self::Northbound => owners::northbound(node),
            Self::Southbound => owners::southbound(),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Northbound => "nb",
            Self::Southbound => "sb",
        }
    }
}

/// The databases of a node.
pub(crate) struct Databases {
    node: NodeName,
    northbound: Server,
    southbound: Server,
    pub(crate) northd: Northd,
    /// Another writer at each database, once there is one.
    writers: [OnceCell<Client>; 2],
    /// How many servers were started.
    starts: u128,
    folder: TempDir,
}

impl Databases {
    pub(crate) fn start(node: &NodeName) -> Self {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let northbound = serve(&folder, Side::Northbound, node, 1);
        let southbound = serve(&folder, Side::Southbound, node, 2);
        let read = ["NB_Global", "Logical_Switch_Port"].map(WantedTable::whole);
        let settings = settings(Side::Northbound, node);
        let settings = SessionSettings { tables: Wanted::Tables(read.into()), ..settings };
        let northd = Northd::start(connect(socket(&folder, Side::Northbound), settings));
        let (node, writers) = (node.clone(), Default::default());
        Self { node, northbound, southbound, northd, writers, starts: 2, folder }
    }

    /// Where the databases listen.
    pub(crate) fn sockets(&self) -> [PathBuf; 2] {
        [Side::Northbound, Side::Southbound].map(|side| socket(&self.folder, side))
    }

    /// What a database holds at this moment.
    pub(crate) fn rows(&self, side: Side) -> Cache {
        let rules = side.rules(&self.node);
        let mut rows = Cache::new(Arc::new(rules.database.to_schema()), &rules.indexes());
        let content = self.server(side).with_service(|service| {
            service.engine(rules.database.name).expect("it is served").snapshot()
        });
        rows.replace(content).expect("a snapshot fits its schema");
        rows
    }

    /// The server ends, and another begins with nothing.
    pub(crate) fn restart_empty(&mut self, side: Side) {
        self.starts += 1;
        let place = match side {
            Side::Northbound => &mut self.northbound,
            Side::Southbound => &mut self.southbound,
        };
        // The former has to let its socket go first.
        *place = Server::start(service(side, &self.node, self.starts));
        place.listen_unix(socket(&self.folder, side)).expect("the folder is the test's own");
    }

    /// Somebody else's transaction.
    pub(crate) async fn write(&self, side: Side, operations: &[Operation]) {
        let writer = self.writer(side).await;
        writer.wait_synced().await.expect("the server is there");
        let outcome = writer.transact(operations).await.expect("the writer is connected");
        assert!(matches!(outcome, Outcome::Committed(_)), "{outcome:?} of {operations:?}");
    }

    /// Somebody else's client, with a whole replica.
    pub(crate) async fn writer(&self, side: Side) -> &Client {
        let place = match side {
            Side::Northbound => &self.writers[0],
            Side::Southbound => &self.writers[1],
        };
        let begin = async || {
            let client = connect(socket(&self.folder, side), settings(side, &self.node));
            client.wait_synced().await.expect("the server is there");
            client
        };
        place.get_or_init(begin).await
    }

    fn server(&self, side: Side) -> &Server {
        match side {
            Side::Northbound => &self.northbound,
            Side::Southbound => &self.southbound,
        }
    }
}

fn socket(folder: &TempDir, side: Side) -> PathBuf {
    folder.path().join(side.name())
}

fn serve(folder: &TempDir, side: Side, node: &NodeName, start: u128) -> Server {
    let mut server = Server::start(service(side, node, start));
    server.listen_unix(socket(folder, side)).expect("the folder is the test's own");
    server
}

fn service(side: Side, node: &NodeName, start: u128) -> Service {
    // Counted, and never the same after another start.
    let mut number = start << 64;
    let uuids = move || {
        number += 1;
        Uuid::from_u128(number)
    };
    let mut service = Service::new(ServiceLimits::default(), Box::new(uuids));
    service.add_database(Engine::new(Arc::new(side.rules(node).database.to_schema())));
    service
}

fn settings(side: Side, node: &NodeName) -> SessionSettings {
    let rules = side.rules(node);
    let mut settings = SessionSettings::new(rules.database.name);
    settings.indexes = rules.indexes();
    // Nobody here goes silent; asking whether they do costs more than the tests themselves.
    settings.probe_interval = None;
    settings
}

fn connect(socket: PathBuf, settings: SessionSettings) -> Client {
    let remotes = vec![Remote::Unix(socket)];
    Client::connect(ClientSettings::new(remotes, settings)).expect("there is a remote")
}
