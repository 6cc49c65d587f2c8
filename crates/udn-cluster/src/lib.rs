//! The cluster controller's brain: what the objects of a cluster ask for, and what must be written.
//!
//! Reads objects as a server tells them; returns work items, writes, statuses and events.
//! Invariant: everything is a function of values; whoever drives it hears, queues and sends.

pub mod cache;
pub mod controller;
pub mod nad_states;
pub mod render;
pub mod translate;
pub mod work_item;
pub mod world;

mod review;
mod spec;

pub use cache::ObjectCache;
pub use nad_states::{NadState, NadStates};
pub use render::{Change, NodeReport, Publication};
pub use review::review;
pub use work_item::WorkItem;
pub use world::{Objects, Problem, Reading, World};
