//! A machine of its own on this machine: processes, mounts and a host name inside a network
//! namespace.
//!
//! Reads a [`Namespace`] and a folder; returns a running [`Machine`] that programs can be run on.
//! Its root folder is ours, so programs and sockets have the same paths on both sides, while
//! `/etc`, `/opt`, `/var`, `/run` and what is mounted belong to the machine.
//! Invariant: everything that runs on it ends with its first process, and that one with us.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::daemon::{Daemon, DaemonError, READY_LIMIT};
use crate::janitor::{Janitor, JanitorError};
use crate::namespaces::{Entrance, Namespace};
use crate::proc_stat::Stat;
use crate::run::wrap;
use crate::wait::wait_for;

const BOOT: &str = include_str!("machine/boot.sh");

/// Why a machine does not run.
#[derive(Debug, thiserror::Error)]
pub enum MachineError {
    #[error("could not put the machine into the janitor's care")]
    Care {
        #[from]
        source: JanitorError,
    },
    #[error("the machine did not boot")]
    Boot {
        #[from]
        source: DaemonError,
    },
    #[error("could not find the machine's first process")]
    First { source: io::Error },
}

/// A running machine.
#[derive(Debug)]
pub(crate) struct Machine {
    /// The program that waits for the machine's first process, outside of it.
    boot: Daemon,
    first: u32,
    network: Entrance,
}

impl Machine {
    /// Boots a machine; `folder` is its disk and may have been used before.
    pub(crate) fn boot(
        janitor: &Janitor,
        namespace: &Namespace,
        name: &str,
        folder: &Path,
    ) -> Result<Self, MachineError> {
        let booted = folder.join("booted");
        // It is there after an earlier life of the same machine.
        let _ = fs::remove_file(&booted);
        let mut command = Command::new("unshare");
        command.args(["--mount", "--uts", "--pid", "--fork", "--kill-child", "--mount-proc"]);
        command.args(["/bin/sh", "-c", BOOT, "udn-machine"]).arg(folder).arg(name);
        let log = folder.join("boot.log");
        let daemon_name = format!("machine {name}");
        let mut boot = Daemon::start(janitor, &daemon_name, &namespace.enter(&command), &log)?;
        boot.wait_ready(|| booted.exists().then_some(()))?;
        let first = child_of(boot.pid()).map_err(|source| MachineError::First { source })?;
        // Owed for itself, because only its end is the end of all that runs on the machine.
        janitor.owe_program(first)?;
        Ok(Self { boot, first, network: namespace.entrance() })
    }

    /// The same command, run on the machine.
    pub(crate) fn enter(&self, command: &Command) -> Command {
        let mut outer = Command::new("nsenter");
        outer.arg(format!("--target={}", self.first));
        outer.args(["--mount", "--uts", "--pid"]);
        outer.arg(format!("--net={}", self.network.path().display())).arg("--");
        wrap(outer, command)
    }

    /// The machine's root folder, as seen from outside.
    pub(crate) fn root(&self) -> PathBuf {
        PathBuf::from(format!("/proc/{}/root", self.first))
    }

    /// Ends everything that runs on the machine, at once, as a power cut would.
    pub(crate) fn kill(&mut self) {
        if !self.boot.is_running() {
            return;
        }
        let first = i32::try_from(self.first).expect("a pid fits into pid_t");
        let _ = kill(Pid::from_raw(first), Signal::SIGKILL);
        // The kernel lets the first process end last.
        let _ =
            wait_for("the machine's end", READY_LIMIT, || (!self.boot.is_running()).then_some(()));
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The one child of a program.
fn child_of(parent: u32) -> io::Result<u32> {
    let child = Stat::all()?.into_iter().find(|stat| stat.parent == parent);
    let none = || io::Error::new(io::ErrorKind::NotFound, format!("program {parent} has no child"));
    child.map(|stat| stat.pid).ok_or_else(none)
}
