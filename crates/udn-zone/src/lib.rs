//! The zone controller's brain: what the objects of a cluster mean for one node's OVN.
//!
//! Reads objects as a server tells them, and rows as a replica shows them; returns work items, sheets
//! and what the node has confirmed.
//! Invariant: everything is a function of values; whoever drives it hears, compares, commits and tells.

mod dirty;
mod disturbance;
mod drawing;
mod platform;
mod ports;
mod progress;
mod report;
mod shortfalls;
mod work;
mod zone;

pub use disturbance::disturbed;
pub use drawing::Drawing;
pub use ports::Ports;
pub use progress::{Progress, Trouble};
pub use report::not_programmed;
pub use work::{Extent, Touched, WorkItem};
pub use zone::{HostView, KINDS, OwnNode, OwnPod, Piece, Zone};
