//! Makes the OVN root: the files of OVN, OVS, etcd and all they need, in a folder of the cache.
//!
//! Reads the package list of [`crate::ovn_root`]; calls `mmdebstrap`, which asks the mirror the
//! host is set up for. Packages are unpacked and not configured: programs run straight from the
//! folder, and configuring them is most of the time that a whole Debian takes.
//! Invariant: a host OVN that is new enough, with an etcd beside it, makes the root unnecessary.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use crate::cache::Cache;
use crate::ovn_root::{ALTERNATIVES, OvnRoot, PACKAGES, SUITE, folder};
use crate::run::{on_path, run};
use crate::setup::work::{Draft, Lines, perform};
use crate::setup::{SetupError, State};

pub(super) fn state(cache: &Cache) -> State {
    State::of_unpacked(folder(cache).is_dir() || host_suffices())
}

pub(super) fn make(cache: &Cache, lines: Lines<'_>) -> Result<(), SetupError> {
    let _lock = cache.lock("ovn-root", || lines("waiting for another run to finish"))?;
    let target = folder(cache);
    if target.is_dir() {
        return Ok(());
    }
    let draft = Draft::begin(target, &["proc", "sys"])?;
    let mut command = Command::new("mmdebstrap");
    command.arg("--variant=extract").arg(format!("--include={}", PACKAGES.join(",")));
    perform(draft.janitor(), command.arg(SUITE).arg(draft.folder()), lines)?;
    link_alternatives(draft.folder())?;
    run(OvnRoot::at(draft.folder()).command("ovn-northd").arg("--version"))?;
    draft.finish()
}

fn host_suffices() -> bool {
    on_path("etcd").is_some() && OvnRoot::on_host().is_some()
}

/// Makes the links that packages make when they are configured.
fn link_alternatives(root: &Path) -> Result<(), SetupError> {
    for (link, target) in ALTERNATIVES {
        let path = root.join(link);
        symlink(target, &path).map_err(|source| SetupError::Place { path, source })?;
    }
    Ok(())
}
