//! The cluster controller's brain: what the objects of a cluster ask for, and what must be written.
//!
//! Reads objects as a server tells them; returns work items, writes, statuses and events.
//! Invariant: everything is a function of values; whoever drives it hears, queues and sends.

pub mod agents;
pub mod cache;
pub mod dry_run;
pub mod nad_states;
pub mod network;
pub mod node;
pub mod reconciler;
pub mod status_update;
pub mod translate;
pub mod view;
pub mod work_item;
pub mod world;
pub mod write;

mod bounded;
mod claim;
mod decision;
mod default_nad;
mod others;
mod pod;
mod review;
mod spec;

pub use agents::{AgentNews, AgentState, Silence};
pub use cache::ObjectCache;
pub use decision::{Decision, NetworkState};
pub use nad_states::{NadState, NadStates};
pub use node::NodeReport;
pub use pod::annotation_write;
pub use reconciler::Reconciler;
pub use review::review;
pub use status_update::{Outcome, StatusUpdate};
pub use view::{ClusterNodes, Layer3Networks, Layer3View, View};
pub use work_item::WorkItem;
pub use world::{Objects, Problem, Reading, World};
pub use write::{Act, Event, EventType, Write};
