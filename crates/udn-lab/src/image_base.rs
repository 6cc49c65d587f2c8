//! The base of the shipped image: Debian's OVN and Open vSwitch with only what a container needs.
//!
//! Reads the cache; returns the base's layer and the list of its packages.
//! Invariant: what is in the base is known by package and version, and nothing in it can raise rights.

use std::env::consts::ARCH;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::cache::{Cache, CacheError, Digest};
use crate::ovn_root::SUITE;

#[cfg(test)]
mod tests;

/// What is unpacked, with all it needs.
pub(crate) const PACKAGES: &[&str] = &[
    "coreutils",
    "dash",
    "ethtool",
    "iproute2",
    "libc-bin",
    "libgcc-s1",
    "mount",
    "netbase",
    "nftables",
    "openvswitch-switch",
    "ovn-central",
    "ovn-host",
];

/// The programs that stay; all others of those packages go.
pub(crate) const PROGRAMS: &[&str] = &[
    // Open vSwitch and OVN, and their tools for whoever looks for a mistake.
    "ovs-appctl",
    "ovs-dpctl",
    "ovs-ofctl",
    "ovs-vsctl",
    "ovs-vswitchd",
    "ovsdb-client",
    "ovsdb-server",
    "ovsdb-tool",
    "ovn-appctl",
    "ovn-controller",
    "ovn-nbctl",
    "ovn-northd",
    "ovn-sbctl",
    "ovn-trace",
    // The kernel's networks.
    "bridge",
    "ethtool",
    "ip",
    "nft",
    "ss",
    // What start scripts and people at a prompt need.
    "cat",
    "chmod",
    "cp",
    "dash",
    "date",
    "df",
    "env",
    "head",
    "id",
    "ln",
    "ls",
    "mkdir",
    "mount",
    "mv",
    "readlink",
    "rm",
    "rmdir",
    "sh",
    "sleep",
    "sort",
    "stat",
    "tail",
    "test",
    "timeout",
    "touch",
    "true",
    "umount",
    "uname",
    "wc",
];

/// Folders and files that go, seen from the root.
pub(crate) const LEFT_OUT: &[&str] = &[
    "usr/lib/init",
    "usr/lib/kernel",
    "usr/lib/modprobe.d",
    "usr/lib/python3",
    "usr/lib/python3.13",
    "usr/lib/systemd",
    "usr/lib/tmpfiles.d",
    "usr/lib/udev",
    "usr/share/apport",
    "usr/share/bash-completion",
    "usr/share/bug",
    "usr/share/dbus-1",
    "usr/share/debconf",
    "usr/share/info",
    "usr/share/lintian",
    "usr/share/locale",
    "usr/share/man",
    "usr/share/pam",
    "usr/share/perl5",
    "usr/share/polkit-1",
    "usr/share/python3",
    "usr/share/zoneinfo",
    "usr/share/zsh",
];

/// Why there is no base.
#[derive(Debug, thiserror::Error)]
pub enum ImageBaseError {
    #[error("the image base is not prepared: {path} is missing (run `cargo xtask setup`)")]
    NotPrepared { path: PathBuf },
    #[error("could not look for the image base")]
    Cache {
        #[from]
        source: CacheError,
    },
    #[error("could not read {path}")]
    Read { path: PathBuf, source: io::Error },
}

/// A package of Debian.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Package {
    pub name: String,
    pub version: String,
    pub architecture: String,
}

impl Package {
    /// Reads the name of a package's file, such as `ethtool_1%3a6.14.2-1_amd64.deb`.
    pub fn parse(file: &str) -> Option<Self> {
        let mut parts = file.strip_suffix(".deb")?.split('_').map(str::to_owned);
        let (name, version, architecture) = (parts.next()?, parts.next()?, parts.next()?);
        // A colon may not stand in a file's name.
        let version = version.replace("%3a", ":");
        parts.next().is_none().then_some(Self { name, version, architecture })
    }
}

/// The base, as set-up made it.
#[derive(Debug, Clone)]
pub struct ImageBase {
    folder: PathBuf,
}

impl ImageBase {
    /// Finds the base; never makes it.
    pub fn find() -> Result<Self, ImageBaseError> {
        let cache = Cache::find()?;
        let missing = || ImageBaseError::NotPrepared { path: Self::folder_in(&cache) };
        Self::find_in(&cache).ok_or_else(missing)
    }

    pub(crate) fn find_in(cache: &Cache) -> Option<Self> {
        let folder = Self::folder_in(cache);
        folder.is_dir().then_some(Self { folder })
    }

    /// Uses the base at `folder`.
    pub(crate) fn at(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// Where set-up puts the base.
    pub(crate) fn folder_in(cache: &Cache) -> PathBuf {
        let lists = [PACKAGES, PROGRAMS, LEFT_OUT].into_iter().flatten().copied();
        let recipe = [SUITE, ARCH, include_str!("setup/image_base.rs")];
        cache.entry("image-base", Digest::of(recipe.into_iter().chain(lists)))
    }

    /// The layer as a tar file.
    pub fn layer(&self) -> PathBuf {
        self.folder.join("layer.tar")
    }

    /// The same, compressed.
    pub fn compressed_layer(&self) -> PathBuf {
        self.folder.join("layer.tar.gz")
    }

    /// The names of its packages' files, one a line.
    pub(crate) fn list(&self) -> PathBuf {
        self.folder.join("packages")
    }

    /// What it is made of, by name.
    pub fn packages(&self) -> Result<Vec<Package>, ImageBaseError> {
        let path = self.list();
        let text = fs::read_to_string(&path);
        let text = text.map_err(|source| ImageBaseError::Read { path, source })?;
        let mut packages: Vec<Package> = text.lines().filter_map(Package::parse).collect();
        packages.sort();
        Ok(packages)
    }
}
