//! What is ready to be drawn: a network, a node or a pod together with all that its rows need.
//!
//! Reads the drawing input; returns what is there, or everything that is missing.
//! Invariant: whoever holds a ready thing can draw it to the end.

mod link;
mod network;
mod node;
mod pod;

pub(crate) use link::Link;
pub(crate) use network::{ReadyNetwork, ReadyPrimary};
pub(crate) use node::{OtherNode, OwnNode};
pub(crate) use pod::ReadyPod;
