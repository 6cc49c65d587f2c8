//! The tools of the OVN root on the search path inside pods, whatever the host has.
//!
//! Reads an [`OvnRoot`]; writes one small script for each tool below the sandbox's folder.
//! Invariant: what the host has itself comes first; the scripts only fill in what is missing.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use udn_lab::ovn_root::OvnRoot;

/// What people look at a network with.
const TOOLS: [&str; 4] = ["ip", "nc", "ping", "tcpdump"];

/// Writes the scripts of a sandbox.
pub(crate) fn install(root: &OvnRoot, folder: &Path) -> io::Result<()> {
    // A host's own OVN is on the search path already, with everything beside it.
    if root.folder().is_none() {
        return Ok(());
    }
    let scripts = scripts(folder);
    fs::create_dir_all(&scripts)?;
    for tool in TOOLS.into_iter().filter(|tool| root.holds(tool)) {
        let path = scripts.join(tool);
        fs::write(&path, script(root, tool))?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}

/// The search path for programs inside the pods of the sandbox in `folder`.
pub fn search_path(folder: &Path) -> OsString {
    let mut path = env::var_os("PATH").unwrap_or_default();
    if !path.is_empty() {
        path.push(":");
    }
    path.push(scripts(folder));
    path
}

fn scripts(folder: &Path) -> PathBuf {
    folder.join("bin")
}

fn script(root: &OvnRoot, tool: &str) -> String {
    let command = root.command(tool);
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<String> = words.map(|word| quoted(&word.to_string_lossy())).collect();
    // Debian's tcpdump gives its rights to a user that only the root has.
    let first = if tool == "tcpdump" { " -Z root" } else { "" };
    format!("#!/bin/sh\nexec {}{first} \"$@\"\n", words.join(" "))
}

fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}
