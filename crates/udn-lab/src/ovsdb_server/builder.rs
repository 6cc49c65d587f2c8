//! Describes a database server, creates its database and starts it.
//!
//! Reads what the caller asks for; returns a running [`OvsdbServer`].
//! Invariant: ports are leased before the server starts, so a restart finds them free.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::certificates::Certificates;
use crate::janitor::Janitor;
use crate::namespaces::{Entrance, Namespace};
use crate::ovn_root::OvnRoot;
use crate::ovsdb_server::{OvsdbServer, Schema, ServerError, launch};
use crate::ports::Port;
use crate::run::run;

/// Describes a server before it starts.
#[derive(Debug)]
pub struct Builder {
    root: OvnRoot,
    source: Source,
    name: String,
    tcp: bool,
    certificates: Option<Certificates>,
    entrance: Option<Entrance>,
    second_socket: Option<PathBuf>,
    janitor: Option<Janitor>,
}

#[derive(Debug)]
enum Source {
    New(Schema),
    Existing(PathBuf),
}

impl Builder {
    /// Describes a server with a new database.
    pub(super) fn new(root: &OvnRoot, schema: Schema) -> Self {
        Self::with_source(root, Source::New(schema))
    }

    /// Describes a server for an existing database file.
    pub(crate) fn existing(root: &OvnRoot, file: PathBuf) -> Self {
        Self::with_source(root, Source::Existing(file))
    }

    fn with_source(root: &OvnRoot, source: Source) -> Self {
        Self {
            root: root.clone(),
            source,
            name: "ovsdb".to_owned(),
            tcp: false,
            certificates: None,
            entrance: None,
            second_socket: None,
            janitor: None,
        }
    }

    /// Also listens for plain TCP on a free loopback port.
    pub fn tcp(mut self) -> Self {
        self.tcp = true;
        self
    }

    /// Also listens for TLS on a free loopback port; clients must show a certificate too.
    pub fn tls(mut self, certificates: &Certificates) -> Self {
        self.certificates = Some(certificates.clone());
        self
    }

    /// Also listens on a unix socket in a folder that is not the server's.
    pub(crate) fn also_at(mut self, socket: &Path) -> Self {
        self.second_socket = Some(socket.to_owned());
        self
    }

    /// Names the server's files, so that several can share a folder tree.
    pub fn name(mut self, name: &str) -> Self {
        name.clone_into(&mut self.name);
        self
    }

    /// Runs the server inside a network namespace.
    pub fn within(mut self, namespace: &Namespace) -> Self {
        self.entrance = Some(namespace.entrance());
        self
    }

    /// Puts the server into the care of an existing janitor instead of a new one.
    pub fn janitor(mut self, janitor: &Janitor) -> Self {
        self.janitor = Some(janitor.clone());
        self
    }

    /// Creates the database and starts the server.
    pub fn start(self) -> Result<OvsdbServer, ServerError> {
        let janitor = match &self.janitor {
            Some(janitor) => janitor.clone(),
            None => Janitor::hire()?,
        };
        let folder = janitor.folder()?;
        let socket = folder.join(format!("{}.sock", self.name));
        let control = folder.join(format!("{}.ctl", self.name));
        let tcp = self.tcp.then(Port::lease).transpose()?;
        let tls = self.certificates.as_ref().map(|_| Port::lease()).transpose()?;
        let mut command = self.root.command_in(&folder, "ovsdb-server");
        command.args(["-vconsole:info", "-vsyslog:off", "-vfile:off", "--no-chdir"]);
        command.arg(format!("--unixctl={}", control.display()));
        command.arg(format!("--remote=punix:{}", socket.display()));
        if let Some(socket) = &self.second_socket {
            command.arg(format!("--remote=punix:{}", socket.display()));
        }
        self.add_listeners(&mut command, tcp.as_ref(), tls.as_ref());
        command.arg(self.prepare_database(&folder)?);
        if let Some(entrance) = &self.entrance {
            command = entrance.enter(&command);
        }
        let daemon = launch(&janitor, &command, &folder, &socket)?;
        let root = self.root;
        Ok(OvsdbServer { daemon, command, folder, socket, control, root, tcp, tls, janitor })
    }

    fn add_listeners(&self, command: &mut Command, tcp: Option<&Port>, tls: Option<&Port>) {
        if let Some(port) = tcp {
            command.arg(format!("--remote=ptcp:{}:127.0.0.1", port.number()));
        }
        if let (Some(certificates), Some(port)) = (&self.certificates, tls) {
            command.arg(format!("--remote=pssl:{}:127.0.0.1", port.number()));
            command.arg("--certificate").arg(certificates.server().certificate());
            command.arg("--private-key").arg(certificates.server().key());
            command.arg("--ca-cert").arg(certificates.authority());
        }
    }

    fn prepare_database(&self, folder: &Path) -> Result<PathBuf, ServerError> {
        let schema = match &self.source {
            Source::Existing(file) => return Ok(file.clone()),
            Source::New(schema) => schema,
        };
        let schema = write_schema(&self.root, schema, folder)?;
        let file = folder.join(format!("{}.db", self.name));
        run(self.root.command("ovsdb-tool").arg("create").arg(&file).arg(schema))?;
        Ok(file)
    }
}

/// Makes sure the schema is a file, and returns its path.
pub(crate) fn write_schema(
    root: &OvnRoot,
    schema: &Schema,
    folder: &Path,
) -> Result<PathBuf, ServerError> {
    match schema {
        Schema::Known(database) => Ok(root.schema(*database)),
        Schema::File(path) => Ok(path.clone()),
        Schema::Text(text) => {
            let path = folder.join("schema.ovsschema");
            match fs::write(&path, text) {
                Ok(()) => Ok(path),
                Err(source) => Err(ServerError::Schema { path, source }),
            }
        }
    }
}
