//! Both servers, and programs run against them.
//!
//! Invariant: whatever is done to one is done to the other.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use ovsdb::service::{Service, ServiceLimits};
use ovsdb::{DatabaseSchema, Engine};
use ovsdb_net::server::{Server, random_uuid};
use tempfile::TempDir;
use udn_lab::ovn_root::{Database, OvnRoot};
use udn_lab::ovsdb_server::OvsdbServer;

/// Both servers with an empty Northbound database.
pub(crate) struct Pair {
    pub(crate) root: OvnRoot,
    pub(crate) real: OvsdbServer,
    pub(crate) ours: Server,
    pub(crate) folder: TempDir,
}

impl Pair {
    pub(crate) fn start() -> Self {
        let root = OvnRoot::find().expect("the OVN root is prepared");
        let real = OvsdbServer::start(&root, Database::Northbound).expect("a server starts");
        let folder = tempfile::tempdir().expect("a folder for the socket");
        let ours = start_ours(&root, folder.path(), ServiceLimits::default());
        Self { root, real, ours, folder }
    }

    pub(crate) fn sockets(&self) -> [PathBuf; 2] {
        [self.real.socket().to_owned(), self.folder.path().join("ours.sock")]
    }

    /// Runs a program against both servers; `REMOTE` stands for where they listen.
    pub(crate) fn outputs(&self, program: &str, args: &[&str]) -> [String; 2] {
        self.sockets().map(|socket| {
            let remote = format!("unix:{}", socket.display());
            let mut command = self.root.command_in(self.folder.path(), program);
            command.args(args.iter().map(|arg| arg.replace("REMOTE", &remote)));
            finish(&mut command)
        })
    }

    /// The program says the same of both, identifiers that servers choose aside.
    pub(crate) fn check(&self, program: &str, args: &[&str]) -> String {
        let [real, ours] = self.outputs(program, args).map(|output| without_uuids(&output));
        assert_eq!(ours, real, "{program} {args:?}");
        ours
    }

    pub(crate) fn nbctl(&self, args: &str) -> String {
        let args: Vec<&str> = ["--db=REMOTE", "--timeout=20"]
            .into_iter()
            .chain(args.split('|').map(str::trim))
            .collect();
        self.check("ovn-nbctl", &args)
    }
}

pub(crate) fn start_ours(root: &OvnRoot, folder: &Path, limits: ServiceLimits) -> Server {
    let text =
        std::fs::read_to_string(root.schema(Database::Northbound)).expect("the root has schemas");
    let schema = Arc::new(DatabaseSchema::parse(&text).expect("a schema that the server takes"));
    let mut service = Service::new(limits, Box::new(random_uuid));
    service.add_database(Engine::new(schema));
    let mut server = Server::start(service);
    server.listen_unix(folder.join("ours.sock")).expect("a free name");
    server
}

/// What a program prints, and whether it was content.
pub(crate) fn finish(command: &mut Command) -> String {
    let output = command.stdin(Stdio::null()).output().expect("the program runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let complaint = text(&output.stderr);
    let complaint: Vec<&str> = complaint.lines().filter(|line| !line.contains('|')).collect();
    format!("{}{}{}", text(&output.stdout), complaint.join("\n"), output.status)
}

/// Lists come in the order of the client's hash table, which depends on the order of the schema.
pub(crate) fn sorted_lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.sort_unstable();
    lines
}

/// Replaces each identifier by a number, in the order of their first appearance.
pub(crate) fn without_uuids(text: &str) -> String {
    let mut known: Vec<String> = Vec::new();
    let mut rest = text;
    let mut result = String::new();
    while let Some(head) = rest.get(..36) {
        let is_uuid = head.parse::<ovsdb::Uuid>().is_ok();
        let step = if is_uuid { 36 } else { rest.chars().next().map_or(1, char::len_utf8) };
        if is_uuid {
            let at = known.iter().position(|uuid| uuid == head).unwrap_or_else(|| {
                known.push(head.to_owned());
                known.len() - 1
            });
            result.push_str(&format!("<uuid {at}>"));
        } else {
            result.push_str(&rest[..step]);
        }
        rest = &rest[step..];
    }
    result + rest
}
