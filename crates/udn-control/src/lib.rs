//! The loops: the cluster controller and the zone controllers, with lease, health and metrics.
//!
//! Invariant: nothing is decided here; every stage between observe and commit is a pure crate's.

pub mod cluster;
pub mod health;
pub mod heartbeat;
pub mod lease;
pub mod metrics;
pub mod node_report;
pub mod zone;

mod complaints;
mod pages;
mod panics;
mod queue;
mod watcher;

pub use zone::ZoneController;
