//! Helm, which renders and installs charts.
//!
//! Reads the cache; returns a command.
//! Invariant: it is built by set-up, so that every machine meets the same version.

use std::env::consts::ARCH;
use std::path::PathBuf;
use std::process::Command;

use crate::cache::{Cache, CacheError, Digest};

/// The name of the program.
pub(crate) const HELM: &str = "helm";

/// What it is built from; any change of it makes set-up build it anew.
const SOURCES: &[&str] =
    &[ARCH, include_str!("../../../tools/helm/go.mod"), include_str!("../../../tools/helm/go.sum")];

/// Why there is no Helm.
#[derive(Debug, thiserror::Error)]
pub enum HelmError {
    #[error("Helm is not prepared: {path} is missing (run `cargo xtask setup`)")]
    NotPrepared { path: PathBuf },
    #[error("could not look for Helm")]
    Cache {
        #[from]
        source: CacheError,
    },
}

/// The folder that holds Helm.
#[derive(Debug, Clone)]
pub struct Helm {
    folder: PathBuf,
}

impl Helm {
    /// Finds Helm; never builds it.
    pub fn find() -> Result<Self, HelmError> {
        let cache = Cache::find()?;
        let missing = || HelmError::NotPrepared { path: Self::folder_in(&cache) };
        Self::find_in(&cache).ok_or_else(missing)
    }

    pub(crate) fn find_in(cache: &Cache) -> Option<Self> {
        let folder = Self::folder_in(cache);
        folder.is_dir().then_some(Self { folder })
    }

    /// Where set-up puts it.
    pub(crate) fn folder_in(cache: &Cache) -> PathBuf {
        cache.entry(HELM, Digest::of(SOURCES.iter().copied()))
    }

    /// A Helm that knows no cluster and no settings of a user, to be completed with arguments.
    pub fn command(&self) -> Command {
        let mut command = Command::new(self.folder.join(HELM));
        let names = std::env::vars_os().map(|(name, _)| name);
        for name in names.filter(|it| it.to_string_lossy().starts_with("HELM_")) {
            command.env_remove(name);
        }
        command.env_remove("KUBECONFIG");
        command
    }
}
