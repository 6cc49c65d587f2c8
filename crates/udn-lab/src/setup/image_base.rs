//! Makes the base of the shipped image: packages unpacked, cut down to what a container needs, packed.
//!
//! Reads the lists of [`crate::image_base`]; calls `mmdebstrap`, which asks the mirror the host is
//! set up for, and packs one layer.
//! Invariant: the same packages give the same bytes, whenever and wherever.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use crate::cache::Cache;
use crate::image_base::{ImageBase, LEFT_OUT, PACKAGES, PROGRAMS};
use crate::ovn_root::{ALTERNATIVES, SUITE};
use crate::run::run;
use crate::setup::work::{Draft, Lines, perform};
use crate::setup::{SetupError, State};
use crate::shipped_image::{gzip, tar};

/// Links by which old paths lead to where files are.
const LINKS: &[(&str, &str)] = &[
    ("bin", "usr/bin"),
    ("sbin", "usr/sbin"),
    ("lib", "usr/lib"),
    ("lib64", "usr/lib64"),
    ("var/run", "../run"),
];

/// Folders on which a container's own are mounted, because its root cannot be written.
const MOUNT_POINTS: &[&str] = &[
    "dev",
    "proc",
    "sys",
    "run",
    "tmp",
    "etc/cni/net.d",
    "etc/openvswitch",
    "opt/cni/bin",
    "var/lib/openvswitch",
    "var/lib/ovn",
    "var/log",
];

/// Files that packages would make when they are configured.
const FILES: &[(&str, &str)] = &[
    ("etc/passwd", "root:x:0:0:root:/:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n"),
    ("etc/group", "root:x:0:\nnogroup:x:65534:\n"),
    ("etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n"),
    ("etc/resolv.conf", ""),
    ("etc/hosts", "127.0.0.1 localhost\n::1 localhost\n"),
];

/// What of `etc` stays.
const KEPT_SETTINGS: &[&str] =
    &["ld.so.conf", "ld.so.conf.d", "protocols", "services", "ethertypes", "gai.conf"];

pub(super) fn state(cache: &Cache) -> State {
    State::of_unpacked(ImageBase::find_in(cache).is_some())
}

pub(super) fn make(cache: &Cache, lines: Lines<'_>) -> Result<(), SetupError> {
    let _lock = cache.lock("image-base", || lines("waiting for another run to finish"))?;
    let target = ImageBase::folder_in(cache);
    if target.is_dir() {
        return Ok(());
    }
    let draft = Draft::begin(target, &["root/proc", "root/sys"])?;
    let base = ImageBase::at(draft.folder());
    let root = draft.folder().join("root");
    let mut command = Command::new("mmdebstrap");
    command.arg("--variant=extract").arg(format!("--include={}", PACKAGES.join(",")));
    let list = base.list();
    command.arg(format!("--extract-hook=ls \"$1\"/var/cache/apt/archives > {}", list.display()));
    perform(draft.janitor(), command.arg(SUITE).arg(&root), lines)?;
    lines("cutting it down");
    let misplaced = |source| SetupError::Place { path: root.clone(), source };
    keep_programs(&root).and_then(|()| leave_out(&root)).map_err(misplaced)?;
    settle(&root).map_err(misplaced)?;
    lines("packing the layer");
    run(&mut tar(&base.layer(), &root))?;
    gzip(&base.layer(), &base.compressed_layer(), "-9")?;
    fs::remove_dir_all(&root).map_err(misplaced)?;
    draft.finish()
}

/// Removes every program that is not wanted, and the right of the others to become root.
fn keep_programs(root: &Path) -> io::Result<()> {
    for (link, target) in ALTERNATIVES {
        let path = root.join(link);
        if root.join(target.trim_start_matches('/')).exists() && path.symlink_metadata().is_err() {
            symlink(target, path)?;
        }
    }
    for folder in ["usr/bin", "usr/sbin"] {
        for entry in fs::read_dir(root.join(folder))? {
            let entry = entry?;
            if !PROGRAMS.iter().any(|it| entry.file_name() == *it) {
                remove(&entry.path())?;
            } else if entry.file_type()?.is_file() {
                fs::set_permissions(entry.path(), Permissions::from_mode(0o755))?;
            }
        }
    }
    Ok(())
}

/// Removes what only people at a whole Debian need; who may copy a package stays beside it.
fn leave_out(root: &Path) -> io::Result<()> {
    for path in LEFT_OUT {
        remove(&root.join(path))?;
    }
    let libraries = format!("usr/lib/{}-linux-gnu", std::env::consts::ARCH);
    for folder in ["gconv", "security", "systemd", "perl-base", "ossl-modules", "audit"] {
        remove(&root.join(&libraries).join(folder))?;
    }
    for entry in fs::read_dir(root.join("usr/share/doc"))? {
        let folder = entry?.path();
        if !folder.is_dir() {
            continue;
        }
        for file in fs::read_dir(&folder)? {
            let file = file?;
            if file.file_name() != "copyright" {
                remove(&file.path())?;
            }
        }
    }
    for entry in fs::read_dir(root.join("etc"))? {
        let entry = entry?;
        if !KEPT_SETTINGS.iter().any(|it| entry.file_name() == *it) {
            remove(&entry.path())?;
        }
    }
    remove(&root.join("var"))
}

/// Makes links, folders and files that would come with packages' configuration.
fn settle(root: &Path) -> io::Result<()> {
    for folder in MOUNT_POINTS {
        fs::create_dir_all(root.join(folder))?;
    }
    for (link, target) in LINKS {
        let path = root.join(link);
        if path.symlink_metadata().is_err() {
            symlink(target, path)?;
        }
    }
    FILES.iter().try_for_each(|(path, text)| fs::write(root.join(path), text))
}

/// Removes a file, link or folder, if it is there.
fn remove(path: &Path) -> io::Result<()> {
    match path.symlink_metadata() {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}
