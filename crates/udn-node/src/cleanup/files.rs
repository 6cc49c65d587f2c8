//! Files of ours on a node: the plugin and its configuration, sockets, databases.
//!
//! Reads folders; returns what is there, and takes it away.
//! Invariant: only names that are ours are taken, a socket only if nobody answers there, and a folder
//! that others may use only if it is empty.

use std::fmt;
use std::fs;
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use udn_cni::socket;
use udn_wire::keys::CNI_TYPE;

use crate::agent::CONFIGURATION;

#[cfg(test)]
mod tests;

/// The sockets of OVN as our start script names them.
// compat: deploy/image/start.sh
const OVN_SOCKETS: [&str; 6] = [
    "ovnnb_db.sock",
    "ovnnb_db.ctl",
    "ovnsb_db.sock",
    "ovnsb_db.ctl",
    "ovn-northd.ctl",
    "ovn-controller.ctl",
];
/// What we keep below our folder: databases of OVN, and of a switch of our own.
const STATES: [&str; 2] = ["ovn", "openvswitch"];

/// Where our files are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// The root of the host's files: `/`, or where a container sees it.
    pub root: PathBuf,
    /// Where runtimes look for configurations.
    pub configurations: PathBuf,
    /// Where they look for plugins.
    pub plugins: PathBuf,
    /// Where the CNI server listened.
    pub cni_socket: PathBuf,
    /// Where databases are kept.
    pub state: PathBuf,
}

/// Something of ours among the files.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Leftover {
    /// A file, a link or a socket.
    File(PathBuf),
    /// A folder with all that is in it.
    Tree(PathBuf),
    /// A folder, which goes if nothing is left in it.
    Folder(PathBuf),
}

impl fmt::Display for Leftover {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(f, "file {}", path.display()),
            Self::Tree(path) | Self::Folder(path) => write!(f, "folder {}", path.display()),
        }
    }
}

impl Places {
    /// A path of the host, as it is seen from here.
    pub fn here(&self, path: &Path) -> PathBuf {
        if self.root == Path::new("/") {
            return path.to_owned();
        }
        // A link of the host, which would lead out of its root.
        let path = path
            .strip_prefix("/var/run")
            .map_or_else(|_| path.into(), |it| Path::new("/run").join(it));
        self.root.join(path.strip_prefix("/").unwrap_or(&path))
    }

    /// Whether the switch that kept its database in our folder runs.
    pub fn own_switch_runs(&self) -> bool {
        let lock = self.here(&self.state).join("openvswitch/.conf.db.~lock~");
        is_locked(&lock)
    }

    /// Whether the host's switch, if there is one, is one of ours.
    pub fn has_own_switch(&self) -> bool {
        self.here(&self.state).join("openvswitch/conf.db").exists() && self.host_switch().is_none()
    }

    /// The database of a switch that the host has of its own.
    pub fn host_switch(&self) -> Option<PathBuf> {
        let known = ["/etc/openvswitch/conf.db", "/var/lib/openvswitch/conf.db"];
        known.map(|it| self.here(Path::new(it))).into_iter().find(|it| it.exists())
    }

    /// All that is ours, in the order in which it is to go.
    pub fn leftovers(&self) -> Vec<Leftover> {
        let mut found = Vec::new();
        let mut file = |path: PathBuf| {
            if path.symlink_metadata().is_ok() {
                found.push(Leftover::File(path));
            }
        };
        let configurations = self.here(&self.configurations);
        let plugins = self.here(&self.plugins);
        for (folder, name) in
            [(&configurations, CONFIGURATION), (&plugins, CNI_TYPE), (&plugins, socket::LINK)]
        {
            file(folder.join(name));
            file(folder.join(format!(".{name}.draft")));
        }
        let cni_socket = self.here(&self.cni_socket);
        dead(cni_socket.clone()).into_iter().for_each(&mut file);
        let ovn = self.here(Path::new("/run/ovn"));
        OVN_SOCKETS.iter().filter_map(|it| dead(ovn.join(it))).for_each(&mut file);
        let openvswitch = self.here(Path::new("/run/openvswitch"));
        let is_own_switch = self.has_own_switch();
        let sockets = entries(&openvswitch).into_iter();
        let sockets = sockets.filter(|it| is_own_switch || is_of_tool(it));
        sockets.filter_map(dead).for_each(&mut file);
        let state = self.here(&self.state);
        let states = STATES.map(|it| state.join(it)).into_iter().filter(|it| it.is_dir());
        found.extend(states.map(Leftover::Tree));
        let sockets = cni_socket.parent().into_iter();
        let sockets = sockets.flat_map(|it| [Some(it), it.parent()]).flatten().map(Path::to_owned);
        let folders = sockets.chain([ovn, openvswitch, state]);
        for folder in folders {
            if will_be_empty(&folder, &found) {
                found.push(Leftover::Folder(folder));
            }
        }
        found
    }
}

impl Leftover {
    /// Takes it away, if it is still there.
    pub fn take(&self) -> io::Result<()> {
        let taken = match self {
            Self::File(path) => fs::remove_file(path),
            Self::Tree(path) => fs::remove_dir_all(path),
            Self::Folder(path) => fs::remove_dir(path),
        };
        taken.or_else(
            |error| if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) },
        )
    }

    fn path(&self) -> &Path {
        match self {
            Self::File(path) | Self::Tree(path) | Self::Folder(path) => path,
        }
    }
}

/// Whether a socket is one by which a tool that agents start could be asked to end.
fn is_of_tool(path: &Path) -> bool {
    let name = path.file_name().and_then(|it| it.to_str());
    name.is_some_and(|it| it.starts_with("ovs-ofctl.") && it.ends_with(".ctl"))
}

/// Whether somebody answers on a socket.
pub fn answers(path: &Path) -> bool {
    UnixStream::connect(path).is_ok()
}

/// A socket on which nobody answers.
fn dead(path: PathBuf) -> Option<PathBuf> {
    let is_socket = path.symlink_metadata().is_ok_and(|it| it.file_type().is_socket());
    (is_socket && !answers(&path)).then_some(path)
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.filter_map(|it| Some(it.ok()?.path())).collect();
    paths.sort();
    paths
}

/// Whether nothing is left in a folder once what was found is gone.
fn will_be_empty(folder: &Path, found: &[Leftover]) -> bool {
    let goes = |path: &PathBuf| found.iter().any(|it| it.path() == path);
    folder.is_dir() && entries(folder).iter().all(goes)
}

/// Whether a program holds the lock of a database.
// compat: OVS, lib/lockfile.c
fn is_locked(path: &Path) -> bool {
    use nix::fcntl::{FcntlArg, fcntl};
    use nix::libc;

    let Ok(file) = fs::File::open(path) else { return false };
    let kind = |kind: i32| libc::c_short::try_from(kind).expect("the kinds of locks are small");
    let mut lock = libc::flock {
        l_type: kind(libc::F_WRLCK),
        l_whence: kind(libc::SEEK_SET),
        l_start: 0,
        l_len: 0,
        l_pid: 0,
    };
    let asked = fcntl(&file, FcntlArg::F_GETLK(&mut lock));
    asked.is_ok() && lock.l_type != kind(libc::F_UNLCK)
}
