//! Kubernetes' own end-to-end suite, of which the part about networks, and the images it asks for.
//!
//! Reads the cache; returns commands and paths.
//! Invariant: the suite is a judge that is not ours: nothing of it is changed, only where it finds
//! its images.

use std::env::consts::ARCH;
use std::path::PathBuf;
use std::process::Command;

use crate::cache::{Cache, CacheError, Digest};

/// What is unpacked for the image of agnhost, besides itself and busybox.
pub(crate) const PACKAGES: &[&str] = &["bash", "curl", "iproute2", "netcat-openbsd"];

/// Where the suite is told to find its images.
pub(crate) const REPOSITORY: &str = "udn.local/e2e";

/// The name of the suite's file.
pub(crate) const SUITE: &str = "e2e.test";

/// The images: file, name below the repository with the tag the suite asks for, entrypoint.
pub(crate) const IMAGES: &[(&str, &str, &[&str])] = &[
    ("agnhost.tar", "agnhost:2.59", &["/agnhost"]),
    ("busybox.tar", "busybox:1.37.0-1", &["/bin/sh"]),
    ("pause.tar", "pause:3.10.1", crate::container_runtime::PAUSE),
];

/// What the suite is built from; any change of it makes set-up build it anew.
const SOURCES: &[&str] = &[
    ARCH,
    REPOSITORY,
    include_str!("../../../tools/e2e/go.mod"),
    include_str!("../../../tools/e2e/go.sum"),
    include_str!("../../../tools/e2e/e2e_test.go"),
];

/// Why there is no suite.
#[derive(Debug, thiserror::Error)]
pub enum EndToEndError {
    #[error("the end-to-end suite is not prepared: {path} is missing (run `cargo xtask setup`)")]
    NotPrepared { path: PathBuf },
    #[error("could not look for the end-to-end suite")]
    Cache {
        #[from]
        source: CacheError,
    },
}

/// The folder that holds the suite.
#[derive(Debug, Clone)]
pub struct EndToEnd {
    folder: PathBuf,
}

impl EndToEnd {
    /// Finds the suite; never builds it.
    pub fn find() -> Result<Self, EndToEndError> {
        let cache = Cache::find()?;
        let missing = || EndToEndError::NotPrepared { path: Self::folder_in(&cache) };
        Self::find_in(&cache).ok_or_else(missing)
    }

    pub(crate) fn find_in(cache: &Cache) -> Option<Self> {
        let folder = Self::folder_in(cache);
        folder.is_dir().then_some(Self { folder })
    }

    /// Where set-up puts the suite.
    pub(crate) fn folder_in(cache: &Cache) -> PathBuf {
        let images = IMAGES.iter().flat_map(|(file, name, _)| [*file, *name]);
        let content = SOURCES.iter().chain(PACKAGES).copied().chain(images);
        cache.entry("end-to-end", Digest::of(content))
    }

    /// The command for the suite, to be completed with arguments.
    pub fn suite(&self) -> Command {
        Command::new(self.folder.join(SUITE))
    }

    /// The files of the images that the suite asks for.
    pub fn images(&self) -> Vec<PathBuf> {
        IMAGES.iter().map(|(file, ..)| self.folder.join(file)).collect()
    }
}
