//! containerd, runc and the images every node has: Debian's, in a folder of their own.
//!
//! Reads the cache; returns commands and paths. The programs run straight from the folder: they
//! are of the oldest Debian that the lab supports, so any host's C library serves them.
//! Invariant: nothing of the host's own container runtime is ever used or touched.

use std::env::consts::ARCH;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cache::{Cache, CacheError, Digest};

/// The Debian release the programs are of.
pub(crate) const SUITE: &str = "bookworm";

/// What is unpacked, with all it needs.
pub(crate) const PACKAGES: &[&str] = &["busybox-static", "containerd", "runc"];

/// The image of a busybox with all its programs in `/bin`.
pub const BUSYBOX_IMAGE: &str = "udn.local/busybox:1";
/// The image of the container that holds a pod's namespaces.
pub const PAUSE_IMAGE: &str = "udn.local/pause:1";
/// What that container does: nothing, for long.
pub(crate) const PAUSE: &[&str] = &["/bin/sleep", "2147483647"];

/// The names of the images' files.
pub(crate) const IMAGES: &[(&str, &str)] =
    &[("busybox.tar", BUSYBOX_IMAGE), ("pause.tar", PAUSE_IMAGE)];

/// Why there is no container runtime.
#[derive(Debug, thiserror::Error)]
pub enum ContainerRuntimeError {
    #[error("the container runtime is not prepared: {path} is missing (run `cargo xtask setup`)")]
    NotPrepared { path: PathBuf },
    #[error("could not look for the container runtime")]
    Cache {
        #[from]
        source: CacheError,
    },
}

/// The folder that holds the container runtime.
#[derive(Debug, Clone)]
pub struct ContainerRuntime {
    folder: PathBuf,
}

impl ContainerRuntime {
    /// Finds the runtime; never installs it.
    pub fn find() -> Result<Self, ContainerRuntimeError> {
        let cache = Cache::find()?;
        let missing = || ContainerRuntimeError::NotPrepared { path: Self::folder_in(&cache) };
        Self::find_in(&cache).ok_or_else(missing)
    }

    pub(crate) fn find_in(cache: &Cache) -> Option<Self> {
        let folder = Self::folder_in(cache);
        folder.is_dir().then_some(Self { folder })
    }

    /// Uses the runtime at `folder`.
    pub(crate) fn at(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// Where set-up puts the runtime.
    pub(crate) fn folder_in(cache: &Cache) -> PathBuf {
        let images = IMAGES.iter().flat_map(|(file, name)| [*file, *name]);
        let content = [SUITE, ARCH].into_iter().chain(PACKAGES.iter().copied()).chain(images);
        cache.entry("container-runtime", Digest::of(content.chain(PAUSE.iter().copied())))
    }

    /// The folders of its programs, as `PATH` names them.
    pub fn folders(&self) -> [PathBuf; 2] {
        ["usr/bin", "usr/sbin"].map(|folder| self.folder.join(folder))
    }

    /// The command for one of `containerd` and `ctr`.
    pub fn command(&self, program: &str) -> Command {
        Command::new(self.folder.join("usr/bin").join(program))
    }

    /// The file of runc.
    pub fn runc(&self) -> PathBuf {
        self.folder.join("usr/sbin/runc")
    }

    /// The file of a static busybox.
    pub fn busybox(&self) -> PathBuf {
        self.folder.join("bin/busybox")
    }

    /// The files of the images every node has.
    pub fn images(&self) -> Vec<PathBuf> {
        IMAGES.iter().map(|(file, _)| self.folder.join("images").join(file)).collect()
    }
}
