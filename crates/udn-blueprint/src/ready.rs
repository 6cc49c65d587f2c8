//! What is ready to be drawn: a network, a node or a pod together with all that its rows need.
//!
//! Reads the drawing input; returns what is there, or everything that is missing.
//! Invariant: whoever holds a ready thing can draw it to the end.

mod layer3;
mod link;
mod network;
mod node;
mod pod;
mod way_out;

pub(crate) use layer3::{OtherLayer3Node, OwnLayer3Node, ReadyLayer3};
pub(crate) use link::Link;
pub(crate) use network::{PrimaryLayer2, ReadyNetwork};
pub(crate) use node::{OtherNode, OwnNode};
pub(crate) use pod::ReadyPod;
pub(crate) use way_out::WayOut;
