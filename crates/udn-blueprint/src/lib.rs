//! Draws networks, nodes and pods, with their granted numbers, as OVN rows.
//!
//! Reads a [`DrawingInput`]; returns sheets, one per part.
//! Invariant: what is drawn depends on the drawing input alone, and no two parts draw the same row.

mod draw;
#[cfg(test)]
mod example;
mod input;
mod missing;
pub mod names;
pub mod owners;
mod parts;
mod ready;
mod southbound;

pub use draw::draw;
pub use input::DrawingInput;
pub use parts::{has_nodes, parts, parts_of, services_part, shared_part};
pub use southbound::{draw_southbound, unreachable_nodes};
