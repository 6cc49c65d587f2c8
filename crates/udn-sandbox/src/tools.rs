//! The tools of the OVN root on the search path inside pods, whatever the host has.
//!
//! Reads an [`OvnRoot`]; writes one small script for each tool below the sandbox's folder.
//! Invariant: what the host has itself comes first; the scripts only fill in what is missing.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use udn_lab::ovn_root::OvnRoot;

#[cfg(test)]
mod tests;

/// What people look at a network with.
const TOOLS: [&str; 4] = ["ip", "nc", "ping", "tcpdump"];

/// Writes the scripts of a sandbox.
pub(crate) fn install(root: &OvnRoot, folder: &Path) -> io::Result<()> {
    // A host's own OVN is on the search path already, with everything beside it.
    if root.folder().is_none() {
        return Ok(());
    }
    let scripts = scripts(folder);
    for tool in TOOLS.into_iter().filter(|tool| root.holds(tool)) {
        let mut command = root.command(tool);
        if tool == "tcpdump" {
            // Debian's tcpdump gives its rights to a user that only the root has.
            command.args(["-Z", "root"]);
        }
        write_script(&scripts.join(tool), &command)?;
    }
    Ok(())
}

/// Writes a script that runs a command with whatever arguments it is given.
pub(crate) fn write_script(path: &Path, command: &Command) -> io::Result<()> {
    fs::create_dir_all(path.parent().unwrap_or(path))?;
    fs::write(path, script(command))?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
}

/// Where the kubectl of the sandbox in `folder` is, if it has one of its own.
pub fn kubectl(folder: &Path) -> PathBuf {
    scripts(folder).join("kubectl")
}

/// What runs its arguments on a node of the sandbox in `folder`, if kubelets run its pods.
pub fn on_node(folder: &Path, node: &str) -> PathBuf {
    folder.join("nodes").join(node)
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

fn script(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<String> = words.map(quoted).collect();
    let set = command.get_envs().filter_map(|(name, value)| Some((name, value?)));
    let set = set.map(|(name, value)| format!("export {}={}\n", name.display(), quoted(value)));
    format!("#!/bin/sh\n{}exec {} \"$@\"\n", set.collect::<String>(), words.join(" "))
}

fn quoted(word: &OsStr) -> String {
    format!("'{}'", word.to_string_lossy().replace('\'', "'\\''"))
}
