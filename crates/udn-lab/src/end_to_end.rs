//! Kubernetes' own end-to-end suite, of which the part about networks, and the images it asks for.
//!
//! Reads the cache; returns commands and paths.
//! Invariant: the suite is a judge that is not ours: nothing of it is changed, only where it finds
//! its images.

use std::env::consts::ARCH;
use std::path::PathBuf;
use std::process::Command;

use crate::cache::{Cache, CacheError, Digest};

/// What is unpacked for the image of agnhost, besides itself and busybox: what the specs call.
pub(crate) const PACKAGES: &[&str] = &["bash", "curl", "iproute2", "netcat-openbsd"];

/// What is left out of those packages; each node unpacks the image.
pub(crate) const LEFT_OUT: &[&str] = &["/usr/share/*", "/usr/lib/*/gconv/*"];

/// Links in that image. Debian makes the first when the package is configured. The shell is not
/// busybox's, which would take its own `nc`, without UDP, for the one on the `PATH`.
pub(crate) const LINKS: &[(&str, &str)] = &[("bin/nc", "nc.openbsd"), ("bin/sh", "bash")];

/// Where the suite is told to find its images.
pub(crate) const REPOSITORY: &str = "udn.local/e2e";

/// The name of the suite's file.
pub(crate) const SUITE: &str = "e2e.test";

/// One of the images the suite asks for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SuiteImage {
    /// Its file.
    pub(crate) file: &'static str,
    /// Its name below the repository, with the tag the suite asks for.
    pub(crate) name: &'static str,
    pub(crate) entrypoint: &'static [&'static str],
    /// What the entrypoint is given when a pod says nothing else.
    pub(crate) arguments: &'static [&'static str],
}

/// The image that most specs ask for.
pub(crate) const AGNHOST: SuiteImage = SuiteImage {
    file: "agnhost.tar",
    name: "agnhost:2.59",
    entrypoint: &["/agnhost"],
    // compat: test/images/agnhost/Dockerfile: a pod that names no arguments has to stay.
    arguments: &["pause"],
};

/// The images that hold nothing but busybox.
pub(crate) const SMALL_IMAGES: &[SuiteImage] = &[
    SuiteImage {
        file: "busybox.tar",
        name: "busybox:1.37.0-1",
        entrypoint: &["/bin/sh"],
        arguments: &[],
    },
    SuiteImage {
        file: "pause.tar",
        name: "pause:3.10.1",
        entrypoint: crate::container_runtime::PAUSE,
        arguments: &[],
    },
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
        let images = all_images().flat_map(|image| {
            let words = [image.entrypoint, &["arguments"], image.arguments].concat();
            [image.file, image.name].into_iter().chain(words)
        });
        let links = LINKS.iter().flat_map(|(link, target)| [*link, *target]);
        let content = SOURCES.iter().chain(PACKAGES).chain(LEFT_OUT).copied();
        cache.entry("end-to-end", Digest::of(content.chain(links).chain(images)))
    }

    /// The command for the suite, to be completed with arguments.
    pub fn suite(&self) -> Command {
        Command::new(self.folder.join(SUITE))
    }

    /// The files of the images that the suite asks for.
    pub fn images(&self) -> Vec<PathBuf> {
        all_images().map(|image| self.folder.join(image.file)).collect()
    }
}

fn all_images() -> impl Iterator<Item = &'static SuiteImage> {
    [&AGNHOST].into_iter().chain(SMALL_IMAGES)
}
