//! The host of a node: what it must look like, and the hands that make it so.
//!
//! [`host_plan`] decides, as a pure function of facts; everything else only acts on the values it
//! returns. Whatever acts is told which switch and which network namespace to act on, so one
//! process can serve several nodes.
//!
//! | hand | what it does |
//! |---|---|
//! | [`switch::Switch`] | rows of the switch's database, and waiting for what the switch says |
//! | [`openflow::Openflow`] | flows and port settings of one bridge |
//! | [`kernel::Kernel`] | links, addresses, routes and rules of one network namespace |
//! | [`host::Host`] | all of these, in the right order |
//!
//! Invariant: applying a plan twice changes nothing the second time.

#![forbid(unsafe_code)]

pub mod host;
pub mod host_plan;
pub mod kernel;
pub mod openflow;
pub mod program;
pub mod switch;

pub use host::{Host, HostError};
pub use host_plan::HostPlan;
pub use program::Program;
