//! The loops: the cluster controller, the zone controller, and where they read and publish.
//!
//! Invariant: nothing is decided here; every stage between observe and commit is a pure crate's.

pub mod cluster;
pub mod directory;
pub mod health;
pub mod lease;
pub mod metrics;
pub mod registry;
pub mod rehearsal;
pub mod zone;

pub use cluster::ClusterController;
pub use directory::Directory;
pub use registry::{Observed, Registry, RegistryError};
pub use zone::ZoneController;
