//! The OVN root: Debian's OVN, OVS and etcd in a folder of their own, run straight from there.
//!
//! [`OvnRoot::find`] reads the cache (or, failing that, the host's `PATH`) and returns a way to
//! build commands; it never installs anything, that is [`crate::setup`]'s work. A program of the
//! root runs through the root's own loader and libraries, so neither chroot nor mounts are needed
//! and the host's packages do not matter.
//!
//! Invariant: every command for an OVN or OVS program is built here.

use std::env::consts::ARCH;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cache::{Cache, CacheError, Digest};
use crate::run::run;

#[cfg(test)]
mod tests;

/// The Debian release the root is made of: the first with transit routers (OVN 25.03).
pub const SUITE: &str = "trixie";

/// What is unpacked in the root, with all it needs.
pub const PACKAGES: &[&str] = &[
    "ovn-central",
    "ovn-host",
    "openvswitch-switch",
    "etcd-server",
    "etcd-client",
    "iproute2",
    "nftables",
    "iputils-ping",
    "netcat-openbsd",
    "tcpdump",
    "ethtool",
    "procps",
];

/// Programs that Debian finds through a link of its own, and what they are.
pub(crate) const ALTERNATIVES: &[(&str, &str)] = &[
    ("usr/bin/nc", "/usr/bin/nc.openbsd"),
    ("usr/sbin/ovs-vswitchd", "/usr/lib/openvswitch-switch/ovs-vswitchd"),
];

/// The oldest OVN of the host that serves instead of the root, as (year, month).
const OLDEST: (u32, u32) = (25, 3);

/// Why there is no OVN to run.
#[derive(Debug, thiserror::Error)]
pub enum OvnRootError {
    #[error("the OVN root is not prepared: {path} is missing (run `cargo xtask setup`)")]
    NotPrepared { path: PathBuf },
    #[error("could not look for the OVN root")]
    Cache {
        #[from]
        source: CacheError,
    },
}

/// A database that OVN or OVS ships a schema for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Database {
    Northbound,
    Southbound,
    OpenVswitch,
}

impl Database {
    /// The name by which the protocol knows it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Northbound => "OVN_Northbound",
            Self::Southbound => "OVN_Southbound",
            Self::OpenVswitch => "Open_vSwitch",
        }
    }

    fn schema(self) -> &'static str {
        match self {
            Self::Northbound => "usr/share/ovn/ovn-nb.ovsschema",
            Self::Southbound => "usr/share/ovn/ovn-sb.ovsschema",
            Self::OpenVswitch => "usr/share/openvswitch/vswitch.ovsschema",
        }
    }
}

/// An OVN that is ready to run.
#[derive(Debug, Clone)]
pub struct OvnRoot {
    origin: Origin,
}

#[derive(Debug, Clone)]
enum Origin {
    Folder(PathBuf),
    Host,
}

impl OvnRoot {
    /// Finds the prepared root, or an OVN of the host that is new enough.
    pub fn find() -> Result<Self, OvnRootError> {
        let path = folder(&Cache::find()?);
        if path.is_dir() {
            return Ok(Self::at(path));
        }
        Self::on_host().ok_or(OvnRootError::NotPrepared { path })
    }

    /// Uses the root at `folder`.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { origin: Origin::Folder(folder.into()) }
    }

    /// The host's own OVN, if it has one that is new enough.
    pub fn on_host() -> Option<Self> {
        let version = run(Command::new("ovn-northd").arg("--version")).ok()?;
        (parse_version(&version)? >= OLDEST).then_some(Self { origin: Origin::Host })
    }

    /// The folder of the root; a host's own OVN has none.
    pub fn folder(&self) -> Option<&Path> {
        match &self.origin {
            Origin::Folder(folder) => Some(folder),
            Origin::Host => None,
        }
    }

    /// The command for a compiled program of the root, such as `ovn-nbctl`, `etcd` or `ping`.
    pub fn command(&self, program: &str) -> Command {
        let Origin::Folder(root) = &self.origin else {
            return Command::new(program);
        };
        let mut command = Command::new(root.join(loader()));
        command.arg("--library-path").arg(library_path(root)).arg(locate(root, program));
        command.env("OVS_PKGDATADIR", root.join("usr/share/openvswitch"));
        command.env("OVN_PKGDATADIR", root.join("usr/share/ovn"));
        command
    }

    /// The same, with sockets, databases, logs and settings all in `folder`.
    pub fn command_in(&self, folder: &Path, program: &str) -> Command {
        let mut command = self.command(program);
        for project in ["OVS", "OVN"] {
            for purpose in ["RUNDIR", "DBDIR", "LOGDIR", "SYSCONFDIR"] {
                command.env(format!("{project}_{purpose}"), folder);
            }
        }
        command
    }

    /// Whether the root holds a program of this name.
    pub fn holds(&self, program: &str) -> bool {
        match &self.origin {
            Origin::Folder(root) => locate(root, program).is_file(),
            Origin::Host => crate::run::on_path(program).is_some(),
        }
    }

    /// Where the schema of a database is.
    pub fn schema(&self, database: Database) -> PathBuf {
        self.folder().unwrap_or(Path::new("/")).join(database.schema())
    }
}

/// Where set-up puts the root, and where it is looked for.
pub fn folder(cache: &Cache) -> PathBuf {
    let links = ALTERNATIVES.iter().map(|(link, _)| *link);
    let content = [SUITE, ARCH].into_iter().chain(PACKAGES.iter().copied()).chain(links);
    let digest = Digest::of(content);
    cache.entry("ovn-root", digest)
}

fn loader() -> String {
    match ARCH {
        "x86_64" => "usr/lib64/ld-linux-x86-64.so.2".to_owned(),
        arch => format!("usr/lib/ld-linux-{arch}.so.1"),
    }
}

fn library_path(root: &Path) -> PathBuf {
    root.join("usr/lib").join(format!("{ARCH}-linux-gnu"))
}

/// The file of a program, with links followed as if the root were `/`.
fn locate(root: &Path, program: &str) -> PathBuf {
    let folders = ["usr/bin", "usr/sbin"].map(|folder| root.join(folder).join(program));
    let found = folders.iter().find(|path| path.symlink_metadata().is_ok());
    let mut path = found.unwrap_or(&folders[0]).clone();
    // Debian's alternatives are two links deep; the bound only guards against a loop.
    for _ in 0..8 {
        let Ok(target) = fs::read_link(&path) else { break };
        path = match target.strip_prefix("/") {
            Ok(inside) => root.join(inside),
            Err(_) => path.with_file_name(target),
        };
    }
    path
}

/// Reads (year, month) from a line such as `ovn-northd 25.03.0`.
fn parse_version(text: &str) -> Option<(u32, u32)> {
    let number = text.lines().next()?.split_whitespace().next_back()?;
    let mut parts = number.split('.').map(str::parse);
    Some((parts.next()?.ok()?, parts.next()?.ok()?))
}
