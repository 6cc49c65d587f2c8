//! A cluster on one machine: nodes as network namespaces with real OVN, hosts outside, and pods.
//!
//! The lab stands in for machines, wires and the container runtime; everything else is the
//! product's own: API server, both controllers and the node's hands.
//! Invariant: whatever a sandbox makes is removed with it, however it ends.

pub mod drawing;
pub mod inventory;
pub mod kubernetes;
pub mod matrix;
pub mod pings;
pub mod remote;
pub mod sandbox;
pub mod tools;

mod agent;
mod applied;
mod applier;
mod controller;
mod error;
mod folder;
mod kubelet;
mod lab;
mod layout;
mod leaving;
mod manifests;
mod memory;
mod node_report;
mod places;
mod server;
mod settled;
mod stage;
mod warnings;

pub use applied::Applied;
pub use error::SandboxError;
pub use inventory::Inventory;
pub use layout::assume_nodes;
pub use matrix::{Host, Matrix, Probe};
pub use sandbox::{Sandbox, SandboxSettings};
pub use server::ApiSource;
pub use stage::{Stage, Watch};
pub use warnings::Warning;
