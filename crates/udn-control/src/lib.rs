//! The loops: the cluster office, the zone office, and where they read and publish.
//!
//! Invariant: nothing is decided here; every stage between observe and commit is a pure room's.

pub mod cluster;
pub mod directory;
pub mod health;
pub mod lease;
pub mod meters;
pub mod registry;
pub mod rehearsal;
pub mod zone;

pub use cluster::ClusterOffice;
pub use directory::Directory;
pub use registry::{Observed, Registry, RegistryError};
pub use zone::ZoneOffice;
