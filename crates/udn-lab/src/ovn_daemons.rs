//! The programs that make OVN move: northd, ovn-controller and ovs-vswitchd.
//!
//! Reads a [`Workplace`] and where the databases are; returns programs that answer.
//! Invariant: ovs-vswitchd never touches the kernel's datapath, so it runs without kernel modules.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::daemon::{Daemon, DaemonError};
use crate::janitor::Janitor;
use crate::namespaces::Entrance;
use crate::ovn_root::OvnRoot;
use crate::run::run;

/// Where a program runs: from which root, in which folder and namespace, in whose care.
#[derive(Debug, Clone)]
pub struct Workplace {
    pub root: OvnRoot,
    pub janitor: Janitor,
    pub folder: PathBuf,
    /// The network namespace to run in, if not our own.
    pub entrance: Option<Entrance>,
}

impl Workplace {
    /// The command for a program of the root, as it runs here.
    pub fn command(&self, program: &str) -> Command {
        self.placed(&self.root.command_in(&self.folder, program))
    }

    /// Any command, as it runs here.
    pub fn placed(&self, command: &Command) -> Command {
        match &self.entrance {
            Some(entrance) => entrance.enter(command),
            None => crate::run::copy(command),
        }
    }

    fn start(&self, program: &str, arguments: &[&str]) -> Result<Controlled, DaemonError> {
        let control = self.folder.join(format!("{program}.ctl"));
        let mut command = self.command(program);
        command.args(["-vconsole:info", "-vsyslog:off", "-vfile:off"]);
        command.arg(format!("--unixctl={}", control.display())).args(arguments);
        let log = self.folder.join(format!("{program}.log"));
        let daemon = Daemon::start(&self.janitor, program, &command, &log)?;
        Ok(Controlled { daemon, control, workplace: self.clone() })
    }
}

/// A program with a control socket.
#[derive(Debug)]
struct Controlled {
    daemon: Daemon,
    control: PathBuf,
    workplace: Workplace,
}

impl Controlled {
    fn appctl(&self) -> Command {
        appctl(&self.workplace, &self.control)
    }

    fn kill(&mut self) {
        self.daemon.kill();
        // A question must not meet the socket that a killed program leaves behind.
        let _ = fs::remove_file(&self.control);
    }

    /// Waits until the program answers `question` with a text that contains `answer`.
    fn wait_answer(mut self, question: &str, answer: &str) -> Result<Self, DaemonError> {
        let (workplace, control) = (&self.workplace, &self.control);
        self.daemon.wait_ready(|| {
            let text = run(appctl(workplace, control).arg(question)).ok()?;
            text.contains(answer).then_some(())
        })?;
        Ok(self)
    }
}

fn appctl(workplace: &Workplace, control: &Path) -> Command {
    let mut command = workplace.root.command_in(&workplace.folder, "ovs-appctl");
    command.arg("--timeout=10").arg("-t").arg(control);
    command
}

/// ovn-northd: turns the northbound database into the southbound one.
#[derive(Debug)]
pub struct Northd {
    inner: Controlled,
}

impl Northd {
    /// Starts northd between two databases and waits until it is the active one.
    pub fn start(workplace: &Workplace, databases: &Databases) -> Result<Self, DaemonError> {
        let northbound = format!("--ovnnb-db={}", databases.northbound);
        let southbound = format!("--ovnsb-db={}", databases.southbound);
        let inner = workplace.start("ovn-northd", &[&northbound, &southbound])?;
        Ok(Self { inner: inner.wait_answer("status", "active")? })
    }

    /// A command that asks or tells northd something, to be completed with arguments.
    pub fn appctl(&self) -> Command {
        self.inner.appctl()
    }

    /// Ends the program at once, as a crash would.
    pub(crate) fn kill(&mut self) {
        self.inner.kill();
    }
}

/// The remotes of OVN's two databases, such as `unix:/run/ovn/nb.sock`.
#[derive(Debug, Clone)]
pub struct Databases {
    pub northbound: String,
    pub southbound: String,
}

/// ovn-controller: turns the southbound database into flows of the local switch.
#[derive(Debug)]
pub struct OvnController {
    inner: Controlled,
}

impl OvnController {
    /// Starts ovn-controller on a switch database and waits for its southbound connection.
    pub fn start(workplace: &Workplace, open_vswitch: &str) -> Result<Self, DaemonError> {
        let inner = workplace.start("ovn-controller", &[open_vswitch])?;
        Ok(Self { inner: inner.wait_answer("connection-status", "connected")? })
    }

    /// A command that asks or tells ovn-controller something, to be completed with arguments.
    pub fn appctl(&self) -> Command {
        self.inner.appctl()
    }

    /// Ends the program at once, as a crash would.
    pub(crate) fn kill(&mut self) {
        self.inner.kill();
    }
}

/// ovs-vswitchd with its userspace datapath.
#[derive(Debug)]
pub struct Vswitchd {
    inner: Controlled,
}

impl Vswitchd {
    /// Starts the switch on its database and waits until it answers.
    pub fn start(workplace: &Workplace, open_vswitch: &str) -> Result<Self, DaemonError> {
        let inner = workplace.start("ovs-vswitchd", &["--disable-system", open_vswitch])?;
        Ok(Self { inner: inner.wait_answer("version", "ovs-vswitchd")? })
    }

    /// A command that asks or tells the switch something, to be completed with arguments.
    pub fn appctl(&self) -> Command {
        self.inner.appctl()
    }

    /// Ends the program at once, as a crash would.
    pub(crate) fn kill(&mut self) {
        self.inner.kill();
    }
}
