//! Network namespaces and the veth pairs between them: what nodes and pods are made of.
//!
//! Reads names and addresses; returns a [`Namespace`] that programs can be run in. Everything is
//! done by the host's `ip` program.
//! Invariant: links are created straight inside the namespaces, so the host never sees them, and
//! their names need to be unique only within one namespace.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use nix::sched::{CloneFlags, setns};

use crate::janitor::{Janitor, JanitorError, fresh_name};
use crate::run::{RunError, run, wrap};

/// Why a namespace is not as it should be.
#[derive(Debug, thiserror::Error)]
pub enum NamespaceError {
    #[error("could not put the namespace into the janitor's care")]
    Care {
        #[from]
        source: JanitorError,
    },
    #[error("could not enter the namespace {path}")]
    Enter { path: PathBuf, source: io::Error },
    #[error("could not change the network")]
    Change {
        #[from]
        source: RunError,
    },
}

/// A network namespace of our own, with its loopback link up.
#[derive(Debug)]
pub struct Namespace {
    name: String,
    entrance: Entrance,
    // Dropped last: it removes the namespace once more if the drop below could not.
    _janitor: Janitor,
}

impl Namespace {
    /// Creates a namespace whose name ends with `label`.
    pub fn create(janitor: &Janitor, label: &str) -> Result<Self, NamespaceError> {
        let name = format!("udn-{}-{label}", fresh_name());
        janitor.owe_namespace(&name)?;
        run(Command::new("ip").args(["netns", "add", &name]))?;
        let entrance = Entrance { path: Path::new("/run/netns").join(&name) };
        let namespace = Self { name, entrance, _janitor: janitor.clone() };
        namespace.ip(&["link", "set", "lo", "up"])?;
        Ok(namespace)
    }

    /// Exchanges the namespace for a new and empty one of the same name, as a reboot would.
    ///
    /// The old one and its links are gone once nobody runs in it or holds it open.
    pub(crate) fn renew(&self) -> Result<(), NamespaceError> {
        run(Command::new("ip").args(["netns", "delete", &self.name]))?;
        run(Command::new("ip").args(["netns", "add", &self.name]))?;
        self.ip(&["link", "set", "lo", "up"])?;
        Ok(())
    }

    /// Its name, as `ip netns` shows it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its file, as `nsenter` and `setns` want it.
    pub fn path(&self) -> &Path {
        &self.entrance.path
    }

    /// The way in, which may outlive this value.
    pub fn entrance(&self) -> Entrance {
        self.entrance.clone()
    }

    /// The same command, run inside.
    pub fn enter(&self, command: &Command) -> Command {
        self.entrance.enter(command)
    }

    /// Runs a closure inside, on a thread of its own: sockets that it opens stay inside.
    ///
    /// # Panics
    /// Panics when the closure does.
    pub fn inside<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T, NamespaceError> {
        self.entrance.inside(work)
    }

    /// Runs `ip` inside and returns what it printed.
    pub fn ip(&self, arguments: &[&str]) -> Result<String, NamespaceError> {
        let mut command = Command::new("ip");
        command.args(["-n", &self.name]).args(arguments);
        Ok(run(&mut command)?)
    }

    /// The programs that run inside.
    pub fn pids(&self) -> Result<Vec<u32>, NamespaceError> {
        let text = run(Command::new("ip").args(["netns", "pids", &self.name]))?;
        Ok(text.split_whitespace().filter_map(|pid| pid.parse().ok()).collect())
    }

    /// Sets a kernel parameter of this namespace, such as `net.ipv4.ip_forward`.
    pub fn set_parameter(&self, parameter: &str, value: &str) -> Result<(), NamespaceError> {
        let path = Path::new("/proc/sys").join(parameter.replace('.', "/"));
        let mut write = Command::new("/bin/sh");
        write.args(["-c", "echo \"$1\" > \"$2\"", "set", value]).arg(path);
        run(&mut self.enter(&write))?;
        Ok(())
    }

    /// Keeps the kernel from speaking on a link that is a port of a userspace switch.
    ///
    /// The kernel sees every frame that such a switch takes, and would answer questions for its
    /// own addresses with the MAC of the wrong link; whoever believes it cannot be reached.
    pub fn silence(&self, link: &str) -> Result<(), NamespaceError> {
        self.set_parameter(&format!("net.ipv4.conf.{link}.arp_ignore"), "8")?;
        self.set_parameter(&format!("net.ipv6.conf.{link}.disable_ipv6"), "1")
    }

    /// Gives a link an address such as `10.0.0.1/24` that works at once; it may have it already.
    pub fn add_address(&self, link: &str, address: &str) -> Result<(), NamespaceError> {
        let mut arguments = vec!["address", "replace", address, "dev", link];
        if address.contains(':') {
            // Duplicate address detection would keep the address unusable for a second or two.
            arguments.push("nodad");
        }
        self.ip(&arguments)?;
        Ok(())
    }

    /// Sends `destination` (a prefix or `default`) through a next hop, instead of any other.
    pub fn add_route(&self, destination: &str, via: &str) -> Result<(), NamespaceError> {
        self.ip(&["route", "replace", destination, "via", via])?;
        Ok(())
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        // Should it fail, the janitor tries again and says so.
        let _ = run(Command::new("ip").args(["netns", "delete", &self.name]));
    }
}

/// The way into a namespace.
#[derive(Debug, Clone)]
pub struct Entrance {
    path: PathBuf,
}

impl Entrance {
    /// The way into the namespace whose file is at `path`.
    pub fn at(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }

    /// The namespace's file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The same command, run inside.
    ///
    /// `nsenter` and not `ip netns exec`: the latter hides /sys/fs/cgroup.
    pub fn enter(&self, command: &Command) -> Command {
        let mut outer = Command::new("nsenter");
        outer.arg(format!("--net={}", self.path.display())).arg("--");
        wrap(outer, command)
    }

    /// Runs a closure inside, on a thread of its own: sockets that it opens stay inside.
    ///
    /// # Panics
    /// Panics when the closure does.
    pub fn inside<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T, NamespaceError> {
        let refused = |source| NamespaceError::Enter { path: self.path.clone(), source };
        let file = File::open(&self.path).map_err(refused)?;
        inside(&file, work).map_err(refused)
    }
}

/// Runs a closure on a new thread in the namespace of an open file.
pub(crate) fn inside<T: Send>(file: &File, work: impl FnOnce() -> T + Send) -> io::Result<T> {
    let enter = || {
        setns(file, CloneFlags::CLONE_NEWNET)?;
        Ok(work())
    };
    let outcome = thread::scope(|scope| scope.spawn(enter).join());
    outcome.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// One end of a veth pair: the namespace it is in and its name there.
#[derive(Debug, Clone, Copy)]
pub struct End<'a> {
    pub namespace: &'a Namespace,
    pub link: &'a str,
}

/// Connects two namespaces by a veth pair whose ends are up.
pub fn connect(left: End<'_>, right: End<'_>, mtu: u16) -> Result<(), NamespaceError> {
    let mtu = mtu.to_string();
    let mut command = Command::new("ip");
    command.args(["link", "add", left.link, "mtu", &mtu, "netns", left.namespace.name()]);
    command.args(["type", "veth", "peer", "name", right.link, "mtu", &mtu]);
    command.args(["netns", right.namespace.name()]);
    run(&mut command)?;
    for end in [left, right] {
        end.namespace.ip(&["link", "set", end.link, "up"])?;
    }
    Ok(())
}
