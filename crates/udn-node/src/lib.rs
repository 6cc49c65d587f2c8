//! The hands that make a node's host look as `udn-host` plans it.
//!
//! What is done follows from the values of a [`HostPlan`](udn_host::HostPlan); nothing is decided
//! here. Whatever acts is told which switch and which network namespace to act on, so one
//! process can serve several nodes.
//!
//! | hand | what it does |
//! |---|---|
//! | [`switch::Switch`] | rows of the switch's database, and waiting for what the switch says |
//! | [`openflow::Openflow`] | flows and port settings of one bridge |
//! | [`kernel::Kernel`] | links, addresses, routes and rules of one network namespace |
//! | [`host::Host`] | all of these, in the right order |
//! | [`agent::NodeAgent`] | the node as a whole: zone controller, host, pods, and what the API is told |
//! | [`cni::CniServer`] | pods that come and go, as the container runtime tells |
//!
//! Invariant: applying a plan twice changes nothing the second time.

#![forbid(unsafe_code)]

pub mod agent;
mod causes;
pub mod cleanup;
pub mod cni;
pub mod host;
pub mod kernel;
#[cfg(test)]
mod mutations;
pub mod openflow;
pub mod program;
pub mod publish;
pub mod switch;

pub use agent::{AgentError, AgentSettings, NodeAgent};
pub use host::{Host, HostError};
pub use program::Program;
