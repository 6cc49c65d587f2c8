//! Whose programs lie in the target folder, when several checkouts build into one.
//!
//! Reads and writes `<target>/udn/checkout`. Invariant: no test reads the files of another
//! checkout: a program names the files of the checkout it was built from, and cargo does not look
//! at that when it decides what to build.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::external;
use crate::workspace::Workspace;

/// Removes what another checkout built of our crates.
pub(super) fn take_over(workspace: &Workspace) -> Result<()> {
    let record = workspace.record_folder().join("checkout");
    if is_of(&record, &workspace.root) {
        return Ok(());
    }
    let verdict = external::run(workspace.cargo(&clean(workspace)))?;
    ensure!(!verdict.is_fail(), "cargo clean failed");
    note(&record, &workspace.root).with_context(|| format!("writing {}", record.display()))
}

/// Whether the last to build was this checkout.
fn is_of(record: &Path, root: &Path) -> bool {
    fs::read(record).is_ok_and(|owner| owner == root.as_os_str().as_bytes())
}

fn note(record: &Path, root: &Path) -> io::Result<()> {
    if let Some(folder) = record.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(record, root.as_os_str().as_bytes())
}

/// The words for cargo: all of ours but this program, which is running.
fn clean(workspace: &Workspace) -> Vec<&str> {
    let names = workspace.members.iter().map(|member| member.name.as_str());
    let others = names.filter(|name| *name != env!("CARGO_PKG_NAME"));
    ["clean"].into_iter().chain(others.flat_map(|name| ["--package", name])).collect()
}

#[cfg(test)]
mod tests;
