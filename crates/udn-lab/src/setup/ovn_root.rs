//! Makes the OVN root: a minimal Debian with OVN, OVS and etcd in a folder of the cache.
//!
//! Reads the package list of [`crate::ovn_root`]; calls `debootstrap`, which asks the mirror the
//! host is set up for.
//! Invariant: a host OVN that is new enough, with an etcd beside it, makes the root unnecessary.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::cache::Cache;
use crate::ovn_root::{OvnRoot, PACKAGES, SUITE, folder};
use crate::run::{on_path, run};
use crate::setup::host_packages::is_root;
use crate::setup::work::{Draft, Lines, perform};
use crate::setup::{SetupError, State};

pub(super) fn state(cache: &Cache) -> State {
    if folder(cache).is_dir() || host_suffices() {
        State::Ready
    } else if !is_root() {
        State::impossible("only root can bootstrap the OVN root")
    } else if on_path("debootstrap").is_none() {
        State::impossible("debootstrap is not installed")
    } else {
        State::Missing
    }
}

pub(super) fn make(cache: &Cache, lines: Lines<'_>) -> Result<(), SetupError> {
    let _lock = cache.lock("ovn-root", || lines("waiting for another run to finish"))?;
    let target = folder(cache);
    if target.is_dir() {
        return Ok(());
    }
    let draft = Draft::begin(target, &["proc", "sys"])?;
    let mut command = Command::new("debootstrap");
    command.arg("--variant=minbase").arg(format!("--include={}", PACKAGES.join(",")));
    perform(draft.janitor(), command.arg(SUITE).arg(draft.folder()), lines)?;
    remove_archives(draft.folder());
    run(OvnRoot::at(draft.folder()).command("ovn-northd").arg("--version"))?;
    draft.finish()
}

fn host_suffices() -> bool {
    on_path("etcd").is_some() && OvnRoot::on_host().is_some()
}

/// Removes the package files: they have been unpacked, and are a third of the folder.
fn remove_archives(root: &Path) {
    let archives = fs::read_dir(root.join("var/cache/apt/archives"));
    for entry in archives.into_iter().flatten().flatten() {
        if entry.path().extension().is_some_and(|extension| extension == "deb") {
            // What stays only takes room.
            let _ = fs::remove_file(entry.path());
        }
    }
}
