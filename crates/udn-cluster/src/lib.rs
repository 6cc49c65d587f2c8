//! The cluster controller's brain: what the objects of a cluster ask for, and what must be written.
//!
//! Reads objects as a server tells them; returns work items, writes, statuses and events.
//! Invariant: everything is a function of values; whoever drives it hears, queues and sends.

pub mod affair;
pub mod cabinet;
pub mod doors;
pub mod office;
pub mod render;
pub mod translate;
pub mod world;

mod review;
mod spec;

pub use affair::Affair;
pub use cabinet::Cabinet;
pub use doors::{Door, Doors};
pub use render::{Change, NodeReport, Publication};
pub use review::review;
pub use world::{Objects, Problem, Reading, World};
