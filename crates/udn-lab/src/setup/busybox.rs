//! Lays out the files of a small system around a busybox, for images of containers.
//!
//! Reads the container runtime's busybox; writes into a folder that may hold programs already.
//! Invariant: what is there already stays as it is.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use crate::container_runtime::ContainerRuntime;
use crate::run::run;
use crate::setup::SetupError;

const FOLDERS: &[&str] = &["bin", "dev", "etc", "proc", "root", "run", "sys", "tmp", "var"];
/// Where a program of the same name may be.
const PROGRAMS: &[&str] = &["bin", "sbin", "usr/bin", "usr/sbin"];

/// Lays out folders, busybox under each of its names, and the one user there is.
pub(super) fn lay_out(runtime: &ContainerRuntime, files: &Path) -> Result<(), SetupError> {
    for folder in FOLDERS {
        let path = files.join(folder);
        fs::create_dir_all(&path).map_err(|source| misplaced(&path, source))?;
    }
    let busybox = files.join("bin/busybox");
    fs::copy(runtime.busybox(), &busybox).map_err(|source| misplaced(&busybox, source))?;
    for name in run(Command::new(&busybox).arg("--list"))?.lines() {
        let is_there = |folder: &&str| files.join(folder).join(name).symlink_metadata().is_ok();
        if !PROGRAMS.iter().any(is_there) {
            let link = files.join("bin").join(name);
            symlink("busybox", &link).map_err(|source| misplaced(&link, source))?;
        }
    }
    let users = files.join("etc/passwd");
    let line = "root:x:0:0:root:/root:/bin/sh\n";
    fs::write(&users, line).map_err(|source| misplaced(&users, source))
}

pub(super) fn misplaced(path: &Path, source: std::io::Error) -> SetupError {
    SetupError::Place { path: path.to_owned(), source }
}
