//! `cargo xtask dist`: the binary that is shipped, and what a crash report needs beside it.
//!
//! Builds with the profile `dist`; leaves `udn` and `udn.debug` in `<target>/dist`.
//! Invariant: the binary names its debug file, so that a backtrace finds it when both lie together.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::external;
use crate::verdict::Verdict;
use crate::workspace::Workspace;

const BINARY: &str = "udn";
const SYMBOLS: &str = "udn.debug";

/// Runs `cargo xtask dist`.
pub(crate) fn run(workspace: &Workspace) -> Result<Verdict> {
    let build = ["build", "--profile", "dist", "--package", BINARY, "--bin", BINARY];
    if external::run(workspace.cargo(&build))?.is_fail() {
        return Ok(Verdict::Fail);
    }
    let folder = workspace.target.join("dist");
    for command in split(&folder) {
        if external::run(command)?.is_fail() {
            return Ok(Verdict::Fail);
        }
    }
    for name in [BINARY, SYMBOLS] {
        println!("{}  {}", megabytes(&folder.join(name))?, folder.join(name).display());
    }
    Ok(Verdict::Pass)
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
