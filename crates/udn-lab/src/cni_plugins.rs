//! The CNI plugins of others: Multus, and the reference plugins that come with every node.
//!
//! Reads the cache; returns paths.
//! Invariant: all of them are built by set-up, so that every machine meets the same versions.

use std::env::consts::ARCH;
use std::path::{Path, PathBuf};

use crate::cache::{Cache, CacheError, Digest};

#[cfg(test)]
mod tests;

/// The reference plugins.
pub const REFERENCE: &[&str] = &["bridge", "host-local", "loopback", "portmap"];
/// Multus, which asks other plugins for several networks of one pod.
pub const MULTUS: &str = "multus";

/// What the plugins are built from; any change of it makes set-up build them anew.
const SOURCES: &[&str] =
    &[ARCH, include_str!("../../../tools/cni/go.mod"), include_str!("../../../tools/cni/go.sum")];

/// Why there are no plugins.
#[derive(Debug, thiserror::Error)]
pub enum CniPluginsError {
    #[error("the CNI plugins are not prepared: {path} is missing (run `cargo xtask setup`)")]
    NotPrepared { path: PathBuf },
    #[error("could not look for the CNI plugins")]
    Cache {
        #[from]
        source: CacheError,
    },
}

/// The folder that holds the plugins.
#[derive(Debug, Clone)]
pub struct CniPlugins {
    folder: PathBuf,
}

impl CniPlugins {
    /// Finds the plugins; never builds them.
    pub fn find() -> Result<Self, CniPluginsError> {
        let cache = Cache::find()?;
        let missing = || CniPluginsError::NotPrepared { path: Self::folder_in(&cache) };
        Self::find_in(&cache).ok_or_else(missing)
    }

    pub(crate) fn find_in(cache: &Cache) -> Option<Self> {
        let folder = Self::folder_in(cache);
        folder.is_dir().then_some(Self { folder })
    }

    /// Where set-up puts the plugins.
    pub(crate) fn folder_in(cache: &Cache) -> PathBuf {
        cache.entry("cni-plugins", Digest::of(SOURCES.iter().copied()))
    }

    /// The folder itself.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The file of a plugin.
    pub fn plugin(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}
