//! `cargo xtask dist`: the binaries that are shipped, and what a crash report needs beside them.
//!
//! Builds with the profile `dist`; leaves `udn`, `udn.debug` and the CNI plugin in `<target>/dist`, where
//! `udn node` looks for the plugin.
//! Invariant: `udn` names its debug file, so that a backtrace finds it when both lie together; the plugin
//! needs nothing of the node it is put on, not even a C library.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::external;
use crate::verdict::Verdict;
use crate::workspace::Workspace;

mod elf;
#[cfg(test)]
mod tests;

const BINARY: &str = "udn";
const SYMBOLS: &str = "udn.debug";
/// The plugin's crate, and the name under which container runtimes look for it.
const PLUGIN_CRATE: &str = "udn-cni";
const PLUGIN: &str = "ovn-k8s-cni-overlay";

/// Runs `cargo xtask dist`.
pub(crate) fn run(workspace: &Workspace) -> Result<Verdict> {
    for words in builds() {
        if external::run(workspace.cargo(&words))?.is_fail() {
            return Ok(Verdict::Fail);
        }
    }
    let folder = workspace.target.join("dist");
    for command in split(&folder) {
        if external::run(command)?.is_fail() {
            return Ok(Verdict::Fail);
        }
    }
    check_plugin(&folder.join(PLUGIN))?;
    for name in [BINARY, SYMBOLS, PLUGIN] {
        println!("{}  {}", megabytes(&folder.join(name))?, folder.join(name).display());
    }
    Ok(Verdict::Pass)
}

/// What cargo is asked for, one after the other.
fn builds() -> [Vec<&'static str>; 2] {
    let profile = ["--profile", "dist"];
    let binary = [&["build"], &profile[..], &["--package", BINARY, "--bin", BINARY]];
    // Container runtimes start the plugin on the node itself, which may have another C library or none.
    let fixed = ["--", "-C", "target-feature=+crt-static", "-C", "strip=symbols"];
    let plugin = [&["rustc"], &profile[..], &["--package", PLUGIN_CRATE, "--bin", PLUGIN], &fixed];
    [binary.concat(), plugin.concat()]
}

/// Whether the plugin starts wherever it is put.
fn check_plugin(path: &Path) -> Result<()> {
    let content = std::fs::read(path).with_context(|| format!("reading {}", path.display()))?;
    let interpreter = elf::interpreter(&content);
    let interpreter = interpreter.with_context(|| format!("{} is no program", path.display()))?;
    ensure!(
        interpreter.is_none(),
        "{} needs {} on every node; is a static C library installed here (libc6-dev)?",
        path.display(),
        interpreter.unwrap_or_default()
    );
    Ok(())
}

/// The commands that cut the symbols off into a file of their own.
fn split(folder: &Path) -> [Command; 3] {
    let objcopy = |words: &[&str]| {
        let mut command = Command::new("objcopy");
        command.args(words).current_dir(folder);
        command
    };
    let link = format!("--add-gnu-debuglink={SYMBOLS}");
    [
        objcopy(&["--only-keep-debug", BINARY, SYMBOLS]),
        objcopy(&["--strip-all", BINARY]),
        objcopy(&[&link, BINARY]),
    ]
}

fn megabytes(path: &Path) -> Result<String> {
    let size = std::fs::metadata(path).with_context(|| format!("reading {}", path.display()))?;
    Ok(format!("{:>6.1} MB", size.len() as f64 / 1e6))
}
