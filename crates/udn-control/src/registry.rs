//! Where manifests are read and grants are published: an API server, or a directory.
//!
//! Invariant: an observation is consistent, and a publication that returned is durable.

use std::io;
use std::path::PathBuf;

use udn_cluster::{Problem, Publication, World};

/// Why reading or publishing failed.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    #[error("could not read {path}")]
    Read { path: PathBuf, source: io::Error },
    #[error("could not write {path}")]
    Write { path: PathBuf, source: io::Error },
}

/// What was seen.
#[derive(Debug, Clone, Default)]
pub struct Observed {
    pub world: World,
    /// Manifests that could not be understood; the rest of the world is still good.
    pub problems: Vec<Problem>,
    /// Manifests that are not for us.
    pub skipped: Vec<Problem>,
}

/// The place where users and controllers meet.
pub trait Registry {
    /// Everything that is there now.
    fn observe(&self) -> impl Future<Output = Result<Observed, RegistryError>> + Send;

    /// Makes these durable, in order.
    fn publish(
        &self,
        publications: &[Publication],
    ) -> impl Future<Output = Result<(), RegistryError>> + Send;
}
