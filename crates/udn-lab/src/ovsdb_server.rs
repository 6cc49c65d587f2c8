//! One `ovsdb-server` with one database, over a unix socket and, when asked, TCP and TLS.
//!
//! Reads an [`OvnRoot`] and a [`Schema`]; returns a running server that can be killed, stopped and
//! restarted on the same database file and the same ports.
//! Invariant: `start` and `restart` return only after the server has answered a request.

use std::fs;
use std::io::{self, Read, Write};
use std::net::SocketAddr;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::daemon::{Daemon, DaemonError};
use crate::janitor::{Janitor, JanitorError};
use crate::ovn_root::{Database, OvnRoot};
use crate::ports::{NoFreePort, Port};
use crate::run::RunError;

mod builder;

pub use builder::Builder;
pub(crate) use builder::write_schema;

/// Why a server does not serve.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    #[error("could not prepare the server's folder")]
    Janitor {
        #[from]
        source: JanitorError,
    },
    #[error("could not write the schema to {path}")]
    Schema { path: PathBuf, source: io::Error },
    #[error("could not create the database file")]
    Create {
        #[from]
        source: RunError,
    },
    #[error("could not find a port to listen on")]
    Port {
        #[from]
        source: NoFreePort,
    },
    #[error("the server did not come up")]
    Daemon {
        #[from]
        source: DaemonError,
    },
}

/// What a new database looks like.
#[derive(Debug, Clone)]
pub enum Schema {
    /// One that the OVN root ships.
    Known(Database),
    /// A schema file.
    File(PathBuf),
    /// The text of a schema.
    Text(String),
}

impl From<Database> for Schema {
    fn from(database: Database) -> Self {
        Self::Known(database)
    }
}

/// A running (or, after a kill, not running) database server.
#[derive(Debug)]
pub struct OvsdbServer {
    daemon: Daemon,
    command: Command,
    folder: PathBuf,
    socket: PathBuf,
    control: PathBuf,
    root: OvnRoot,
    tcp: Option<Port>,
    tls: Option<Port>,
    janitor: Janitor,
}

impl OvsdbServer {
    /// Starts a server with an empty database on a unix socket.
    pub fn start(root: &OvnRoot, database: Database) -> Result<Self, ServerError> {
        Self::builder(root, database).start()
    }

    /// Starts to describe a server that listens on more than a unix socket.
    pub fn builder(root: &OvnRoot, schema: impl Into<Schema>) -> Builder {
        Builder::new(root, schema.into())
    }

    /// Where it listens.
    pub fn socket(&self) -> &Path {
        &self.socket
    }

    /// Where it listens, as OVN's and OVS's programs want to be told.
    pub fn remote(&self) -> String {
        format!("unix:{}", self.socket.display())
    }

    /// Where it listens for plain TCP, if asked to.
    pub fn tcp_address(&self) -> Option<SocketAddr> {
        self.tcp.as_ref().map(Port::address)
    }

    /// Where it listens for TLS, if asked to.
    pub fn tls_address(&self) -> Option<SocketAddr> {
        self.tls.as_ref().map(Port::address)
    }

    /// The number of the server program; a new one after each restart.
    pub fn pid(&self) -> u32 {
        self.daemon.pid()
    }

    /// Whether the server program runs.
    pub fn is_running(&mut self) -> bool {
        self.daemon.is_running()
    }

    /// The server's own folder, which also holds its log.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// A command that asks or tells the server something, to be completed with arguments.
    pub fn appctl(&self) -> Command {
        let mut command = self.root.command_in(&self.folder, "ovs-appctl");
        command.arg("-t").arg(&self.control);
        command
    }

    /// Ends the server at once, as a crash would; the database file stays.
    pub fn kill(&mut self) {
        self.daemon.kill();
    }

    /// Asks the server to end; the database file stays.
    pub fn stop(&mut self) {
        self.daemon.stop();
    }

    /// Starts the server again on the same database file and ports, ending it first if it runs.
    pub fn restart(&mut self) -> Result<(), ServerError> {
        self.daemon.kill();
        // A killed server leaves its socket behind; a connection to it must not count as an answer.
        for stale in [&self.socket, &self.control] {
            let _ = fs::remove_file(stale);
        }
        self.daemon = launch(&self.janitor, &self.command, &self.folder, &self.socket)?;
        Ok(())
    }
}

fn launch(
    janitor: &Janitor,
    command: &Command,
    folder: &Path,
    socket: &Path,
) -> Result<Daemon, ServerError> {
    let log = folder.join("ovsdb-server.log");
    // The socket's name tells servers apart when several logs are shown.
    let name = socket.file_stem().unwrap_or_default().to_string_lossy();
    let mut daemon = Daemon::start(janitor, &format!("ovsdb-server {name}"), command, &log)?;
    daemon.wait_ready(|| answers(socket).then_some(()))?;
    Ok(daemon)
}

/// Whether a server answers on the socket, which a mere connection would not show.
fn answers(socket: &Path) -> bool {
    let ask = || -> io::Result<usize> {
        let mut stream = UnixStream::connect(socket)?;
        stream.set_read_timeout(Some(Duration::from_secs(1)))?;
        stream.write_all(br#"{"method":"list_dbs","params":[],"id":0}"#)?;
        stream.read(&mut [0; 64])
    };
    ask().is_ok_and(|length| length > 0)
}
