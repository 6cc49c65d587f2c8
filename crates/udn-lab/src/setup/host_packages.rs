//! The few programs set-up and rigs call on the host itself.
//!
//! Reads `PATH`; installs what is missing with `apt-get`, as root.
//! Invariant: when nothing is missing, no package tool runs at all. Whatever the OVN root can
//! provide (ping, ethtool, nft, tcpdump) is not asked of the host.

use std::path::Path;
use std::process::Command;

use crate::janitor::Janitor;
use crate::run::on_path;
use crate::setup::work::{Lines, perform};
use crate::setup::{SetupError, State};

/// A package, and the program or file that shows it is there.
const PACKAGES: &[(&str, &str)] = &[
    ("debian-archive-keyring", "/usr/share/keyrings/debian-archive-keyring.gpg"),
    ("gpgv", "gpgv"),
    ("iproute2", "ip"),
    ("mmdebstrap", "mmdebstrap"),
    ("util-linux", "nsenter"),
];

pub(super) fn state() -> State {
    let missing = missing().join(", ");
    if missing.is_empty() {
        State::Ready
    } else if !is_root() {
        State::impossible(format!("only root can install the missing packages: {missing}"))
    } else if on_path("apt-get").is_none() {
        State::impossible(format!("there is no apt-get to install the missing: {missing}"))
    } else {
        State::Missing
    }
}

pub(super) fn make(lines: Lines<'_>) -> Result<(), SetupError> {
    let janitor = Janitor::hire()?;
    let missing = missing();
    // Most machines know their packages already; asking for fresh lists first would be slow.
    if perform(&janitor, &install(&missing), lines).is_ok() {
        return Ok(());
    }
    perform(&janitor, apt_get().arg("update"), lines)?;
    perform(&janitor, &install(&missing), lines)
}

/// Whether we may install, mount and create devices.
pub(super) fn is_root() -> bool {
    nix::unistd::geteuid().is_root()
}

fn missing() -> Vec<&'static str> {
    let is_there = |sign: &str| match sign.starts_with('/') {
        true => Path::new(sign).exists(),
        false => on_path(sign).is_some(),
    };
    PACKAGES.iter().filter(|(_, sign)| !is_there(sign)).map(|(package, _)| *package).collect()
}

fn install(packages: &[&str]) -> Command {
    let mut command = apt_get();
    command.args(["install", "--yes", "--no-install-recommends"]).args(packages);
    command
}

fn apt_get() -> Command {
    let mut command = Command::new("apt-get");
    command.args(["-o", "DPkg::Lock::Timeout=300"]).env("DEBIAN_FRONTEND", "noninteractive");
    command
}
