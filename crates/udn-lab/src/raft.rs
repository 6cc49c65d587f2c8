//! Several `ovsdb-server`s that serve one clustered (RAFT) database.
//!
//! Reads an [`OvnRoot`], a [`Schema`] and a number of members; returns a cluster with a leader,
//! whose members can be killed and restarted one by one.
//! Invariant: a member keeps its database file and its ports over a restart.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::janitor::Janitor;
use crate::ovn_root::OvnRoot;
use crate::ovsdb_server::{Builder, OvsdbServer, Schema, ServerError, write_schema};
use crate::ports::{NoFreePort, Port};
use crate::run::{RunError, run};
use crate::wait::{TimedOut, wait_for};

/// An election is decided within seconds; a loaded machine takes longer.
const ELECTION_LIMIT: Duration = Duration::from_secs(60);

/// Why the cluster is of no use.
#[derive(Debug, thiserror::Error)]
pub enum RaftError {
    #[error("could not start a member")]
    Member {
        #[from]
        source: ServerError,
    },
    #[error("could not create a member's database file")]
    Create {
        #[from]
        source: RunError,
    },
    #[error("could not find a port for a member")]
    Port {
        #[from]
        source: NoFreePort,
    },
    #[error("the cluster did not settle")]
    Unsettled {
        #[from]
        source: TimedOut,
    },
}

/// A clustered database; members are counted from zero.
#[derive(Debug)]
pub struct RaftCluster {
    members: Vec<OvsdbServer>,
    database: String,
    // Held so that no other rig takes the ports on which the members talk to each other.
    _peers: Vec<Port>,
}

impl RaftCluster {
    /// Starts a cluster and waits until every member has joined and one of them leads.
    pub fn start(
        root: &OvnRoot,
        schema: impl Into<Schema>,
        members: usize,
    ) -> Result<Self, RaftError> {
        let janitor = Janitor::hire().map_err(ServerError::from)?;
        let folder = janitor.folder().map_err(ServerError::from)?;
        let schema = write_schema(root, &schema.into(), &folder)?;
        let database = run(root.command("ovsdb-tool").arg("schema-name").arg(&schema))?;
        let peers: Vec<Port> = (0..members).map(|_| Port::lease()).collect::<Result<_, _>>()?;
        let draft = Draft { root, folder: &folder, schema: &schema, database: &database };
        let mut cluster = Self { members: Vec::new(), database: database.clone(), _peers: peers };
        for index in 0..members {
            let file = draft.create_file(index, &cluster._peers)?;
            let builder = Builder::existing(root, file).name(&format!("member{index}")).tcp();
            cluster.members.push(builder.janitor(&janitor).start()?);
            // One after the other: a member joins through one that has joined.
            cluster.wait_joined(index)?;
        }
        cluster.leader()?;
        Ok(cluster)
    }

    /// Where the members listen for clients over TCP.
    pub fn addresses(&self) -> Vec<SocketAddr> {
        self.members.iter().filter_map(OvsdbServer::tcp_address).collect()
    }

    /// Where the members listen for clients on unix sockets.
    pub fn sockets(&self) -> Vec<&Path> {
        self.members.iter().map(OvsdbServer::socket).collect()
    }

    /// One member's server.
    pub fn member(&self, index: usize) -> &OvsdbServer {
        &self.members[index]
    }

    /// Waits until one of the running members leads, and tells which.
    pub fn leader(&mut self) -> Result<usize, RaftError> {
        let (members, database) = (&mut self.members, &self.database);
        let leader = wait_for("a RAFT leader", ELECTION_LIMIT, || {
            members.iter_mut().position(|member| reports(member, database, "Role: leader"))
        })?;
        Ok(leader)
    }

    /// Ends a member at once, as a crash would.
    pub fn kill(&mut self, index: usize) {
        self.members[index].kill();
    }

    /// Starts a member again and waits until it is part of the cluster.
    pub fn restart(&mut self, index: usize) -> Result<(), RaftError> {
        self.members[index].restart()?;
        self.wait_joined(index)
    }

    fn wait_joined(&mut self, index: usize) -> Result<(), RaftError> {
        let (member, database) = (&mut self.members[index], &self.database);
        wait_for("a member to join its cluster", ELECTION_LIMIT, || {
            reports(member, database, "Status: cluster member").then_some(())
        })?;
        Ok(())
    }
}

/// What is needed to create a member's database file.
struct Draft<'a> {
    root: &'a OvnRoot,
    folder: &'a Path,
    schema: &'a Path,
    database: &'a str,
}

impl Draft<'_> {
    fn create_file(&self, index: usize, peers: &[Port]) -> Result<PathBuf, RunError> {
        let file = self.folder.join(format!("member{index}.db"));
        let peer = |port: &Port| format!("tcp:{}", port.address());
        let mut command = self.root.command("ovsdb-tool");
        if index == 0 {
            command.arg("create-cluster").arg(&file).arg(self.schema).arg(peer(&peers[0]));
        } else {
            command.arg("join-cluster").arg(&file).arg(self.database).arg(peer(&peers[index]));
            command.args(peers[..index].iter().map(peer));
        }
        run(&mut command)?;
        Ok(file)
    }
}

fn reports(member: &mut OvsdbServer, database: &str, line: &str) -> bool {
    if !member.is_running() {
        return false;
    }
    let status = run(member.appctl().args(["cluster/status", database]));
    status.is_ok_and(|text| text.lines().any(|found| found == line))
}
