//! What a node's host must look like: the translation from networks and pods to the host.
//!
//! [`survey`](survey::survey) gathers [`HostFacts`] from what is wanted, granted and published;
//! [`HostPlan::of`] decides. Nothing here acts: the hands are in `udn-node`.
//! Invariant: the plan follows from the facts alone; their order does not matter.

#![forbid(unsafe_code)]

mod bridge;
pub mod chassis;
pub mod connections;
pub mod facts;
pub mod flow;
pub mod guard;
pub mod isolation;
pub mod links;
mod neighbours;
pub mod plan;
pub mod ports;
pub mod revision;
pub mod routing;
mod show;
pub mod survey;

pub use facts::{Datapath, HostFacts, NetworkFacts, NodeFacts, PodFacts, PortNumber};
pub use flow::Flows;
pub use guard::GuardPlan;
pub use links::{HostLink, PodLink};
pub use plan::{BridgePlan, HostPlan};
pub use ports::HostPart;
pub use routing::Routing;
