//! The typed tables of the three databases, written by `cargo xtask gen`.
//!
//! Invariant: everything below this module is generated; `cargo xtask gen --check` compares.

pub mod northbound;
pub mod open_vswitch;
pub mod southbound;
